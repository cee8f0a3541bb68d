"""What decides between products of one group, as rules over the request's facts.

A rule says how many points a fact gives or takes, in words that can stand in a justification.
Products are told apart by their capabilities; by name only where two have the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.offline.brief import Brief
from agents.offline.patterns_industry import egress, heavy_video
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import DATA_RULES
from agents.offline.scoring_moves import MOVE_RULES
from agents.offline.scoring_runtime import RUNTIME_RULES
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

S = Signal
C = Capability


def _entry(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.GLOBAL_LOAD_BALANCING):
        if b.has(S.TWO_REGIONS):
            return Reason(
                2,
                f"one address fails over between regions (“{b.quote(S.TWO_REGIONS, limit=80)}”)",
                b.signal_ids(S.TWO_REGIONS),
            )
        return Reason(1, f"health checks take a failed instance out for {setting.brief.core_short}")
    return None


def _delivery(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.STATIC_HOSTING):
        if Part.PUBLIC_ENTRY in setting.parts:
            return Reason(
                -3,
                (
                    "it would be a second front door beside the load balancer that the "
                    "application needs"
                ),
            )
        return Reason(
            3,
            ("hosting, certificate and cache come as one, with no load balancer to pay for"),
            b.ids_in("COST"),
        )
    if Part.PUBLIC_ENTRY in setting.parts:
        heavy = heavy_video(b)
        if "Media" in product.name:
            return Reason(
                2.5 if heavy else -2,
                f"it is made for video at high volume ({egress(b)[1] or 'live viewers'})"
                if heavy
                else "it pays off for films at high volume, of which the request says nothing",
            )
        return Reason(
            2 if not heavy else 1,
            f"it is switched on at the load balancer that carries {b.core_short}",
        )
    return Reason(-1, "it needs a load balancer that nothing else here needs")


def _site(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.CDN):
        return Reason(
            2,
            "each release is one step and the last one can be taken back",
            setting.brief.ids_in("OPS"),
        )
    return None


def _gateway(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.name == "Apigee":
        return Reason(
            0.8,
            (
                "plans, developer portal and analytics of callers are built in "
                f"(“{b.quote(S.KEY_QUOTAS, limit=70)}”)"
            ),
            b.signal_ids(S.KEY_QUOTAS),
        )
    return Reason(
        0.8,
        "keys and quotas per consumer need no further platform",
        b.signal_ids(S.KEY_QUOTAS),
    )


def _identity(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    outside = (
        not b.insiders()
        or b.has(S.TENANTS)
        or bool(b.says(r"customers|patients|citizens|viewers|tenants"))
    )
    if product.can(C.IDENTITY_END_USER):
        if outside:
            words = b.quote(S.OWN_DIRECTORY, limit=80)
            text = (
                (
                    "it signs in people outside the organisation, also through their own "
                    f"providers (“{words}”)"
                )
                if words
                else (f"it signs in {b.people[0].lower()} with accounts")
            )
            return Reason(
                3, text, b.signal_ids(S.OWN_DIRECTORY) or b.ids_matching(r"sign|log in|account")
            )
        return Reason(-1, "it is made for customers, while only staff sign in here")
    if outside:
        return Reason(-2, "it guards applications for staff, not for customers")
    return Reason(
        3,
        (
            "staff sign in with the directory they have "
            f"(“{b.quote(S.OWN_DIRECTORY, 'the staff directory', 80)}”)"
        ),
        b.signal_ids(S.OWN_DIRECTORY),
    )


def _link(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    name = product.name.lower()
    stored = b.load.stored.value if b.load.stored and b.load.stored.value else 0
    heavy = stored > 20e12 or b.load.nightly_bytes > 1e12
    lasting = bool(
        b.says(
            r"stays where it is|stays? on[- ]prem|hybrid|calls from the office|private "
            r"link|leased line"
        )
    )
    if "vpn" in name:
        points = 0.5 if heavy else 2.0
        return Reason(
            points,
            (
                "an encrypted tunnel is there within days and carries the move of "
                f"{b.load.stored.text if b.load.stored else 'the data'}"
            ),
            b.ids_of(b.load.stored),
        )
    if "interconnect" in name:
        if heavy or (lasting and b.has(S.CARDS)):
            return Reason(2.2, "a line of its own gives steady bandwidth for what stays outside")
        return Reason(
            -0.5,
            "a line of its own takes weeks to order and costs hundreds a month even when quiet",
        )
    return Reason(-1, "it is no line to an outside network by itself")


def _exit(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.POLICY) and b.has(S.SEALED):
        return Reason(
            4,
            f"it lets named hosts through and nothing else (“{b.quote(S.SEALED, limit=80)}”)",
            b.signal_ids(S.SEALED),
        )
    if product.can(C.NAT) and b.has(S.SEALED):
        return Reason(
            -2,
            f"it lets any outside host be reached, against “{b.quote(S.SEALED, limit=80)}”",
            b.signal_ids(S.SEALED),
        )
    return None


def _queue(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.TASK_QUEUE):
        if setting.part is Part.WEBHOOKS:
            said = b.says(r"retries|retry")
            return Reason(
                2,
                f"each receiver gets a queue with its own pace and retries{b.told(said, 70)}",
                b.ids_for(said, limit=1),
            )
        return Reason(
            1.5,
            ("rate and retries are set for each queue, and each task can be delayed or named"),
        )
    return Reason(
        0.5 if b.load.items and b.load.items.value > 400 else -0.3,
        "it spreads to many readers, but cannot slow down for one of them",
    )


def _masking(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SPARK) and not product.can(C.DATA_WAREHOUSE):
        return Reason(-0.5, "cluster sizing would be the team's own work")
    if product.can(C.DLP):
        return Reason(
            1,
            f"it knows the forms of personal data that {b.rules or 'the law'} protects",
            b.ids_matching(r"personal|GDPR|HIPAA|mask"),
        )
    return None


def _build(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    said = b.says(r"several times a day|\breleases?\b")
    if "deploy" in product.name.lower():
        return Reason(0.5, f"staged rollouts with approval and roll-back{b.told(said, 60)}")
    return Reason(
        1.0,
        f"each change to what serves {b.core_short} is tested and built in a clean place",
        b.ids_for(said, limit=1) if said else b.ids_in("OPS")[:1],
    )


def _tag(capability: C, points: float, words: Callable[[Brief], str]) -> Rule:
    """A rule for groups that one capability settles."""

    def rule(setting: Setting, product: Product) -> Reason | None:
        if capability not in product.capabilities:
            return None
        b = setting.brief
        return Reason(points, words(b), b.ids_matching(setting_words(setting), limit=1))

    return rule


def setting_words(setting: Setting) -> str:
    """The words by which requirements of a part are found."""
    from agents.offline.patterns import REGISTRY

    return REGISTRY[setting.part].nfr or REGISTRY[setting.part].words


def _filter(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.WAF):
        why = f", in line with {setting.brief.rules}" if setting.brief.rules else ""
        return Reason(
            1.5,
            f"rules and rate limits act at the entry{why}",
            setting.brief.ids_matching(r"PCI|attack|HIPAA|SOC|GDPR", limit=1),
        )
    return None


RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.ENTRY: (_entry,),
    Group.FILTER: (_filter,),
    Group.DELIVERY: (_delivery,),
    Group.SITE: (_site,),
    Group.API: (_gateway,),
    Group.IDENTITY: (_identity,),
    Group.LINK: (_link,),
    Group.EXIT: (_exit,),
    Group.QUEUE: (_queue,),
    Group.MASKING: (_masking,),
    Group.BUILD: (_build,),
    Group.SECRETS: (
        _tag(
            C.SECRET,
            1.0,
            lambda b: "access to each secret is granted to one identity and logged",
        ),
    ),
    Group.KEYS: (
        _tag(
            C.KEY_MANAGEMENT,
            1.0,
            lambda b: (
                "keys can be rotated and withdrawn by the owner"
                + (f", in line with {b.rules}" if b.rules else "")
            ),
        ),
    ),
    Group.PERIMETER: (
        _tag(
            C.SERVICE_PERIMETER,
            1.0,
            lambda b: "a stolen credential alone cannot copy data out",
        ),
    ),
    Group.AUDIT: (
        _tag(
            C.AUDIT,
            1.0,
            lambda b: (
                "who read or changed what is recorded outside the reach of the "
                f"application (“{b.quote(S.AUDITED, b.subject, 80)}”)"
            ),
        ),
    ),
    **RUNTIME_RULES,
    **MOVE_RULES,
    **DATA_RULES,
}
