"""Provider bundles.

1. The Google Cloud bundle says what SPEC.md asks of it, and what it refers to exists.
2. Roles get their tools, servers and models; preview servers can be switched off.
3. Places of a request become regions.
4. A wrong file names file, line and key in one sentence.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import agents.runtime
from engine.deliverables import ORCHESTRATOR, PILLAR_ADVISOR, ROLES
from providers.bundle import PROJECT_ROOT, Bundle, BundleError, McpAuth, Tier, load_bundle

KNOWLEDGE = ("developer_knowledge",)
SERVERS = {
    "developer_knowledge",
    "resource_manager",
    "asset_inventory",
    "compute",
    "gke",
    "cloud_run",
    "cloud_sql",
    "storage",
    "pubsub",
    "iam",
    "monitoring",
    "network_intelligence",
}
WRITING = ("create", "delete", "update", "set", "deploy", "start", "stop", "patch", "apply", "add",
           "remove", "import", "export", "execute", "publish", "undelete", "reset")  # fmt: skip


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT_ROOT / "providers", tmp_path / "providers")
    return tmp_path


def test_the_bundle_says_what_the_rest_reads(bundle: Bundle) -> None:
    assert (bundle.name, bundle.title) == ("gcp", "Google Cloud")
    assert bundle.mcp_auth is McpAuth.GOOGLE_ADC
    assert bundle.skills_paths == (
        PROJECT_ROOT / "skills" / "vendor" / "google",
        PROJECT_ROOT / "skills",
    )
    assert bundle.output_template_path.is_file()
    assert "docs.cloud.google.com" in bundle.docs_hosts


def test_tiers_are_those_of_the_agent_runtime() -> None:
    assert {tier.value for tier in Tier} == {tier.value for tier in agents.runtime.Tier}


def test_models(bundle: Bundle) -> None:
    flash = {PILLAR_ADVISOR, "diagrammer"}
    for role in ROLES:
        wanted = "gemini/gemini-2.5-flash" if role in flash else "gemini/gemini-2.5-pro"
        assert bundle.model_for(role) == wanted
    assert bundle.model_for("packager", "openai/x") == "openai/x"


def test_tools_by_role_and_tier(bundle: Bundle) -> None:
    def tools(role: str) -> dict[str, Tier]:
        return {tool.name: tool.tier for tool in bundle.tools_for(role)}

    general, cloud_read = Tier.GENERAL, Tier.CLOUD_READ
    assert tools("diagrammer") == {"mermaid_check": general}
    assert tools("iac-author") == dict.fromkeys(
        ("terraform_fmt", "terraform_validate", "iac_schema_check", "iac_policy_check"), general
    )
    assert tools("validator") == {
        "terraform_validate": general,
        "iac_schema_check": general,
        "iac_policy_check": general,
        "terraform_plan": cloud_read,
    }
    assert tools(ORCHESTRATOR) == {}


def test_servers(bundle: Bundle) -> None:
    assert set(bundle.mcp_servers) == SERVERS
    for name, server in bundle.mcp_servers.items():
        assert server.name == name
        assert (urlsplit(server.url).hostname or "").endswith(".googleapis.com")
        assert server.url.endswith("/mcp")
        assert server.tier is (Tier.GENERAL if name in KNOWLEDGE else Tier.CLOUD_READ)
        assert server.source.startswith("https://")
    preview = {name for name, server in bundle.mcp_servers.items() if server.preview}
    assert preview == {"asset_inventory", "network_intelligence"}


def test_only_tools_whose_name_reads_are_allowed(bundle: Bundle) -> None:
    for server in bundle.mcp_servers.values():
        assert len(set(server.allow)) == len(server.allow)
        for tool in server.allow:
            assert not tool.startswith(WRITING), (server.name, tool)


def test_servers_by_role(bundle: Bundle) -> None:
    def names(role: str, declared: tuple[str, ...] = ()) -> tuple[str, ...]:
        return tuple(server.name for server in bundle.servers_for(role, declared))

    for role in ("product-selector", "describer", "design-advisor", PILLAR_ADVISOR):
        assert names(role, ("compute",)) == KNOWLEDGE
    assert names("validator") == ("iam", "network_intelligence")
    assert set(names("requirements-analyst")) == SERVERS - {*KNOWLEDGE, "network_intelligence"}
    assert names("packager") == ()
    assert names("packager", ("compute", "unheard_of")) == ("compute",)


def test_preview_servers_can_be_switched_off() -> None:
    bundle = load_bundle(enable_preview=False)
    assert set(bundle.mcp_servers) == SERVERS - {"asset_inventory", "network_intelligence"}
    assert [server.name for server in bundle.servers_for("validator")] == ["iam"]


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("Frankfurt", "europe-west3"),
        ("frankfurt  am Main", "europe-west3"),
        ("Germany", "europe-west3"),
        ("Berlin", "europe-west10"),
        ("Zürich", "europe-west6"),
        ("Zurich", "europe-west6"),
        ("the Netherlands", "europe-west4"),
        ("São Paulo", "southamerica-east1"),
        ("us-central1", "us-central1"),
        ("Iowa", "us-central1"),
        ("Japan", "asia-northeast1"),
        ("Osaka", "asia-northeast2"),
        ("Hong Kong", "asia-east2"),
        ("Montreal", "northamerica-northeast1"),
    ],
)
def test_a_place_becomes_a_region(bundle: Bundle, text: str, region: str) -> None:
    found = bundle.region(text)
    assert found is not None
    assert found.id == region


@pytest.mark.parametrize("text", ["", "Atlantis", "Europe", "Frank"])
def test_no_region_is_guessed(bundle: Bundle, text: str) -> None:
    assert bundle.region(text) is None


def test_regions_named_in_a_text(bundle: Bundle) -> None:
    text = (
        "Data stays in Frankfurt (europe-west3); a copy goes to Zürich. Frankfurter is a sausage."
    )
    assert [region.id for region in bundle.regions_in(text)] == ["europe-west3", "europe-west6"]
    assert bundle.regions_in("xeurope-west3 and europe-west3-a are no regions") == ()


def test_regions_are_plausible(bundle: Bundle) -> None:
    ids = [region.id for region in bundle.regions]
    assert len(set(ids)) == len(ids) >= 40
    low = {region.id for region in bundle.regions if region.low_carbon}
    assert {"europe-north1", "us-central1"} <= low
    assert "europe-west3" not in low
    for region in bundle.regions:
        assert bundle.region(region.id) is region


def test_a_bundle_cannot_be_changed(bundle: Bundle) -> None:
    with pytest.raises(ValueError, match="frozen"):
        bundle.name = "other"  # type: ignore[misc]


def test_paths_follow_the_root(root: Path) -> None:
    bundle = load_bundle(root=root)
    assert bundle.skills_paths[0] == root / "skills" / "vendor" / "google"
    assert len(bundle.catalogue) > 100


@pytest.mark.parametrize("name", ["azure", "../gcp", "", "GCP/x"])
def test_an_unknown_bundle_says_which_exist(name: str) -> None:
    with pytest.raises(BundleError, match=r"choose one of: gcp\.$"):
        load_bundle(name)


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ("mcp_auth: google_adc", "mcp_auht: google_adc", "mcp_auht", "not a known key"),
        ("mcp_auth: google_adc", "mcp_auth: magic", "mcp_auth", "'google_adc'"),
        ("title: Google Cloud\n", "", "title", "is missing"),
        ("name: gcp", "name: gpc", "name", "must be 'gcp'"),
        ("    diagrammer: gemini", "    diagramer: gemini", "models.roles.diagramer", "not a role"),
        ("diagrammer: [mermaid_check]", "diagrammer: [mermaid]", "role_tools.diagrammer.0",
         "'mermaid' is not declared"),
        ("cloud_read: [terraform_plan]", "cloud_read: [terraform_fmt]", "tools.cloud_read.0",
         "has a tier already"),
        ("validator: [iam, network", "validator: [iamm, network", "role_mcp_servers.validator.0",
         "'iamm'"),
        ("https://run.googleapis.com/mcp", "http://run.googleapis.com/mcp",
         "mcp_servers.cloud_run.url", "pattern"),
        ("allow: [list_buckets]", "allow: []", "mcp_servers.storage.allow", "at least 1"),
        ("id: europe-west10", "id: europe-west3", "regions.1.id", "stands twice"),
        ("gcp/products.yaml", "gcp/product.yaml", "catalogue", "there is no file"),
        ("    preview: true\n", "    preview: true\n    preview: no\n", "preview", "stands twice"),
    ],
)  # fmt: skip
def test_a_wrong_key_names_file_line_and_key(
    root: Path, old: str, new: str, key: str, says: str
) -> None:
    file = root / "providers" / "gcp.yaml"
    text = file.read_text("utf-8")
    assert old in text
    wrong = text.replace(old, new, 1)
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(BundleError) as caught:
        load_bundle(root=root)
    error = caught.value
    assert error.key == key
    assert says in error.problem
    assert error.line is not None
    assert str(error).startswith(f"{file}, line {error.line}: key '{key}'")
    assert "\n" not in str(error)
    if key.rsplit(".", 1)[-1].isalpha() and "missing" not in says:
        assert key.rsplit(".", 1)[-1] in wrong.splitlines()[error.line - 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must be a mapping"),
        ("- a\n", "must be a mapping"),
        ("name: [gcp\n", "is not YAML"),
        ("name: \x00", "is not YAML"),
    ],
)
def test_a_file_that_is_no_bundle(root: Path, text: str, says: str) -> None:
    file = root / "providers" / "gcp.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BundleError, match=says) as caught:
        load_bundle(root=root)
    assert caught.value.file == file


def test_bytes_that_are_no_text(root: Path) -> None:
    (root / "providers" / "gcp.yaml").write_bytes(b"\xff\xfe\x00name")
    with pytest.raises(BundleError, match="cannot be read"):
        load_bundle(root=root)
