"""What decides between products of one group, as rules over the request's facts.

A rule says how many points a fact gives or takes, in words that can stand in a justification.
Products are told apart by their capabilities; by name only where two have the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.offline.brief import Brief
from agents.offline.facts import Measure, Workload
from agents.offline.load import aim, number
from agents.offline.patterns_model import Part
from agents.offline.scoring_data import DATA_RULES
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.selection_slots import inbound_files, legacy, video
from agents.offline.signals import Signal
from providers.catalogue import Capability as C
from providers.catalogue import Product

S = Signal
_HELM = r"daemonset|helm|operators?,|custom resource|service mesh|stateful ?set"
_OWN_HOSTS = r"weblogic|websphere|windows server|\.NET framework|kernel|appliance|licen[cs]ed software"


def _kubernetes(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    cluster = product.can(C.CONTAINER_ORCHESTRATION)
    if b.has(S.NO_KUBERNETES) and cluster:
        return Reason(-8, f"the request says “{b.quote(S.NO_KUBERNETES, limit=90)}”", b.signal_ids(S.NO_KUBERNETES))
    if b.has(S.KUBERNETES):
        words = b.quote(S.KUBERNETES, limit=90)
        ids = b.signal_ids(S.KUBERNETES)
        few = b.load.team is not None and b.load.team <= 8
        if cluster:
            alone = b.has(S.NO_ON_CALL) or (b.load.team is not None and b.load.team <= 3)
            if few and alone:
                who = b.quote(S.NO_ON_CALL, f"a team of {number(b.load.team or 0)}", 60)
                return Reason(-1.0, f"the cluster that exists (“{words}”) has other owners, and here it is “{who}”", ids)
            points = 1.5 if few else 5.0
            return Reason(points, f"Kubernetes is in use already (“{words}”), so skills and manifests carry over", ids)
        stays = b.says(_HELM)
        if stays and not few and product.can(C.CONTAINER_SERVERLESS):
            return Reason(-3, f"it runs no operators or node agents, and “{b.excerpt(stays, 80)}”", b.ids_for(stays, limit=1))
        return None
    if cluster and setting.slot.group is not Group.DEVICES:
        team = b.load.team
        who = f"a team of {number(team)}" if team else "a team that names no such skill"
        return Reason(-2.5 if b.small_team or b.tiny else -1.2,
                      f"a cluster needs upgrades, node and network policies, and the request shows {who}",
                      b.ids_matching(r"team|operat|on-call"))
    return None


def _runtime(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    serverless = product.can(C.CONTAINER_SERVERLESS)
    if legacy(b) and setting.part in (Part.API, Part.WEB_FRONT, Part.WORKER, Part.WORKLOAD_MOVE):
        said = b.says(_OWN_HOSTS) or b.says(r"rewrit")
        words, ids = b.excerpt(said, 90), b.ids_for(said, limit=1)
        if product.can(C.VM):
            return Reason(7, f"the programs run there as they are (“{words}”)", ids)
        if serverless or product.can(C.FUNCTIONS):
            return Reason(-5, f"it takes Linux containers only, and “{words}”", ids)
    if serverless:
        if setting.slot.group is Group.SERVICE and b.load.front_peak and b.load.times:
            return Reason(2.2, f"it follows {b.front} without a cluster, adding and removing instances by itself",
                          b.ids_of(b.load.front_peak.figure))
        if b.load.team:
            return Reason(2.0, f"a team of {number(b.load.team)} has no machines to patch", b.ids_matching(r"team|operat"))
        return Reason(1.8, f"nothing has to be patched or sized in advance for {b.core_short}")
    if product.can(C.FUNCTIONS):
        return Reason(-0.6, "a service with several routes and its own libraries outgrows a single handler")
    if product.can(C.VM) and not product.can(C.CONTAINER_ORCHESTRATION):
        return Reason(-1.5, "images, patches and rollouts would be the team's own work")
    return None


def _steady(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rate = b.load.steady or b.load.items
    if rate is None or rate.value < 5_000 or not product.can(C.CONTAINER_ORCHESTRATION):
        return None
    return Reason(1.0, f"{rate.shown} are steady load, which packed nodes carry at a lower unit cost", b.ids_of(rate.figure))


def _function(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.FUNCTIONS):
        return Reason(1.5, f"one small handler of the {setting.brief.subject} is deployed from source, without an image to keep up")
    return None


def _stream_alarm(setting: Setting, product: Product) -> Reason | None:
    if setting.part is not Part.ALARM:
        return None
    if product.can(C.CONTAINER_SERVERLESS):
        return Reason(0.5, "a restart takes seconds, so alarms run again long before the recovery goal")
    if product.can(C.STREAM_PROCESSING):
        return Reason(0.8, "timers and state a device are part of it")
    return None


def _devices(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if not b.has(S.MQTT):
        if product.can(C.CONTAINER_SERVERLESS):
            return Reason(3, "the devices speak HTTPS, for which no broker is needed")
        return None
    said = b.quote(S.MQTT, limit=80)
    if product.can(C.CONTAINER_ORCHESTRATION):
        if b.has(S.NO_KUBERNETES):
            return None
        points = 1.2 if b.has(S.KUBERNETES) or not b.small_team else -0.5
        return Reason(points, f"a broker cluster for “{said}” heals and scales itself there, once somebody owns a cluster")
    if product.can(C.VM):
        return Reason(1.2, f"a group of machines in several zones holds long MQTT connections (“{said}”) with an open source broker", b.ids_matching(r"MQTT|certificate"))
    return None


def _job(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.CONTAINER_JOBS) and not product.can(C.HPC) and not product.can(C.CONTAINER_ORCHESTRATION):
        return Reason(1.5, f"each run of the {b.subject} starts a container, ends, and is paid by the second")
    if product.can(C.CONTAINER_ORCHESTRATION):
        return _kubernetes(setting, product) or Reason(-1, "a cluster for jobs alone is idle most of the time")
    if product.can(C.HPC):
        return Reason(-0.5, "machine plans and start-up of minutes pay off for long computations only")
    if product.can(C.DATA_WAREHOUSE):
        return Reason(-1.5, "it runs SQL, while this step calls other systems")
    if product.can(C.SPARK) or product.can(C.STREAM_PROCESSING):
        return Reason(-0.8, "a distributed pipeline is more than these runs need")
    return None


def _entry(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.GLOBAL_LOAD_BALANCING):
        if b.has(S.TWO_REGIONS):
            return Reason(2, f"one address fails over between regions (“{b.quote(S.TWO_REGIONS, limit=80)}”)", b.signal_ids(S.TWO_REGIONS))
        return Reason(1, f"health checks take a failed instance out for {setting.brief.core_short}")
    return None


def _delivery(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.STATIC_HOSTING):
        if Part.PUBLIC_ENTRY in setting.parts:
            return Reason(-3, "it would be a second front door beside the load balancer that the application needs")
        return Reason(3, f"hosting, certificate and cache of the {b.subject} come as one, with no load balancer to pay for", b.ids_in("COST"))
    if Part.PUBLIC_ENTRY in setting.parts:
        heavy = b.says(r"\d+ ?TB a month|petabyte|live stream") and video(b)
        if "Media" in product.name:
            return Reason(2.5 if heavy else -2, "it is made for long films at high volume" if heavy else
                          f"it pays off for films at high volume, which the {b.subject} has not")
        return Reason(2 if not heavy else 1, f"it is switched on at the load balancer in front of the {b.subject}")
    return Reason(-1, "it needs a load balancer that nothing else here needs")


def _site(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.CDN):
        return Reason(2, "each release is one step and the last one can be taken back", setting.brief.ids_in("OPS"))
    return None


def _gateway(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.name == "Apigee":
        return Reason(0.8, f"plans, developer portal and analytics of callers are built in (“{b.quote(S.KEY_QUOTAS, limit=70)}”)", b.signal_ids(S.KEY_QUOTAS))
    return Reason(0.8, f"keys and quotas per consumer of the {b.subject} need no further platform", b.signal_ids(S.KEY_QUOTAS))


def _identity(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    outside = not b.insiders() or b.has(S.TENANTS) or bool(b.says(r"customers|patients|citizens|viewers|tenants"))
    if product.can(C.IDENTITY_END_USER):
        if outside:
            words = b.quote(S.OWN_DIRECTORY, limit=80)
            text = f"it signs in people outside the organisation, also through their own providers (“{words}”)" if words else (
                f"it signs in {b.people[0].lower()} with accounts of the {b.subject}")
            return Reason(3, text, b.signal_ids(S.OWN_DIRECTORY) or b.ids_matching(r"sign|log in|account"))
        return Reason(-1, "it is made for customers, while only staff sign in here")
    if outside:
        return Reason(-2, "it guards applications for staff, not for customers")
    return Reason(3, f"staff sign in with the directory they have (“{b.quote(S.OWN_DIRECTORY, 'the staff directory', 80)}”)", b.signal_ids(S.OWN_DIRECTORY))


def _link(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    name = product.name.lower()
    stored = b.load.stored.value if b.load.stored and b.load.stored.value else 0
    heavy = stored > 20e12 or (b.load.nightly is not None and (b.load.nightly.value or 0) > 1e12)
    lasting = bool(b.says(r"stays where it is|stays? on[- ]prem|hybrid|calls from the office|private link|leased line"))
    if "vpn" in name:
        points = 0.5 if heavy else 2.0
        return Reason(points, f"an encrypted tunnel is there within days and carries the move of {b.load.stored.text if b.load.stored else 'the data'}", b.ids_of(b.load.stored))
    if "interconnect" in name:
        if heavy or (lasting and b.has(S.CARDS)):
            return Reason(2.2, "a line of its own gives steady bandwidth for what stays outside")
        return Reason(-0.5, "a line of its own takes weeks to order and costs hundreds a month even when quiet")
    return Reason(-1, "it is no line to an outside network by itself")


def _exit(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.POLICY) and b.has(S.SEALED):
        return Reason(4, f"it lets named hosts through and nothing else (“{b.quote(S.SEALED, limit=80)}”)", b.signal_ids(S.SEALED))
    if product.can(C.NAT) and b.has(S.SEALED):
        return Reason(-2, f"it lets any outside host be reached, against “{b.quote(S.SEALED, limit=80)}”", b.signal_ids(S.SEALED))
    return None


def _queue(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.TASK_QUEUE):
        if setting.part is Part.WEBHOOKS:
            said = b.says(r"retries|retry")
            return Reason(2, f"each receiver gets a queue with its own pace and retries{b.told(said, 70)}", b.ids_for(said, limit=1))
        return Reason(1.5, f"rate and retries of the {b.subject} are set a queue, and each task can be delayed or named")
    return Reason(0.5 if b.load.items and b.load.items.value > 400 else -0.3, "it spreads to many readers, but cannot slow down for one of them")


def _serve_model(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.ML_TRAINING):
        return Reason(1.5, f"model versions of the {b.subject} are tested and rolled out there, with drift watched")
    if product.can(C.CONTAINER_SERVERLESS):
        own = b.says(r"xgboost|scikit|our own model|the model exists")
        if own and not b.has(S.GPU):
            return Reason(1.2, f"a small model in a container answers fast{b.told(own, 70)}", b.ids_for(own, limit=1))
    return _kubernetes(setting, product)


def _train(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    own = b.says(r"xgboost|scikit|pytorch|tensorflow|python|our own model")
    if product.can(C.ML_PIPELINE):
        return Reason(2, f"it trains code that exists{b.told(own, 70)} and keeps each version", b.ids_for(own, limit=1) if own else ())
    if own and product.can(C.DATA_WAREHOUSE):
        return Reason(-1.5, f"it trains models in SQL, and the model exists already{b.told(own, 60)}")
    return None


def _media(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.TRANSCODING):
        if video(b):
            said = b.says(r"transcod|resolution|encode|convert|video")
            return Reason(4, f"it makes the wanted forms of films without a machine to run{b.told(said, 80)}", b.ids_for(said, limit=1))
        return Reason(-5, "it handles films only")
    return _job(setting, product)


def _masking(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.SPARK) and not product.can(C.DATA_WAREHOUSE):
        return Reason(-0.5, "cluster sizing would be the team's own work")
    if product.can(C.DLP):
        return Reason(1, f"it knows the forms of personal data that {b.rules or 'the law'} protects", b.ids_matching(r"personal|GDPR|HIPAA|mask"))
    return None


def _move_data(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    into_warehouse = Part.WAREHOUSE in setting.parts and Part.RELATIONAL not in setting.parts
    amount = b.load.stored.text if b.load.stored else "the existing data"
    if into_warehouse:
        if product.can(C.DB_MIGRATION):
            return Reason(-2, "it moves into operational databases, while the target is analytical")
        if product.can(C.CHANGE_DATA_CAPTURE):
            return Reason(2.5, f"it copies {amount} table by table into the analytical store and follows changes until the switch", b.ids_matching(r"migrat|move|lose"))
        if product.can(C.DATA_TRANSFER):
            return Reason(1.5, f"it loads {amount} by schedule")
    spread = any(
        setting.catalogue[name].can(C.RELATIONAL_DB_GLOBAL) for name in setting.chosen
    ) and Part.RELATIONAL in setting.parts
    if spread:
        if product.can(C.DB_MIGRATION):
            return Reason(-1, "it has no path into a database that is spread over regions")
        if product.can(C.CHANGE_DATA_CAPTURE):
            return Reason(3, f"it streams {amount} and every later change, which a loading job writes into the new schema", b.ids_matching(r"migrat|move|lost|downtime"))
    files = Part.RELATIONAL not in setting.parts and Part.DOCUMENT_STORE not in setting.parts
    if product.can(C.DB_MIGRATION):
        words = b.quote(S.NO_DOWNTIME_MOVE, limit=80)
        why = f", so the switch is short (“{words}”)" if words else ""
        return Reason(-1 if files else 3, f"it copies {amount} and then follows every change{why}", b.signal_ids(S.NO_DOWNTIME_MOVE))
    if files and product.can(C.DATA_TRANSFER):
        return Reason(2, f"it copies {amount} of files and checks them")
    return None


def _move_machines(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    machines = next((f.text for f in b.facts.figures if f.measure is Measure.COMPUTE), "the machines")
    if product.can(C.VM_MIGRATION):
        if setting.parts and b.has(S.VIRTUAL_MACHINES, S.WINDOWS) and (legacy(b) or b.has(S.VIRTUAL_MACHINES)):
            return Reason(1.5, f"it moves {machines} with a test copy of each before the switch")
        return Reason(0.5, f"it moves {machines} one at a time")
    if product.can(C.MIGRATION_ASSESSMENT):
        return Reason(0.6, f"it measures {machines} before anything is decided")
    return None


def _backup(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    goal = f" for a loss of at most {aim(b.load.rpo)}" if b.load.rpo and b.load.rpo.value else ""
    ids = b.ids_of(b.load.rpo)
    if product.can(C.OBJECT_STORAGE):
        return Reason(0.6, f"exports lie apart from the database, under a retention lock if wanted{goal}", ids)
    return Reason(1.0, f"one place plans, locks and proves the backups of the {b.subject}{goal}", ids)


def _build(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    said = b.says(r"several times a day|\breleases?\b")
    if "deploy" in product.name.lower():
        return Reason(0.5, f"staged rollouts of the {b.subject} with approval and roll-back{b.told(said, 60)}")
    return Reason(1.0, f"a change of the {b.subject} is tested and built in a clean place each time{b.told(said, 60)}", b.ids_for(said, limit=1) if said else b.ids_in("OPS")[:1])


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
        why = f", which {setting.brief.rules} expects at a public entry" if setting.brief.rules else ""
        return Reason(1.5, f"rules and rate limits act at the entry of the {setting.brief.subject}{why}", setting.brief.ids_matching(r"PCI|attack|HIPAA|SOC|GDPR", limit=1))
    return None


RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.SERVICE: (_kubernetes, _runtime, _steady, _stream_alarm),
    Group.FUNCTION: (_function, _kubernetes),
    Group.JOB: (_job,),
    Group.DEVICES: (_kubernetes, _devices),
    Group.ENTRY: (_entry,),
    Group.FILTER: (_filter,),
    Group.DELIVERY: (_delivery,),
    Group.SITE: (_site,),
    Group.API: (_gateway,),
    Group.IDENTITY: (_identity,),
    Group.LINK: (_link,),
    Group.EXIT: (_exit,),
    Group.QUEUE: (_queue,),
    Group.SERVE_MODEL: (_serve_model,),
    Group.TRAIN: (_train,),
    Group.MEDIA: (_media,),
    Group.MASKING: (_masking,),
    Group.MOVE_DATA: (_move_data,),
    Group.MOVE_MACHINES: (_move_machines,),
    Group.BACKUP: (_backup,),
    Group.BUILD: (_build,),
    Group.SECRETS: (_tag(C.SECRET, 1.0, lambda b: f"access to each secret of the {b.subject} is granted to one identity and logged"),),
    Group.KEYS: (_tag(C.KEY_MANAGEMENT, 1.0, lambda b: f"keys can be rotated and withdrawn by the owner of the {b.subject}"
                      + (f", as {b.rules} expects" if b.rules else "")),),
    Group.PERIMETER: (_tag(C.SERVICE_PERIMETER, 1.0, lambda b: f"a stolen credential alone cannot copy data of the {b.subject} out"),),
    Group.AUDIT: (_tag(C.AUDIT, 1.0, lambda b: f"who read or changed what is recorded outside the reach of the application (“{b.quote(S.AUDITED, b.subject, 80)}”)"),),
    **DATA_RULES,
}

__all__ = ["RULES", "Workload", "inbound_files"]
