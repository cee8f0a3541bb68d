"""What the words of a request say about its circumstances: systems that exist, skills, limits.

A signal is kept with the sentence that gave it, so that a decision can say which words it rests
on. Patterns name technologies and plain English; a request in another language still gives the
signals that rest on names and figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum


class Signal(StrEnum):
    """Circumstances that decide between designs."""

    KUBERNETES = "kubernetes-exists"
    NO_KUBERNETES = "no-kubernetes"
    KAFKA = "kafka-exists"
    ORACLE = "oracle-exists"
    SQL_SERVER = "sql-server-exists"
    POSTGRES = "postgres-exists"
    MYSQL = "mysql-exists"
    MONGODB = "mongodb-exists"
    REDIS = "redis-exists"
    SPARK = "spark-exists"
    SQL_ONLY = "sql-only-team"
    VIRTUAL_MACHINES = "virtual-machines-exist"
    DATA_CENTRE = "own-data-centre"
    POWER_BI = "power-bi-exists"
    LOOKER = "looker-wanted"
    MQTT = "mqtt-devices"
    OWN_CERTIFICATES = "own-device-certificates"
    TWO_REGIONS = "survive-region-loss"
    ONE_REGION = "one-region-is-enough"
    NO_HIGH_AVAILABILITY = "no-high-availability"
    WORLDWIDE = "worldwide-users"
    CARDS = "card-data"
    HEALTH = "health-data"
    PERSONAL = "personal-data"
    RESIDENCY = "data-residency"
    AUDITED = "access-is-audited"
    SEALED = "no-internet-access"
    OUTSIDE_CALLS = "calls-outside-services"
    LEAVABLE = "must-be-leavable"
    IDLE_HOURS = "idle-outside-hours"
    NO_ON_CALL = "nobody-on-call"
    IMMUTABLE = "immutable-records"
    REPLAY = "replay"
    EXACTLY_ONCE = "no-double-counting"
    LATE_EVENTS = "late-events"
    NO_DOWNTIME_MOVE = "no-downtime-while-moving"
    LICENCES = "licences-cost"
    SCANS = "scanned-documents"
    OWN_DIRECTORY = "own-identity-provider"
    TENANTS = "many-tenants"
    KEY_QUOTAS = "api-keys-with-quotas"
    SMS = "sms"
    FULL_TEXT = "full-text-search"
    REAL_TIME_VIEW = "real-time-dashboards"
    TIME_TRAVEL = "figures-as-they-were"
    CAPPED = "budget-must-be-capped"
    PERMISSIONS = "permissions-at-question-time"
    TRAINING = "model-training"
    GLOBAL_WRITES = "writes-in-several-regions"
    CACHE = "cache-asked-for"
    LONG_JOBS = "long-running-jobs"
    GPU = "gpu"
    WEBSOCKETS = "long-connections"
    WINDOWS = "windows-workloads"
    LIVE_VIDEO = "live-video"
    RELATIONAL = "relational-data"
    GRAPHQL = "mobile-clients"
    CLINICAL = "clinical-formats"
    EXTERNAL_KEYS = "keys-held-outside"
    INLINE_SCORING = "scoring-in-line"
    STRICT_READS = "strongly-consistent-reads"


_NO = (
    r"(?:\bno\b|\bnone\b|\bnot\b|n't\b|\bwithout\b|\bnever\b|\bavoid\w*\b|\bnobody\b|"
    r"\bnor\b|\bkein\w*\b|\bohne\b|\bsans\b|\bsin\b)"
)
_K8S = r"(?:kubernetes|k8s|\bGKE\b|\bEKS\b|\bAKS\b|openshift)"
_HEALTH_WORDS = r"health data|patient|medical|\bHIPAA\b|\bePHI\b|\bPHI\b|Art\. ?9|clinical"

_PATTERNS: Mapping[Signal, str] = {
    Signal.NO_KUBERNETES: rf"{_NO}[^.;]{{0,60}}{_K8S}|{_K8S}[^.;,]{{0,25}}{_NO}",
    Signal.KUBERNETES: _K8S + r"|helm chart",
    Signal.KAFKA: r"\bkafka\b|confluent|redpanda|\bMSK\b",
    Signal.ORACLE: r"\boracle\b",
    Signal.SQL_SERVER: r"sql server|\bMSSQL\b|\bT-SQL\b|\bSSIS\b",
    Signal.POSTGRES: r"postgres",
    Signal.MYSQL: r"\bmysql\b|mariadb",
    Signal.MONGODB: r"mongo",
    Signal.REDIS: r"\bredis\b|valkey|memcache",
    Signal.SPARK: r"\bspark\b|hadoop|\bEMR\b|\bhive\b",
    Signal.SQL_ONLY: r"(?:anything but|only|nothing but)\s+(?:T-)?SQL\b|only know SQL",
    Signal.VIRTUAL_MACHINES: r"vmware|vsphere|virtual machines?|hyper-v|\bVMs?\b|bare metal",
    Signal.DATA_CENTRE: r"own data cent(?:re|er)|on[- ]prem\w*|server room|colo(?:cation)?\b|"
    r"our data cent(?:re|er)|in the [\w ]{1,20}office|file server|rechenzentrum|hosting contract",
    Signal.POWER_BI: r"power ?bi",
    Signal.LOOKER: r"\blooker\b|tableau|\bqlik\b",
    Signal.MQTT: r"\bMQTT\b",
    Signal.OWN_CERTIFICATES: r"client certificate|own PKI|x\.?509",
    Signal.ONE_REGION: r"no multi-?region|single region|one region is (?:enough|fine)|"
    r"zone failure has to be|regional is (?:enough|fine)",
    Signal.TWO_REGIONS: r"entire region|whole region|region(?:al)? (?:outage|failure|fails|loss)|"
    r"loss of a region|region (?:is|gets|goes) lost|lose (?:a|the|one) region|location "
    r"burns|second (?:site|region|location|data cent)|multi-?region|"
    r"two regions|disaster recovery site|site (?:is )?lost|cross-region",
    Signal.NO_HIGH_AVAILABILITY: rf"{_NO}[^.;]{{0,20}}(?:\bHA\b|high availability)|"
    r"down for (?:half )?a day|best effort",
    Signal.WORLDWIDE: r"world-?wide|around the world|global(?:ly)? (?:users|customers|players|"
    r"readers)|"
    r"three continents|every continent|all continents",
    Signal.CARDS: r"\bPCI\b|card data|cardholder|pay(?:s|ments?)? by card",
    Signal.HEALTH: _HEALTH_WORDS,
    Signal.PERSONAL: r"personal data|\bGDPR\b|\bDSGVO\b|\bCCPA\b|\bPIPEDA\b|personally identif|"
    r"loyalty customers|names and emails|privacy|" + _HEALTH_WORDS,
    Signal.RESIDENCY: r"(?:must|shall|should|has to|have to) (?:stay|remain)(?: with\w*)? in\b|"
    r"shall not "
    r"leave|stays? in (?:the )?[A-Z]|"
    r"not leave|may leave|should remain in|residen|sovereign|everything in the EU",
    Signal.AUDITED: r"auditor|audit|who looked at|supervisory|\bSOC ?2\b|ISO ?27001|\bDORA\b|"
    r"\bHIPAA\b|\bPCI\b|regulator|\bFINMA\b|\bBaFin\b",
    Signal.SEALED: r"no internet access|air-?gapped|no (?:public )?(?:ingress|egress)|"
    r"isolated from the "
    r"internet|"
    r"not reachable from the internet",
    Signal.OUTSIDE_CALLS: r"public API|third[- ]party (?:API|service)|weather data|external API|"
    r"payment (?:provider|gateway)|made at stripe|\bstripe\b|webhook",
    Signal.LEAVABLE: r"exit plan|\block-?in\b|left again|open source|portab|leave (?:the )?cloud",
    Signal.IDLE_HOURS: r"at night (?:it can be off|there is next to none)|working hours|can be off|"
    r"only (?:on )?weekdays|office hours|idle (?:at|most)|scale to zero|nothing at night",
    Signal.NO_ON_CALL: rf"{_NO}[- ](?:on-call|pager|24/7)|{_NO}[^.;]{{0,25}}on[- ]call",
    Signal.IMMUTABLE: r"neither changed nor deleted|tamper|immutable|\bWORM\b|"
    r"cannot be (?:changed|altered)|"
    r"unalterable|legal hold|for the tax office|write[- ]once",
    Signal.REPLAY: r"\breplay|re-?process(?:ed|ing)? the last",
    Signal.EXACTLY_ONCE: r"exactly[- ]once|double[- ]count|no duplicates|counted twice|"
    r"charged twice",
    Signal.LATE_EVENTS: r"late (?:events?|data|arriv)|hours late|buffered|offline phones|"
    r"out of order",
    Signal.NO_DOWNTIME_MOVE: r"zero[- ]downtime|no downtime|without (?:any )?downtime|"
    r"(?:mov(?:e|ing)|migrat\w*)[^.]{0,60}interruption",
    Signal.LICENCES: r"licen[cs]es?",
    Signal.SCANS: r"\bscans?\b|scanned|handwrit|\bOCR\b|faxes",
    Signal.OWN_DIRECTORY: r"\bSAML\b|\bOIDC\b|\bentra\b|active directory|\bokta\b|"
    r"own identity provider|"
    r"single sign-on|\bSSO\b|keycloak|\bLDAP\b",
    Signal.TENANTS: r"\btenants?\b|multi-?tenan",
    Signal.KEY_QUOTAS: r"rate limit|API keys?|quota per|hold keys|developer portal|API plans?",
    Signal.SMS: r"\bSMS\b|text message|push notification",
    Signal.FULL_TEXT: r"full[- ]text|search box|fuzzy search|faceted|elasticsearch|\bsolr\b|"
    r"opensearch",
    Signal.REAL_TIME_VIEW: r"real-?time|to the minute|live dashboard|within seconds|"
    r"at most \d+ seconds after",
    Signal.TIME_TRAVEL: r"as they were|time travel|point in time view|history of the numbers",
    Signal.CAPPED: r"possible to cap|hard cap|capped|must not exceed|never (?:more|exceed)|"
    r"shall not exceed|cannot go above",
    Signal.PERMISSIONS: r"permissions? (?:from|of|at|count)|could not open himself|"
    r"document[- ]level|"
    r"not allowed to see|access rights of",
    Signal.TRAINING: r"\btrain(?:ed|ing|s)?\b (?:once|every|weekly|nightly|daily|a model|the model|"
    r"models|on)|model (?:is|are) (?:re)?trained|re-?train|is trained",
    Signal.GLOBAL_WRITES: r"write(?:s|able)? (?:in|from) (?:several|all|both|every|any|three|"
    r"two) (?:region|"
    r"continent)|"
    r"active-active|multi-master",
    Signal.CACHE: r"\bcache\b|caching",
    Signal.LONG_JOBS: r"hours per (?:job|file|run)|long[- ]running|takes \d+ hours|\btranscod",
    Signal.GPU: r"\bGPUs?\b|\bCUDA\b|\bA100\b|\bH100\b|\bTPUs?\b",
    Signal.WEBSOCKETS: r"websocket|long[- ]lived connection|\bTCP\b socket|\bUDP\b|gRPC stream",
    Signal.WINDOWS: r"windows server|\.NET framework|\bIIS\b|active directory domain",
    Signal.LIVE_VIDEO: r"live (?:video|stream|match|game|channel|broadcast|concert)|\bRTMP\b|"
    r"livestream|broadcast live|streamed live",
    Signal.RELATIONAL: (
        r"\bSQL\b|relational|\bpostgres|\bmysql|\boracle|transaction|join(?:s|ed)?\b|foreign "
        r"key"
    ),
    Signal.GRAPHQL: r"mobile app|\biOS\b|android|offline sync|both apps",
    Signal.CLINICAL: r"\bDICOM\w*|\bFHIR\b|\bHL7\b",
    Signal.EXTERNAL_KEYS: r"(?:external|own|on[- ]prem\w*)(?: external)? HSMs?\b|\bHSMs? "
    r"(?:of our own|in our)|\bEKM\b|\bHYOK\b|hold your own key|external key manag|"
    r"keys? (?:must |have to |shall )?(?:stay|remain|be held|be kept|are held|are kept) "
    r"(?:outside|with us|in our own)",
    Signal.INLINE_SCORING: r"(?:fraud|risk|credit)[- ](?:scor\w*|check\w*|detect\w*|model\w*)",
    Signal.STRICT_READS: r"strong(?:ly)? consisten|read[- ]your[- ]writes|never stale",
}

_COMPILED = {signal: re.compile(pattern, re.I) for signal, pattern in _PATTERNS.items()}
_NEGATIVE_BY_NATURE = {Signal.KUBERNETES: Signal.NO_KUBERNETES}
_UNLESS_NEGATED = {
    Signal.KAFKA,
    Signal.ORACLE,
    Signal.TWO_REGIONS,
    Signal.CARDS,
    Signal.GPU,
    Signal.TRAINING,
    Signal.WORLDWIDE,
    Signal.LIVE_VIDEO,
    Signal.FULL_TEXT,
}
_BLANK = re.compile(r"\n\s*\n")
_BULLET = re.compile(r"\n\s*(?=[-*•]\s|\d+[.)]\s)")
_STOP = re.compile(
    r"(?<=[.!?;])(?<!Art\.)(?<!Nr\.)(?<!No\.)(?<!ca\.)(?<!e\.g\.)(?<!approx\.)(?<!St\.)\s+(?=[A-Z0-9\"“(])"
)


def sentences(text: str) -> tuple[str, ...]:
    """Sentences and list items of a text whose lines may be wrapped anywhere."""
    found: list[str] = []
    for block in _BLANK.split(text):
        for item in _BULLET.split(block):
            flat = " ".join(item.split()).lstrip("-*• ")
            found += [part.strip() for part in _STOP.split(flat) if part.strip()]
    return tuple(found)


def pattern_of(signal: Signal) -> str:
    """The expression that finds a signal in a sentence."""
    return _PATTERNS[signal]


def _negated(signal: Signal, sentence: str, match: re.Match[str]) -> bool:
    if signal is Signal.CARDS:
        return bool(re.search(rf"{_NO}\s+PCI|out of (?:PCI )?scope", sentence, re.I))
    before = sentence[max(0, match.start() - 25) : match.start()]
    return bool(re.search(_NO + r"[^.,;]{0,20}$", before, re.I))


def detect(lines: Iterable[str]) -> dict[Signal, str]:
    """Which signals the sentences give, each with its first sentence."""
    lines = tuple(lines)
    found: dict[Signal, str] = {}
    for signal, pattern in _COMPILED.items():
        veto = _NEGATIVE_BY_NATURE.get(signal)
        for line in lines:
            match = pattern.search(line)
            if match is None:
                continue
            if veto is not None and _COMPILED[veto].search(line):
                continue
            if signal in _UNLESS_NEGATED and _negated(signal, line, match):
                continue
            found[signal] = line
            break
    if Signal.ONE_REGION in found:
        found.pop(Signal.TWO_REGIONS, None)
    if Signal.NO_HIGH_AVAILABILITY in found:
        found.pop(Signal.TWO_REGIONS, None)
    return found
