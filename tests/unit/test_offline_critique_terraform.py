"""What a customer found wrong in Terraform, steps and verdicts, kept right by kind."""

from __future__ import annotations

import re

import pytest

from agents.offline.pillars.rules import rules_of
from agents.offline.terraform import places
from engine.deliverables import Pillar
from tests.support.offline_delivery import delivered, terraform_text

NAMES = ("orders", "clicks", "saas", "club")


@pytest.mark.parametrize("name", NAMES)
def test_rules_against_attacks_come_before_the_throttle(name: str) -> None:
    text = terraform_text(delivered(name).deployment)
    rules = re.findall(r'action\s+= "(throttle|deny\(403\))"\s+priority\s+= (\d+)', text)
    denied = [int(p) for action, p in rules if action.startswith("deny")]
    throttled = [int(p) for action, p in rules if action == "throttle"]
    if denied and throttled:
        assert max(denied) < min(throttled)
    if name == "orders":
        assert denied
        assert throttled


@pytest.mark.parametrize("name", NAMES)
def test_no_step_gives_a_value_that_the_next_apply_loses(name: str) -> None:
    assert not re.search(r"terraform apply\b[^\n]*-var", delivered(name).deployment.content)


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_one_streaming_writer(name: str) -> None:
    text = terraform_text(delivered(name).deployment)
    tables = re.findall(r"outputTableSpec\s+= (.+)", text)
    assert len(tables) == len(set(tables))
    assert "_dead.id" not in "".join(re.findall(r"inputSubscription\s+= (.+)", text))


@pytest.mark.parametrize("name", NAMES)
def test_a_verdict_claims_no_more_than_was_checked(name: str) -> None:
    content = delivered(name).validation.content
    verdict = content.split("## Verdict")[1].split("## Validation plan")[0]
    assert "Passed what could be checked here" in verdict
    assert "not checked: " in verdict
    for address in re.findall(r": met by `([a-z_]+)\.", content):
        assert not address.startswith(("google_monitoring", "google_billing"))


def test_a_configuration_across_regions_is_real_or_said_to_be_missing() -> None:
    assert places.spanner_config("europe-west1", "europe-west4") == ("eur3", True)
    assert places.spanner_partner("europe-west3") == "europe-west10"
    assert places.spanner_partner("europe-west4") in {"europe-west1", "europe-west3"}
    toronto, montreal = "northamerica-northeast2", "northamerica-northeast1"
    assert places.spanner_partner(toronto) is None
    assert places.spanner_config(toronto, montreal) == (f"regional-{toronto}", False)


def test_a_hosted_site_has_advice_of_its_own_in_every_pillar() -> None:
    for pillar in Pillar:
        own = [r for r in rules_of(pillar) if "hosted" in r.when]
        others = [r for r in rules_of(pillar) if not r.products and "!hosted" in r.when]
        assert len(own) >= 2, pillar
        for rule in own:
            assert not re.search(r"backup of|standby for|row counts|bucket", rule.text), rule.id
        assert not {r.id for r in own} & {r.id for r in others}
