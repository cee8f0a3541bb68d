"""Deployment guidance and its Terraform.

Contract held here: whatever is selected, the files are formatted, name no argument that does not
exist and break no policy rule; each running component has its own identity; figures, regions and
sizes are the request's; what a person says changes the files and the text says so; every product
that can be selected is either provisioned or explained.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from agents.offline.adjustments import adjustments_of
from agents.offline.deployment import draft_deployment, roles_for
from agents.offline.facts import Facts
from agents.offline.terraform.fmt import formatted
from agents.offline.terraform.modules import UnknownProduct, module_for
from agents.offline.terraform.parts import slug
from agents.offline.terraform.reading import design_of
from agents.offline.terraform.render import (
    PROVIDER_VERSION,
    addresses,
    inputs_of,
    quoted,
    render,
)
from agents.runtime import Attachment
from agents.tools.files import checked
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_schema import iac_schema_check
from agents.tools.schema_table import load_table
from agents.tools.terraform import FmtState, terraform_fmt
from agents.tools.versions import parse_constraint
from engine.contracts import allow_public
from engine.deliverables import Kind
from engine.documents import body_of, list_items
from tests.support.offline_cases import CASES, bundle, from_reader
from tests.support.offline_delivery import (
    Delivery,
    again,
    contract_problems,
    deliver,
    delivered,
    file_of,
    run_of,
    terraform_text,
)
from tests.support.offline_facts import EXAMPLES

NAMES = [case.name for case in CASES]
KIND = Kind.DEPLOYMENT_GUIDANCE
SELECTABLE = [p.name for p in bundle().catalogue.products if p.status.selectable]


def errors(files: tuple[Attachment, ...], *, public: bool = False) -> list[str]:
    schema = iac_schema_check(files)
    policy = iac_policy_check(files, allow_public=public)
    found = [f"{f.path}:{f.line} {f.address} {f.message}" for f in schema.findings]
    return found + [f.message for f in policy.findings if f.severity.value == "error"]


def public(done: Delivery) -> bool:
    return allow_public(done.documents[Kind.REQUIREMENTS], done.request)


# -- every case ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_case_passes_contract_schema_policy_and_format(name: str) -> None:
    done = delivered(name)
    assert contract_problems(done, KIND) == []
    assert errors(done.deployment.attachments, public=public(done)) == []
    for file in done.deployment.attachments:
        if file.path.endswith(".tf"):
            assert formatted(file.text) == file.text, file.path


@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.md")))
def test_example_as_the_planner_reads_it_passes_too(name: str) -> None:
    request = (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")
    done = deliver(request, from_reader(request))
    assert errors(done.deployment.attachments, public=public(done)) == []
    for kind in (Kind.DESIGN_RECOMMENDATIONS, KIND, Kind.VALIDATION_RESULTS):
        assert contract_problems(done, kind) == []


def test_terraform_itself_finds_nothing_to_format() -> None:
    assert shutil.which("terraform"), "terraform is not on the PATH; install it"
    for name in NAMES:
        report = asyncio.run(terraform_fmt(checked(delivered(name).deployment.attachments)))
        assert report.state is FmtState.FORMATTED, (name, [f.path for f in report.formatted])


@pytest.mark.parametrize("name", NAMES)
def test_people_run_the_steps_and_nothing_is_applied_for_them(name: str) -> None:
    done = delivered(name)
    text = done.deployment.content
    assert len(list_items(body_of(text, "Prerequisites"))) >= 4
    assert len(list_items(body_of(text, "Steps"), ordered=True)) >= 8
    assert "changes nothing in any cloud" in text
    assert "-auto-approve" not in text
    assert "roles/owner" not in text
    assert "roles/editor" not in text
    assert text.rstrip().endswith("no language model was used._")


@pytest.mark.parametrize("name", NAMES)
def test_each_running_component_has_one_identity_and_no_key(name: str) -> None:
    done = delivered(name)
    design = design_of(run_of(done.request, KIND), done.facts, done.documents)
    text = terraform_text(done.deployment)
    for unit in design.runners:
        assert text.count(f'resource "google_service_account" "{unit.name}"') == 1
    assert "google_service_account_key" not in text
    assert "compute@developer" not in text


@pytest.mark.parametrize("name", NAMES)
def test_what_holds_data_is_private_and_protected(name: str) -> None:
    text = terraform_text(delivered(name).deployment)
    assert "ipv4_enabled                                  = true" not in text
    assert "ipv4_enabled = true" not in re.sub(r" +", " ", text)
    buckets = re.findall(r'resource "google_storage_bucket" .*?\n}', text, re.S)
    for bucket in buckets:
        assert re.search(r"uniform_bucket_level_access\s+= true", bucket)
        assert "public_access_prevention" in bucket
    for database in re.findall(r'resource "google_sql_database_instance" .*?\n}', text, re.S):
        assert re.search(r"\n  deletion_protection\s+= true", database)
        assert "private_network" in database


def test_the_provider_is_pinned_to_the_version_of_the_argument_table() -> None:
    constraint = parse_constraint(PROVIDER_VERSION)
    assert constraint is not None
    assert constraint.bounded
    assert constraint.allows(load_table().version)
    assert f'version = "{PROVIDER_VERSION}"' in file_of(
        delivered("orders").deployment, "terraform/main.tf"
    )


# -- figures -------------------------------------------------------------------------------------


def default(done: Delivery, variable: str) -> str:
    text = file_of(done.deployment, "terraform/variables.tf")
    block = re.search(rf'^variable "{variable}" \{{\n(.*?)^\}}', text, re.M | re.S)
    assert block, variable
    found = re.search(r"default\s+= (.+)", block[1])
    assert found, variable
    return found[1].strip('"')


def test_figures_of_the_order_platform_are_in_the_code() -> None:
    done = delivered("orders")
    assert default(done, "region") == "europe-west3"
    assert default(done, "second_region") == "europe-west10"
    assert default(done, "budget_units") == "38000"
    assert default(done, "budget_currency") == "EUR"
    assert default(done, "latency_ms") == "300"
    assert default(done, "availability_goal") == "0.9995"
    text = terraform_text(done.deployment)
    assert "DATA_READ" in text  # who looked at what
    assert 'protection_level = "HSM"' in text  # card data
    assert "is_locked" in text  # ten years for the tax office
    assert "3650" in file_of(done.deployment, "terraform/variables.tf")


def test_a_replica_stands_in_the_second_region_only_where_its_loss_matters() -> None:
    assert "_replica" in terraform_text(delivered("orders").deployment) or (
        "SECONDARY" in terraform_text(delivered("orders").deployment)
    )
    assert "second_region" not in terraform_text(delivered("clicks").deployment)


def test_small_things_stay_small() -> None:
    text = terraform_text(delivered("club").deployment)
    assert "google_container_cluster" not in text
    assert "google_kms_key_ring" not in text
    assert "google_sql_database_instance" not in text
    assert len(addresses(delivered("club").deployment.attachments)) < 45
    assert len(addresses(delivered("club").deployment.attachments)) < len(
        addresses(delivered("orders").deployment.attachments)
    )


def test_anybody_is_let_in_only_where_the_request_asks_for_it() -> None:
    for name in NAMES:
        done = delivered(name)
        if not public(done):
            text = terraform_text(done.deployment)
            assert "allUsers" not in re.sub(r"description .*", "", text), name


def test_a_sealed_workload_has_no_way_out() -> None:
    text = terraform_text(delivered("assistant").deployment)
    assert "google_compute_router_nat" not in text
    assert "restricted.googleapis.com" in text
    assert re.search(r'direction\s+= "EGRESS"', text)
    assert "EXTERNAL_MANAGED" not in text


def test_sizes_of_the_selection_hold() -> None:
    done = delivered("orders")
    said = re.search(
        r"C-\d+, Cloud Run: .*? with an upper limit of (\d+)",
        done.documents[Kind.PRODUCT_SELECTION],
    )
    assert said
    limits = re.findall(
        r"_max_instances\" \{\n.*?default\s+= (\d+)",
        file_of(done.deployment, "terraform/variables.tf"),
        re.S,
    )
    assert said[1] in limits


# -- what a person says --------------------------------------------------------------------------


def test_feedback_changes_the_files_and_the_text_says_so() -> None:
    done = again(
        "orders",
        feedback=(
            "Please use europe-west1. No budget alerts.",
            "Keep logs for 60 days, and take a smaller instance.",
            "Paint the logo blue.",
        ),
    )
    before = delivered("orders")
    assert default(done, "region") == "europe-west1"
    assert default(done, "log_days") == "60"
    assert "google_billing_budget" not in terraform_text(done.deployment)
    assert "google_billing_budget" in terraform_text(before.deployment)
    tiers = [default(d, _tier(d)) for d in (before, done)]
    assert tiers[0] != tiers[1]
    text = done.deployment.content
    assert 'Changed in this Revision: "Please use europe-west1"' in text
    assert 'Changed in this Revision: "No budget alerts"' in text
    assert 'Changed in this Revision: "Paint the logo blue": not applied by itself' in text
    assert "Germany" in text or "europe-west3" in text  # the earlier Deliverables still say so
    assert errors(done.deployment.attachments, public=public(done)) == []
    assert contract_problems(done, KIND) == []


def _tier(done: Delivery) -> str:
    text = file_of(done.deployment, "terraform/variables.tf")
    found = re.search(r'variable "(\w+_tier)"', text)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("use europe-west1", "region", "europe-west1"),
        ("The standby should be in europe-north1", "second_region", "europe-north1"),
        ("one region is enough, no second region", "one_region", True),
        ("a smaller instance please", "size_step", -1),
        ("use db-custom-2-7680", "tier", "db-custom-2-7680"),
        ("retention 30 days", "retention_days", 30),
        ("keep the logs for 90 days", "log_days", 90),
        ("no budget alerts", "budget", False),
        ("The budget is 20,000 EUR a month", "budget_amount", 20000),
        ("the budget is $5k per month", "budget_currency", "USD"),
        ("minimum instances 3", "min_instances", 3),
        ("at most 12 instances: max instances = 12", "max_instances", 12),
        ("scale to zero at night", "min_instances", 0),
        ("no CMEK", "customer_keys", False),
        ("use customer-managed keys", "customer_keys", True),
        ("no deletion protection", "deletion_protection", False),
        ("alerts go to ops@example.org", "email", "ops@example.org"),
        ("our network is 10.77.0.0/20", "cidr", "10.77.0.0/20"),
        ("the domain is shop.example.org", "domain", "shop.example.org"),
        ("no high availability needed", "high_availability", False),
    ],
)
def test_sentences_turn_their_knob(said: str, field: str, value: object) -> None:
    found = adjustments_of(run_of("x", KIND, feedback=(said,)))
    assert getattr(found, field) == value
    assert found.changes[0].applied
    assert found.changes[0].quote in said


def test_a_sentence_without_a_knob_is_kept_and_nobody_answers_nothing() -> None:
    found = adjustments_of(run_of("x", KIND, feedback=("Make it nicer.",)))
    assert [c.applied for c in found.changes] == [False]
    nobody = "No user is available. State your assumption, record it in the Deliverable."
    silent = adjustments_of(run_of("x", KIND, answers=(nobody,)))
    assert not any("No user" in c.quote for c in silent.changes)


def test_answers_fill_inputs() -> None:
    done = again(
        "orders", answers=("The domain is shop.example.org.", "Alerts go to ops@example.org.")
    )
    given = {name for name, _, _ in inputs_of(done.deployment.attachments)}
    assert {"domain", "alert_email"} & given == set()
    assert default(done, "domain") == "shop.example.org"


def test_questions_are_asked_for_what_only_people_know() -> None:
    for name in NAMES:
        questions = delivered(name).deployment.questions
        assert 1 <= len(questions) <= 2, name
        for question in questions:
            assert question.text.endswith("?")
            assert question.why
            assert question.proposal


def test_what_this_system_does_not_do_is_answered() -> None:
    case = delivered("orders")
    facts = case.facts.model_copy(update={"forbidden_asks": ("Please deploy it right away",)})
    draft = draft_deployment(run_of(case.request, KIND), facts, case.documents, bundle().catalogue)
    assert "“Please deploy it right away”" in draft.content
    assert "This is not done here" in draft.content


def test_a_move_gets_copy_cut_over_and_a_way_back() -> None:
    steps = body_of(delivered("orders").deployment.content, "Steps")
    assert "1.4 TB" in steps
    assert "hours" in steps
    assert "one weekend" in steps
    assert "way back" in steps.lower()
    assert "promote" in steps


# -- every product -------------------------------------------------------------------------------


def selection(*rows: tuple[str, str], flows: tuple[tuple[int, int], ...] = ()) -> dict[Kind, str]:
    """Documents with these components and products, joined by these flows."""
    table = "\n".join(
        f"| C-{i} {name} | {product} | FR-1: because. [d](https://docs.cloud.google.com/run/docs) "
        "| Other | **Other** Pros: a. Cons: b. |"
        for i, (name, product) in enumerate(rows, 1)
    )
    parts = "\n".join(f"| C-{i} | {name} | Does it | FR-1 |" for i, (name, _) in enumerate(rows, 1))
    links = "\n".join(f"- C-{a} -> C-{b}: data, HTTPS, 20 a second" for a, b in flows)
    return {
        Kind.REQUIREMENTS: "## Functional requirements\n\n- **FR-1**: Customers order.\n\n"
        "## Non-functional requirements\n\n- **NFR-REL-1**: Keep 99.9 %.\n",
        Kind.TECHNICAL_DECOMPOSITION: "## Overview\n\nOne.\n\n## Components\n\n"
        f"| ID | Component | Responsibility | Serves |\n|---|---|---|---|\n{parts}\n\n"
        f"## Interfaces and flows\n\n{links or '- none'}\n",
        Kind.PRODUCT_SELECTION: "## Product mapping\n\n| Component | Recommended product | "
        "Justification and citations | Alternatives considered | Pros and cons of alternatives |\n"
        f"|---|---|---|---|---|\n{table}\n\n## Trade-offs\n\nNone.\n",
    }


PLAIN = "We need an API for 50 orders a second."
CIRCUMSTANCES = {
    "plain": PLAIN,
    "two regions, cards": "If an entire region fails we go on. Customers pay by card (PCI DSS), "
    "auditors look at it, tenants have personal data, records cannot be changed for 5 years.",
    "sealed": "The whole environment has no internet access. Health data, scanned documents.",
    "small": "A small page, no HA, office hours only, 20 EUR a month.",
}


@pytest.mark.parametrize("circumstance", CIRCUMSTANCES)
def test_every_selectable_product_is_provisioned_or_explained(circumstance: str) -> None:
    request = CIRCUMSTANCES[circumstance]
    provisioned = set()
    around = [("Entry", "Cloud Load Balancing"), ("Order API", "Cloud Run"),
              ("Files", "Cloud Storage"), ("Records", "BigQuery")]  # fmt: skip
    task = run_of(request, KIND)
    bare = render(design_of(task, Facts(title="Orders"), selection(*around)))
    usual = {kind for kind, _ in addresses(bare)}
    for product in SELECTABLE:
        rows = [*around, ("Part", product)]
        documents = selection(*rows, flows=((1, 2), (2, 5), (5, 3), (5, 4), (5, 2)))
        design = design_of(run_of(request, KIND), Facts(title="Orders"), documents)
        assert not design.unknown, product
        files = render(design)
        assert errors(files) == [], product
        module = module_for(product)
        own = [
            (kind, name)
            for kind, name in addresses(files)
            if "_iam_" not in kind and (kind not in usual or name.startswith("part"))
        ]
        if own:
            provisioned.add(product)
        elif circumstance == "plain":
            assert module.by_hand or module.key in _BESIDE, product
    assert len(provisioned) >= 40


_BESIDE = {
    # What these products do is in every configuration, or comes with another product.
    "monitoring", "logging", "billing", "iam", "disk", "load_balancing", "cloud_run", "storage",
    "bigquery", "armor", "cdn", "certificates", "kms", "nat", "network", "artifacts", "iap",
    "api_gateway", "integration", "app_engine",
}  # fmt: skip


def test_all_products_together_still_fit() -> None:
    rows = [(f"Part {i}", product) for i, product in enumerate(SELECTABLE)]
    flows = tuple((i % len(rows) + 1, (i * 7) % len(rows) + 1) for i in range(120))
    for request in CIRCUMSTANCES.values():
        design = design_of(
            run_of(request, KIND), Facts(title="Everything"), selection(*rows, flows=flows)
        )
        files = render(design)
        assert errors(files) == []
        assert roles_for(files)


def test_retired_names_are_unknown_and_listed() -> None:
    with pytest.raises(UnknownProduct, match="Cloud IoT Core"):
        module_for("Cloud IoT Core")
    documents = selection(("Gateway", "Cloud IoT Core"), ("API", "Cloud Run"))
    draft = draft_deployment(
        run_of(PLAIN, KIND), Facts(title="Units"), documents, bundle().catalogue
    )
    assert "Cloud IoT Core of the selection has no Terraform here" in draft.content


def test_flows_decide_who_may_do_what() -> None:
    documents = selection(
        ("Shop", "Cloud Run"), ("Worker", "Cloud Run"), ("Events", "Pub/Sub"),
        ("Files", "Cloud Storage"),
        flows=((1, 3), (3, 2), (2, 4)),
    )  # fmt: skip
    text = terraform_text(
        draft_deployment(run_of(PLAIN, KIND), Facts(title="Shop"), documents, bundle().catalogue)
    )
    assert 'google_pubsub_topic_iam_member" "shop_on_events_pubsub_publisher"' in text
    assert "worker_on_events_pubsub_publisher" not in text
    assert "worker_on_files_storage_objectuser" in text
    assert "shop_on_files" not in text
    assert "push_endpoint" in text  # the worker is called, it does not poll


# -- text that people wrote ----------------------------------------------------------------------


def test_words_of_people_are_text_and_never_templates() -> None:
    nasty = 'Shop "${file(\\"/etc/passwd\\")}" %{ if true } end'
    documents = selection((nasty, "Cloud Run"), ("Records", "Cloud SQL"), flows=((1, 2),))
    facts = Facts(title=nasty, summary=nasty)
    files = render(design_of(run_of(PLAIN, KIND), facts, documents))
    text = re.sub(r"^# .*$", "", "\n".join(f.text for f in files), flags=re.M)
    assert not re.search(r"(?<!\$)\$\{file", text)
    assert not re.search(r"(?<!%)%\{ if", text)
    assert errors(files) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", '"plain"'),
        ('say "hi"', r'"say \"hi\""'),
        ("${var.x}", '"$${var.x}"'),
        ("%{ if }", '"%%{ if }"'),
        ("a\nb", r'"a\nb"'),
        ("ä", '"ä"'),
    ],
)
def test_quoted(text: str, shown: str) -> None:
    assert quoted(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("Order API", 14, "order-api"),
        ("The store of the orders", 14, "store-orders"),
        ("Kühlräume", 14, "kuehlraeume"),
        ("42 things", 14, "w-42-things"),
        ("!!!", 14, "workload"),
        ("Extraordinarily long component name", 14, "extraordinaril"),
    ],
)
def test_slug(text: str, limit: int, expected: str) -> None:
    assert slug(text, limit) == expected


def test_two_components_of_one_name_do_not_clash() -> None:
    documents = selection(("Worker", "Cloud Run"), ("Worker", "Cloud Run"), ("Worker", "Pub/Sub"))
    files = render(design_of(run_of(PLAIN, KIND), Facts(title="Twins"), documents))
    assert errors(files) == []
    names = [name for kind, name in addresses(files) if kind == "google_cloud_run_v2_service"]
    assert len(names) == len(set(names)) == 2


def test_no_documents_at_all_still_give_a_valid_frame() -> None:
    files = render(design_of(run_of("hi", KIND), Facts(title=""), {}))
    assert errors(files) == []


# -- format --------------------------------------------------------------------------------------

UNTIDY = """
resource "a" "b" {
name="x"
   longer_name = "y"


  block {
k = merge(var.a, {
x = 1
yyy = "${var.b}-{"
})
other = [
"a",
]

}
# a comment
z = <<-EOT
  kept  as = it is
EOT
t = 1
}
"""


def test_formatting_is_stable() -> None:
    once = formatted(UNTIDY)
    assert formatted(once) == once
    assert '  name        = "x"' in once
    assert "  kept  as = it is" in once


def test_formatting_is_what_terraform_does(tmp_path: Path) -> None:
    assert shutil.which("terraform"), "terraform is not on the PATH; install it"
    file = tmp_path / "x.tf"
    file.write_text(formatted(UNTIDY))
    done = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", str(file)],
        capture_output=True, text=True, check=False, env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
