"""The product catalogue.

1. Counts, uniqueness and references hold; what is written is written whole.
2. Terraform types and documentation hosts exist for the rest of the system.
3. ``find`` knows every spelling; ``mentions`` finds products in prose and nothing in common words,
   addresses, identifiers or other vendors' names.
4. A wrong entry names file, line and key.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agents.tools.schema_table import load_table
from providers.bundle import Bundle, BundleError, load_bundle
from providers.catalogue import Capability, Catalogue, FloorCost, Status
from providers.yaml_file import YamlFile

HEAD = "other_vendors: [AWS]\nproducts:\n"
ONE = """- name: Alpha Store
  category: storage
  capabilities: [object-storage]
  good_for: objects
  not_for: tables
  floor_cost: none
  docs: https://docs.example.com/alpha
  alternatives:
  - {name: Beta Base, pros: has tables, cons: costs more}
- name: Beta Base
  category: databases
  capabilities: [relational-db]
  good_for: tables
  not_for: objects
  floor_cost: low
  docs: https://docs.example.com/beta
  alternatives:
  - {name: Alpha Store, pros: is cheap, cons: has no tables}
"""


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle()


@pytest.fixture(scope="module")
def catalogue(bundle: Bundle) -> Catalogue:
    return bundle.catalogue


def load(tmp_path: Path, text: str) -> Catalogue:
    file = tmp_path / "products.yaml"
    file.write_text(text, encoding="utf-8")
    return Catalogue.load(YamlFile(file))


def named(catalogue: Catalogue, text: str) -> list[str]:
    return [mention.product.name for mention in catalogue.mentions(text)]


def test_it_is_large_enough_to_choose_from(catalogue: Catalogue) -> None:
    status = Counter(product.status for product in catalogue.products)
    assert status[Status.ACTIVE] >= 90
    assert status[Status.RETIRED] + status[Status.DEPRECATED] >= 15
    assert len(catalogue.retired()) == status[Status.RETIRED] + status[Status.DEPRECATED]


def test_names_and_spellings_belong_to_one_product(catalogue: Catalogue) -> None:
    owners: dict[str, set[str]] = {}
    for product in catalogue.products:
        for spelling in product.spellings:
            owners.setdefault(spelling.casefold(), set()).add(product.name)
    assert [spelling for spelling, names in owners.items() if len(names) > 1] == []
    assert len({product.name for product in catalogue.products}) == len(catalogue)


def test_what_retired_products_point_to_can_be_chosen(catalogue: Catalogue) -> None:
    for product in catalogue.retired():
        assert product.successor is not None
        assert catalogue[product.successor].status.selectable, product.name
        if product.retired_on is not None:
            assert product.status is Status.RETIRED
            assert product.retired_on < date(2026, 12, 1)


def test_the_retirements_that_people_still_ask_for_are_known(catalogue: Catalogue) -> None:
    successors = {product.name: product.successor for product in catalogue.retired()}
    assert successors["Container Registry"] == "Artifact Registry"
    assert successors["Cloud IoT Core"] == "Pub/Sub"
    assert successors["Pub/Sub Lite"] == "Managed Service for Apache Kafka"
    assert successors["Deployment Manager"] == "Infrastructure Manager"
    assert successors["Classic VPN"] == "Cloud VPN"
    assert successors["Cloud Source Repositories"] == "Secure Source Manager"
    assert successors["Data Catalog"] == "Knowledge Catalog"
    assert successors["Memorystore for Memcached"] == "Memorystore for Valkey"


def test_alternatives_can_be_chosen_and_say_something_of_their_own(catalogue: Catalogue) -> None:
    sentences: Counter[str] = Counter()
    for product in catalogue.products:
        for option in product.alternatives:
            assert catalogue[option.name].status.selectable, (product.name, option.name)
            assert len(option.pros.split()) >= 3, (product.name, option.pros)
            assert len(option.cons.split()) >= 3, (product.name, option.cons)
            sentences.update((option.pros, option.cons))
    assert [text for text, count in sentences.items() if count > 2] == []


def test_a_choice_has_what_choosing_needs(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        if product.status.selectable:
            assert product.limits, product.name
            assert product.docs is not None
            assert product.good_for != product.not_for
            assert all(value >= 0 for value in product.figures.values()), product.name


def test_every_capability_has_a_product(catalogue: Catalogue) -> None:
    without = {tag for tag in Capability if not catalogue.with_capability(tag)}
    # Nothing that may be chosen brokers devices any more; the tag stays for what did.
    assert without == {Capability.IOT_INGEST}
    everywhere = catalogue.with_capability(Capability.IOT_INGEST, selectable=False)
    assert [product.name for product in everywhere] == ["Cloud IoT Core"]


def test_several_capabilities_are_asked_for_together(catalogue: Catalogue) -> None:
    both = catalogue.with_capability(Capability.RELATIONAL_DB, Capability.MYSQL)
    assert [product.name for product in both] == ["Cloud SQL"]


def test_documentation_is_on_the_hosts_that_count_as_citations(bundle: Bundle) -> None:
    for product in bundle.catalogue.products:
        for url in (product.docs, product.source):
            if url is not None:
                assert urlsplit(url).hostname in bundle.docs_hosts, (product.name, url)


def test_terraform_types_exist_in_the_provider(catalogue: Catalogue) -> None:
    known = load_table().types("resource")
    for product in catalogue.products:
        assert [kind for kind in product.terraform if kind not in known] == [], product.name


def test_floor_costs_compare() -> None:
    assert [cost.rank for cost in FloorCost] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Cloud Run", "Cloud Run"),
        ("cloud  run", "Cloud Run"),
        ("GKE", "Google Kubernetes Engine"),
        ("gke autopilot", "Google Kubernetes Engine"),
        ("Cloud SQL for PostgreSQL", "Cloud SQL"),
        ("Cloud SQL — PostgreSQL 16, high availability", "Cloud SQL"),
        ("Cloud SQL (HA, 4 vCPU)", "Cloud SQL"),
        ("Vertex AI", "Gemini Enterprise Agent Platform"),
        ("Vertex AI Feature Store (Legacy)", "Vertex AI Feature Store (Legacy)"),
        ("VPC", "Virtual Private Cloud"),
        ("Workflows", "Workflows"),
        ("Looker Studio", "Data Studio"),
    ],
)
def test_find(catalogue: Catalogue, text: str, name: str) -> None:
    found = catalogue.find(text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("text", ["", "Kubernetes", "a database", "Cloud", "Cloud Runner"])
def test_find_nothing(catalogue: Catalogue, text: str) -> None:
    assert catalogue.find(text) is None


def test_every_spelling_is_found_and_those_meant_for_prose_are_recognised(
    catalogue: Catalogue,
) -> None:
    for product in catalogue.products:
        for spelling in product.spellings:
            assert catalogue.find(spelling) is product, spelling
            if spelling not in product.lookup_only:
                assert named(catalogue, f"We run {spelling}, today.") == [product.name], spelling


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Orders go to BigQuery and stay there.", ["BigQuery"]),
        ("we load it into bigquery every night", ["BigQuery"]),
        ("Cloud SQL/Spanner", ["Cloud SQL", "Spanner"]),
        ("(Pub/Sub)", ["Pub/Sub"]),
        ("pubsub", ["Pub/Sub"]),
        ("**GKE**-based services", ["Google Kubernetes Engine"]),
        ("a GKE-based service", ["Google Kubernetes Engine"]),
        ("| C-1 | Cloud Run | Cloud\nStorage |", ["Cloud Run", "Cloud Storage"]),
        ("Devices speak to Cloud IoT Core.", ["Cloud IoT Core"]),
        ("Push to Container Registry.", ["Container Registry"]),
    ],
)
def test_products_named_in_prose(catalogue: Catalogue, text: str, names: list[str]) -> None:
    assert named(catalogue, text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Cloud Run functions", ["Cloud Run functions"]),
        ("Cloud Run jobs and Cloud Run", ["Cloud Run jobs", "Cloud Run"]),
        ("Pub/Sub Lite, not Pub/Sub", ["Pub/Sub Lite", "Pub/Sub"]),
        (
            "Cloud Composer 1 or Cloud Composer",
            ["Cloud Composer 1", "Managed Service for Apache Airflow"],
        ),
        ("Vertex AI Search beside Vertex AI", ["Agent Search", "Gemini Enterprise Agent Platform"]),
        ("BigQuery Data Transfer Service", ["BigQuery Data Transfer Service"]),
        ("Memorystore for Redis Cluster", ["Memorystore for Redis Cluster"]),
    ],
)
def test_the_longest_name_wins(catalogue: Catalogue, text: str, names: list[str]) -> None:
    assert named(catalogue, text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Functions run in storage; a spanner lies on the batch of workflows.",
        "cloud storage of any vendor, cloud run by others, cloud functions in general",
        "An API gateway with IAM roles in our VPC, and an Application Load Balancer",
        "Error Reporting and Application Integration are headings.",
        "Workflows are described below.",
        "Azure Container Registry, AWS Secrets Manager, AWS Database Migration Service",
        "the AWS Glue Data Catalog",
        "https://docs.cloud.google.com/bigquery/docs and bigquery.googleapis.com",
        "google_bigquery_dataset and roles/bigquery.dataViewer",
        "the clusters gke-prod and old-gke",
        "SubBigQueryX, Cloud SQLite",
    ],
)
def test_common_words_and_others_names_are_no_products(catalogue: Catalogue, text: str) -> None:
    assert named(catalogue, text) == []


def test_a_mention_says_where_it_stands(catalogue: Catalogue) -> None:
    text = "From Cloud\n  SQL to GCS."
    first, second = catalogue.mentions(text)
    assert (first.product.name, text[first.start : first.end]) == ("Cloud SQL", first.text)
    assert (second.product.name, second.text) == ("Cloud Storage", "GCS")
    assert first.end <= second.start


def test_a_small_catalogue_loads(tmp_path: Path) -> None:
    small = load(tmp_path, HEAD + ONE)
    assert len(small) == 2
    assert small["Beta Base"].can(Capability.RELATIONAL_DB)
    assert named(small, "AWS Alpha Store, Alpha Store") == ["Alpha Store"]
    with pytest.raises(KeyError):
        small["Gamma"]


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("  good_for: objects", "  goodfor: objects", 6, "products.0.goodfor", "not a known key"),
        ("  category: storage\n", "", 3, "products.0.category", "is missing"),
        ("[object-storage]", "[object-store]", 5, "products.0.capabilities.0", "Input should be"),
        ("{name: Beta Base,", "{name: Gamma,", 11, "products.0.alternatives.0.name", "'Gamma'"),
        (
            "- name: Beta Base",
            "- name: alpha store",
            12,
            "products.1.name",
            "belongs to Alpha Store already",
        ),
        ("  not_for: tables\n", "", 3, "products.0", "lacks not_for"),
        ("  not_for: tables", "  good_for: tables", 7, "good_for", "stands twice"),
        ("category: storage", "status: retired\n  category: storage", 3, "products.0", "successor"),
        (
            "category: storage",
            "successor: X\n  category: storage",
            4,
            "products.0.successor",
            "'X'",
        ),
    ],
)
def test_a_wrong_entry_names_file_line_and_key(
    tmp_path: Path, old: str, new: str, line: int, key: str, says: str
) -> None:
    text = HEAD + ONE
    assert old in text
    with pytest.raises(BundleError) as caught:
        load(tmp_path, text.replace(old, new, 1))
    error = caught.value
    assert (error.line, error.key) == (line, key)
    assert says in error.problem
    assert str(error).startswith(f"{tmp_path / 'products.yaml'}, line {line}: key '{key}'")
    assert "\n" not in str(error)
