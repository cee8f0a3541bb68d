"""Rules for what runs programs: services, jobs, brokers, models, media."""

from __future__ import annotations

from collections.abc import Mapping

from agents.offline.load import number
from agents.offline.patterns_model import Part
from agents.offline.selection_model import Group, Reason, Rule, Setting
from agents.offline.selection_needs import job_size, legacy, raw_sockets, video
from agents.offline.signals import Signal
from providers.catalogue import Capability, Product

S = Signal
C = Capability

_HELM = r"daemonset|helm|operators?,|custom resource|service mesh|stateful ?set"


_OWN_HOSTS = (
    r"weblogic|websphere|windows server|\.NET framework|kernel|appliance|licen[cs]ed software"
)


def _kubernetes(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    cluster = product.can(C.CONTAINER_ORCHESTRATION)
    if b.has(S.NO_KUBERNETES) and cluster:
        return Reason(
            -8,
            f"the request says “{b.quote(S.NO_KUBERNETES, limit=90)}”",
            b.signal_ids(S.NO_KUBERNETES),
        )
    if b.has(S.KUBERNETES):
        words = b.quote(S.KUBERNETES, limit=90)
        ids = b.signal_ids(S.KUBERNETES)
        few = b.load.team is not None and b.load.team <= 8
        if cluster:
            alone = b.has(S.NO_ON_CALL) or (b.load.team is not None and b.load.team <= 3)
            if few and alone:
                who = b.quote(S.NO_ON_CALL, f"a team of {number(b.load.team or 0)}", 60)
                return Reason(
                    -1.0,
                    f"the cluster that exists (“{words}”) has other owners, and here it is “{who}”",
                    ids,
                )
            points = 1.5 if few else 5.0
            return Reason(
                points,
                f"Kubernetes is in use already (“{words}”), so skills and manifests carry over",
                ids,
            )
        stays = b.says(_HELM)
        if stays and not few and product.can(C.CONTAINER_SERVERLESS):
            return Reason(
                -3,
                f"it runs no operators or node agents, and “{b.excerpt(stays, 80)}”",
                b.ids_for(stays, limit=1),
            )
        return None
    if cluster and setting.slot.group is not Group.DEVICES:
        team = b.load.team
        who = f"a team of {number(team)}" if team else "a team that names no such skill"
        return Reason(
            -2.5 if b.small_team or b.tiny else -1.2,
            f"a cluster needs upgrades, node and network policies, and the request shows {who}",
            b.ids_matching(r"team|operat|on-call"),
        )
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
            return Reason(
                2.2,
                f"it follows {b.front} without a cluster, adding and removing instances by itself",
                b.ids_of(b.load.front_peak.figure),
            )
        if b.load.team:
            return Reason(
                2.0,
                f"a team of {number(b.load.team)} has no machines to patch",
                b.ids_matching(r"team|operat"),
            )
        return Reason(1.8, f"nothing has to be patched or sized in advance for {b.core_short}")
    if product.can(C.FUNCTIONS):
        return Reason(
            -0.6, "a service with several routes and its own libraries outgrows a single handler"
        )
    if product.can(C.VM) and not product.can(C.CONTAINER_ORCHESTRATION):
        return Reason(-1.5, "images, patches and rollouts would be the team's own work")
    return None


def _sockets(setting: Setting, product: Product) -> Reason | None:
    said = raw_sockets(setting.brief)
    if not said or setting.part not in (Part.API, Part.EVENT_COLLECTOR):
        return None
    words = setting.brief.excerpt(said, 80)
    ids = setting.brief.ids_for(said, limit=1)
    if product.can(C.TCP_INGRESS):
        return Reason(2.0, f"it takes any protocol (“{words}”)", ids)
    return Reason(-7, f"it speaks HTTP only, and “{words}”", ids)


def _task_size(setting: Setting, product: Product) -> Reason | None:
    cores, memory, said = job_size(setting.brief)
    if not cores and not memory:
        return None
    ids = setting.brief.ids_for(said, limit=1)
    most, room = product.figures.get("max_vcpu"), product.figures.get("max_memory_gib")
    if most is not None and cores > most:
        return Reason(
            -8, f"one task gets at most {number(most)} vCPU, and a job needs {number(cores)}", ids
        )
    if room is not None and memory > room:
        return Reason(
            -8, f"one task gets at most {number(room)} GiB, and a job needs {number(memory)}", ids
        )
    if product.can(C.HPC) and not product.can(C.VM):
        words = setting.brief.excerpt(said, 80)
        return Reason(3.0, f"each job gets a machine of its size and no other (“{words}”)", ids)
    return None


def _steady(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    rate = b.load.steady or b.load.items
    if rate is None or rate.value < 5_000 or not product.can(C.CONTAINER_ORCHESTRATION):
        return None
    return Reason(
        1.0,
        f"{rate.shown} are steady load, which packed nodes carry at a lower unit cost",
        b.ids_of(rate.figure),
    )


def _function(setting: Setting, product: Product) -> Reason | None:
    if product.can(C.FUNCTIONS):
        return Reason(
            1.5,
            ("one small handler is deployed from source, without an image to keep up"),
        )
    return None


def _stream_alarm(setting: Setting, product: Product) -> Reason | None:
    if setting.part is not Part.ALARM:
        return None
    if product.can(C.CONTAINER_SERVERLESS):
        return Reason(
            0.5, "a restart takes seconds, so alarms run again long before the recovery goal"
        )
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
        return Reason(
            points,
            (
                f"a broker cluster for “{said}” heals and scales itself there, once somebody "
                "owns a cluster"
            ),
        )
    if product.can(C.VM):
        return Reason(
            1.2,
            (
                f"a group of machines in several zones holds long MQTT connections (“{said}”) "
                "with an open source broker"
            ),
            b.ids_matching(r"MQTT|certificate"),
        )
    return None


def _job(setting: Setting, product: Product) -> Reason | None:
    if (
        product.can(C.CONTAINER_JOBS)
        and not product.can(C.HPC)
        and not product.can(C.CONTAINER_ORCHESTRATION)
    ):
        return Reason(1.5, "each run starts a container, ends, and is paid by the second")
    if product.can(C.CONTAINER_ORCHESTRATION):
        return _kubernetes(setting, product) or Reason(
            -1, "a cluster for jobs alone is idle most of the time"
        )
    if product.can(C.HPC):
        return Reason(
            -0.5, "machine plans and start-up of minutes pay off for long computations only"
        )
    if product.can(C.DATA_WAREHOUSE):
        return Reason(-1.5, "it runs SQL, while this step calls other systems")
    if product.can(C.SPARK) or product.can(C.STREAM_PROCESSING):
        return Reason(-0.8, "a distributed pipeline is more than these runs need")
    return None


def _serve_model(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.ML_TRAINING):
        return Reason(
            1.5,
            ("model versions are tested and rolled out there, with drift watched"),
        )
    if product.can(C.CONTAINER_SERVERLESS):
        own = b.says(r"xgboost|scikit|our own model|the model exists")
        if own and not b.has(S.GPU):
            return Reason(
                1.2,
                f"a small model in a container answers fast{b.told(own, 70)}",
                b.ids_for(own, limit=1),
            )
    return _kubernetes(setting, product)


def _train(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    own = b.says(r"xgboost|scikit|pytorch|tensorflow|python|our own model")
    if product.can(C.ML_PIPELINE):
        return Reason(
            2,
            f"it trains code that exists{b.told(own, 70)} and keeps each version",
            b.ids_for(own, limit=1) if own else (),
        )
    if own and product.can(C.DATA_WAREHOUSE):
        return Reason(
            -1.5, f"it trains models in SQL, and the model exists already{b.told(own, 60)}"
        )
    return None


def _media(setting: Setting, product: Product) -> Reason | None:
    b = setting.brief
    if product.can(C.LIVE_VIDEO):
        live = b.quote(S.LIVE_VIDEO, limit=80)
        if live:
            return Reason(
                6,
                f"it takes a live signal and makes every quality level (“{live}”)",
                b.signal_ids(S.LIVE_VIDEO),
            )
        return Reason(
            -8, "it is made for live signals, and here files are finished before they come"
        )
    if product.can(C.TRANSCODING):
        if video(b):
            said = b.says(r"transcod|resolution|encode|convert|video")
            return Reason(
                4,
                f"it makes the wanted forms of films without a machine to run{b.told(said, 80)}",
                b.ids_for(said, limit=1),
            )
        return Reason(-5, "it handles films only")
    return _job(setting, product)


RUNTIME_RULES: Mapping[Group, tuple[Rule, ...]] = {
    Group.SERVICE: (_kubernetes, _runtime, _sockets, _steady, _stream_alarm),
    Group.FUNCTION: (_function, _kubernetes),
    Group.JOB: (_job, _task_size),
    Group.DEVICES: (_kubernetes, _devices),
    Group.SERVE_MODEL: (_serve_model,),
    Group.TRAIN: (_train,),
    Group.MEDIA: (_media, _task_size),
}
