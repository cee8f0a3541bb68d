"""Tests of what people see of a workload, and the short plan of a small hosted site."""

from __future__ import annotations

from collections.abc import Iterator

from agents.offline.facts import Workload
from agents.offline.pillars.values import values_of
from agents.offline.signals import Signal
from agents.offline.terraform.design import Design
from agents.offline.wording import clip

Test = tuple[str, tuple[str, ...]]
"""What is tested and the result that counts as passed, and the commands."""


def hosted(design: Design) -> Iterator[Test]:
    """What the owner of a small site can try without knowing the provider."""
    yield (
        "Every page answers over HTTPS with 200, under the own domain and under `web.app`, and "
        "carries the security headers.",
        ("curl -sI https://<your domain>/ | grep -iE 'HTTP|strict-transport|cache-control'",),
    )
    yield ("The address without `s` leads to the one with it.", ("curl -sI http://<your domain>/",))
    yield (
        "A change is public within a minute and can be taken back: publish a comma, see it, roll "
        "back in the console.",
        ('firebase deploy --only hosting --project "$PROJECT_ID"',),
    )
    if design.budget_units:
        yield (
            f"The budget of {values_of(design)['budget']} exists and its warnings reach a mailbox "
            "that somebody reads.",
            ('gcloud billing budgets list --billing-account="$BILLING_ACCOUNT"',),
        )


def use(design: Design) -> Iterator[Test]:
    """Tests of the kinds of workload, as their users would notice a fault."""
    brief, load, title = design.brief, design.brief.load, design.title
    if brief.works(Workload.RAG_ML):
        said = brief.says(r"known answers?|% right|quality|questions with")
        quoted = f" (“{clip(said, 100)}”)" if said else ""
        yield (
            f"Quality: run the set of known questions against the {title}{quoted}; below the "
            f"agreed share "
            "nothing is released, and questions without an answer in the documents get a refusal.",
            ("python evaluate.py --questions questions.csv --report report.json",),
        )
    if brief.has(Signal.PERMISSIONS):
        yield (
            f"Rights: two test people with different groups ask the same question of the "
            f"{title}; the one "
            "without the right gets neither the passage nor a hint of it.",
            ("python evaluate.py --questions rights.csv --as person-a,person-b",),
        )
    if brief.works(Workload.IOT):
        wave = (
            load.peak.shown
            if load.peak
            else (load.devices.shown if load.devices else "all devices")
        )
        yield (
            f"Reconnect wave: simulate {wave} against the gateway of the {title} after a "
            f"silence, and see that "
            "no buffered reading is lost and alarms still leave in time.",
            (
                "kubectl get pods --all-namespaces --field-selector=status.phase=Pending"
                if design.has("gke")
                else f"gcloud compute instance-groups managed list --filter='name:{design.prefix}'",
                f"gcloud pubsub subscriptions list --filter='name:{design.prefix}'",
            ),
        )
    if brief.has(Signal.TENANTS):
        yield (
            f"Tenants: a token of tenant A cannot read an id of tenant B in any call of the "
            f"{title}, and a "
            "tenant at its limit gets 429 while the others see no change in latency.",
            ('oha -z 5m -q 200 -H "Authorization: Bearer $TENANT_A_TOKEN" https://$DOMAIN/',),
        )
    if brief.works(Workload.STATIC_SITE):
        yield (
            f"Site: every page of the {title} answers over HTTPS with 200 or a wanted redirect, "
            f"and a repeated "
            "call is served from the cache (header `age`).",
            ("curl -sI https://$DOMAIN/ | grep -iE 'HTTP|age|strict-transport'",),
        )
