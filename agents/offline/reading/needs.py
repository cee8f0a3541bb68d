"""Sorts the sentences of a request: what users and systems do, what holds while they do it, talk.

A functional need is a sentence with a verb of use and somebody who does it; a constraint is a
sentence about how well, how safely, how cheaply or by whom. Greetings and asks to the reader are
neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.offline.facts import Constraint, Figure, Measure, Need
from agents.offline.reading.asks import is_ask_only
from agents.offline.reading.capabilities import capabilities
from agents.offline.reading.estate import outside
from agents.offline.reading.negation import negated
from agents.offline.reading.text import Sentence, at_words, vocabulary

_I = re.IGNORECASE
_TALK = re.compile(
    r"^(?:thanks"
    r"|thank you|many thanks|cheers|best|kind regards|regards|sincerely|sorry|vg|lg"
    r"|mit freundlichen|danke|viele"
    r"|cordialement|merci|bien à|saludos|gracias|un saludo|from|to|cc|date|reporter|betreff"
    r"|objet|asunto"
    r"|as discussed|i promised|request for proposal|fyi|ps|attached)\b"
    r"|\b(?:can|could|would) you (?:please )?(?:send|sketch|give|have a look|write|help|draw"
    r"|propose|make|design)"
    r"|\bplease (?:send|let me know|design|propose|give|sketch|draw|recommend|help)\b"
    r"|\blet me know\b"
    r"|\byou asked\b|\bdumping it\b|\bdo with it what you like\b|\bi can show on\b|\bfeel free\b"
    r"|\bkannst du\b|\bkönnten sie\b|\bbitte (?:schlag|entwirf|erstell|schick)\w*"
    r"|\bpouvez-vous\b|\bpodéis\b"
    r"|\bpuede[ns]? (?:enviar|proponer)", _I,
)  # fmt: skip
_ACTORS = re.compile(
    r"\b(?:users?|customers?|clients?|tenants?|analysts?|editors?|readers?|crews?|people"
    r"|handlers?|managers?|teams?"
    r"|drivers?|shops?|technicians?|auditors?|patients?|doctors?|students?|teachers?|visitors?"
    r"|members?|partners?"
    r"|sellers?|buyers?|players?|guests?|agents?|staff|employees?|engineers?|operators?"
    r"|scientists?|finance|claims"
    r"|marketing|director|system|platform|service|site|sites|apps?|application|assistant|api"
    r"|portal|sensors?|units?"
    r"|devices?|meters?|gateways?|vehicles?|jobs?|pipeline|it|they|we|he|events|orders|files"
    r"|changes|photographs|readings|documents"
    r"|videos?|images?|photos?|requests|everybody|everyone|anyone|shoppers?|farmers?|nurses?"
    r"|researchers?|clubs?|athletes?|viewers?|subscribers?|fans?|parents?|citizens?|banks?|stores?"
    r"|merchants?|hospitals?|schools?|companies|nobody"
    r"|kunden|nutzer|benutzer|mitarbeiter|mandanten|händler|anwender|system|plattform|anwendung"
    r"|geräte|sensoren|wir"
    r"|clients|utilisateurs|employés|système|plateforme|application|capteurs|nous|magasins"
    r"|clientes|usuarios|empleados|sistema|plataforma|aplicación|sensores|nosotros|tiendas)\b", _I,
)  # fmt: skip
_VERBS = (
    "sends? receives? uploads? downloads? searche?s? views? looks? see sees browses? orders? "
    "pays? books? buys?"
    " registers? subscribes? exports? imports? loads? loaded transforms? modelled processe?s? "
    "transcodes? converts?"
    " notif(?:y|ies) alerts? raises? push(?:es|ed)? pulls? answers? asks? generates? "
    "summari[sz]es? recommends?"
    " "
    " predicts? classif(?:y|ies) trains? trained scores? collects? ingests? streams? reads? "
    "writes? queries reports?"
    " monitors? tracks? schedules? shares? prints? scans? translates? calls? publish(?:es)? "
    "edits? erased? deletes?"
    " replays? masked drops? accepts? page fetch(?:es)? syncs? synchroni[sz]es? match(?:es)? "
    "calculates? computes?"
    " invoices? shows? displays? lists? filters? checks? checked validates? approves? assigns? "
    "manages? creates?"
    " updates? submits? stores? records? plays? watch(?:es)? listens? comments? rates? reserves? "
    "cancels? returns?"
    " go back obtains? open opens? keep keeps run runs say says detects? extracts? tags? serves? "
    "hosts? gets?"
    " connect connects enters? fills? types? plans? compares? aggregates? deliver delivers plot "
    "draws? signs? in"
)
_PASSIVE = (
    "uploaded downloaded searched viewed ordered paid booked registered exported imported loaded "
    "transformed"
    " processed transcoded converted notified alerted pushed pulled generated summarised "
    "summarized recommended"
    " predicted classified scored collected ingested streamed reported monitored tracked "
    "scheduled shared printed"
    " scanned translated published edited replayed fetched synchronised matched calculated "
    "computed invoiced shown"
    " displayed filtered validated approved assigned created updated submitted played reserved "
    "cancelled detected"
    " extracted tagged delivered compared aggregated sent received"
)
_FUNCTION = re.compile(
    r"\b(?:runs? sql|was promised"
    r"|" + "|".join(w for w in _VERBS.split() if w not in ("go", "back", "in"))
    + r"|" + "|".join(_PASSIVE.split()) + r"|go back|go(?:es)? (?:through|to)\b|searchable|visible"
                r"|sign(?:s|ed)? in"
    r"|log(?:s|ged)? in|run(?:s)? sql|viewable|playable|watchable|downloadable"
    r"|bestell\w*|bezahl\w*|such\w*|hochlad\w*|lad\w* hoch|anzeig\w*|zeig\w*|exportier\w*"
    r"|importier\w*|send\w*"
    r"|empfang\w*|verarbeit\w*|melde\w*|benachrichtig\w*|les\w*|schreib\w*|seh\w*|buch\w*"
    r"|ausliefer\w*|übertrag\w*"
    r"|commande\w*|paie\w*|payer|recherch\w*|télécharg\w*|affich\w*|export\w*|import\w*|envo\w+"
    r"|reçoi\w*"
    r"|recevoir|trait\w*|consult\w*|réserv\w*|notifi\w*"
    r"|pedir|piden|pagan?|busca\w*|sub(?:e|en|ir)|descarga\w*|muestr\w*|mostrar|exporta\w*"
    r"|importa\w*|env[ií]a\w*"
    r"|recib\w*|procesa\w*|consulta\w*|reserva\w*|notifica\w*)\b", _I,
)  # fmt: skip
_MODAL = re.compile(
    r"\b(?:must|has to|have to|had to|should|shall|will|can|needs? to|wants?(?: to)?|be able to"
    r"|would like to|is to"
    r"|are to|be possible|soll\w*|muss|müssen|können|kann|möcht\w+|doi(?:t|vent)|peu(?:t|vent)|faut"
    r"|deb(?:e|en)|pued(?:e|en)|tiene[ns]? que|queremos|necesit\w+|was promised)\b", _I,
)  # fmt: skip
_MAIN = re.compile(
    r"\bwe (?:need|want|would like|are building|build|plan)\b|\bi(?:['’]d| would) like\b"
    r"|^(?:please )?(?:build|create|design"
    r"|serve|run|host|move|migrate)\b"
    r"|\bneeds an?\b|\bwir (?:brauchen|wollen|möchten|planen)\b|\bnous (?:voulons|souhaitons"
    r"|avons besoin)\b"
    r"|\b(?:queremos|necesitamos)\b", _I,
)  # fmt: skip
_WISH = re.compile(r"\bplease\b|\bbitte\b|s['’]il vous pla[îi]t|\bpor favor\b", _I)
_ABOUT = re.compile(r"\bpropos\w+|looking for|\bdesign on\b|would like to receive", _I)
_NEED_LEAD = re.compile(
    r"need|want|must|should|has to do|features?|functions?|use cases?|requirements?|do:"
    r"|anforderung|funktion"
    r"|besoin|fonction|necesi|funcion|scope|user stor", _I,
)  # fmt: skip

_AREAS: dict[str, re.Pattern[str]] = {
    "SEC": at_words(
    r"encrypt\w*|secur\w+|personal data|nothing personal|personal\b.*\bleave|privacy"
    r"|\bpermissions?\b"
        r"|confidential|\baccess\b(?! to the (?:api|report))|private|\bvpn\b|internet"
        r"|secrets?\b|passwords?|audit\w*"
        r"|who looked at|masked|certificates?|identity provider|\bsso\b|\bmfa\b|saml|oidc"
        r"|separated|isolat\w+"
        r"|consent|\bgdpr\b|\bpci\b|hipaa|\biso\b|\bsoc\b|\bdora\b|\bfma\b|health data|\bphi\b"
        r"|train anybody"
        r"|data must stay|stays? in|remain in|everything in the|hosted in|hébergement|alojamiento"
        r"|leave|residen\w+"
        r"|penetration|waf\b|ddos|least privilege|neither changed nor"
        r"|tamper|\bkeys\b|\bhsm\b|\bcmek\b|erased|deletion requests|only \d+ people"
        r"|\bcompl(?:y|iance)\b|\blaw\b"
        r"|\bkept\b|\bretain\w*|retention|archiv(?:e[sd]?|ing)\b|staff only|employees only"
        r"|internal only|intranet|aufbewahr\w*|aufzubewahren|conserv\w+|we keep|keep data"
        r"|datenschutz|dsgvo|rgpd|verschlüssel\w*|zugriff\w*|personenbezogen\w*|chiffr\w+"
        r"|données personnelles"
        r"|sécurité|cifrad\w+|datos personales|seguridad|anonym\w*|pseudonym\w*|regulat\w+"
        r"|supervisory"
),
    "REL": at_words(
    r"availab\w*|uptime|fail(?:s|ed|ure|over)?\b|\bzones?\b|multi-?region|backups?|recover\w*"
    r"|redundan\w+"
        r"|\blos(?:e|ing|t|s)\b|downtime|consistent\w*|idempoten\w+|double count\w*"
        r"|exactly[- ]once|retr(?:y|ies)"
        r"|duplicat\w+|outages?|\bHA\b"
        r"|be back|burns down|\brto\b|\brpo\b|replay|survivable|interruption|late\b|disaster"
        r"|resilien\w+"
        r"|verfügbar\w*|ausfall\w*|datenverlust|wiederherstell\w*|disponib\w+|perte|panne"
        r"|reprise|recuperaci\w+"
        r"|pérdida|caída"
),
    "COST": re.compile(
        r"budget|\bcosts?\b|cheap\w*|\bmoney\b|licen[cs]\w+|\bsave\b|\bcap\b|\b(?:EUR|USD|GBP"
        r"|CHF)\b|[€£]|US\$"
        r"|per month|afford|invoice from|kosten|\bcoûts?\b|coste\w*|presupuesto|finance wants", _I),
    "PERF": at_words(
    r"latenc\w+|\bfast\b|\bpeaks?\b|\bload\b|scal\w+|throughput|traffic|slow another|slow\b"
    r"|\bp9[59]\b|within \d+ ?(?:ms|s)"
        r"|under \d+ ?(?:ms|s)\b|respon\w+|answer\w* (?:in|within)|per second|a second|/s\b"
        r"|a minute|concurrent"
        r"|at the same time|month end|black friday|real[- ]?time|late\b|seconds?\b"
        r"|largest \w+ causes|antwortzeit|spitze"
        r"|lastspitzen|charge|débit|carga|rendimiento|skalier\w+|grow\w*|redesign"
),
    "OPS": at_words(
    r"\bteam\b|engineers?\b|developers?\b|contractors?\b|on-call|releases?\b|go-?live|\blive\b"
    r"|deadline|migrat\w+"
        r"|cut-?over|kubernetes|monitor\w*|support\b|contract ends|maintain\w*|known answers"
        r"|open source|exit plan"
        r"|left again|working hours|nothing exotic|written anything|t-sql|pilot|touched in"
        r"|\bproduction\b|on duty"
        r"|page whoever|runbook|ci/cd|terraform|closed\b|stay with|before each"
        r"|mitarbeiter im betrieb|betrieb\b"
        r"|équipe|exploitation|equipo|operaciones|entwickler|skills?\b|train(?:ed)? staff"
        r"|lock-?in|serverless"
        r"|managed services?|windows|in production|by the end|out by|unless somebody objects|ops\b"
),
    "SUS": at_words(
    r"carbon|green\b|sustainab\w+|co2|co₂|climate|energy|renewable|nachhaltig\w*|klima"
    r"|durable\b|sostenib\w+"
        r"|at night it can be off|at night there is"
),
}  # fmt: skip
_FEATURE = at_words(
    r"(?:fraud|risk|credit) (?:scoring|check\w*|detection)|\breconciliation|geo[- ]?(?:block"
    r"|fenc)\w+"
    r"|signed urls?|subscription (?:needed|required|only)|\blive (?:matches|match|streams?|video)"
    r"|thumbnails|bill payment|push notifications?|own domain|custom domain|eigene\w* domain"
    r"|double[- ]entry|single sign-on for|appointments?:"
)
_DEMAND = re.compile(
    r"\b(?:must|has to|have to|shall|needs to|need to|muss|müssen|soll|sollen|doi(?:t|vent)"
    r"|deb(?:e|en))\b", _I,
)  # fmt: skip
_END_USERS = re.compile(
    r"(?:our |the |unsere |nos |nuestros )?(?:customers?|users?|kunden|nutzer|bürger|clients"
    r"|patients"
    r"|members|visitors|viewers|students|clientes|usuarios)\s", _I,
)  # fmt: skip
_PREMISES = re.compile(
    r"hospitals|clinics|stores|shops|branches|schools|hotels|offices|sites|plants|factories"
    r"|countries|filialen|standorte|magasins|tiendas|locations"
)
_PORTRAIT = re.compile(
    r"\b(?:runs?|operates?|owns?|has|have|are|is|betreibt|betreiben|hat|haben)\s\D{0,20}\d", _I
)
_WEAK = vocabulary(
    """answer answers answered open opens keep keeps run runs load loads say says serve serves
    host hosts check checks store stores record records process processes return
    returns call calls connect connects"""
)
_NOUNLIKE = vocabulary(
    """calls orders reports requests loads stores records streams scans checks updates comments
    streams rates trains books shares plans prints plots invoices views queries lists types searches
    tags scores order call report request load store record stream scan check update comment
    rate train book share plan print plot invoice view query list type search tag score answer
    answers page pages display match uploads upload downloads download transforms filters
    exports imports export import push monitor track schedule deliver tracks returns commande
    commandes reserva reservas bestellungen bestellung consulta consultas suche lese import
    export visible"""
)
_NOUN_AFTER = vocabulary(
    """of the a an per our their its all every each some any no page api sales order many more
    most next this that these those in by with for from on at as them read write web push data
    concurrent parallel simultaneous
    audit failed new old stock event nightly daily month die der das den le la les des du el
    los las un una une pro par por de"""
)
_MEASURED = (Measure.LATENCY, Measure.THROUGHPUT, Measure.RETENTION, Measure.FREQUENCY)
_LOADS = (Measure.THROUGHPUT, Measure.DATA_RATE, Measure.USERS, Measure.DATA_VOLUME, Measure.ITEMS,
          Measure.DEVICES, Measure.FREQUENCY, Measure.ITEM_SIZE, Measure.LATENCY,
          Measure.FRESHNESS, Measure.RETENTION)  # fmt: skip
_PURE = (Measure.RTO, Measure.RPO, Measure.AVAILABILITY, Measure.BUDGET, Measure.TEAM,
         Measure.DEADLINE)  # fmt: skip
_RESTRICTS = re.compile(
    r"\b(?:must never|never|must not|may not|not be|no \w+ may|shall not|neither"
    r"|only \w+ (?:people|may)|logically"
    r"|has to be kept|have to be kept|may be kept|cannot)\b", _I,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sorted:
    """The sentences of a request, each in one place. ``context`` is what only explains."""

    needs: tuple[Need, ...]
    constraints: tuple[Constraint, ...]
    context: tuple[str, ...]


def sort(
    sentences: Sequence[Sentence],
    figures: Sequence[Figure],
    current: Sequence[str],
    asked: Sequence[Sentence] = (),
) -> Sorted:
    """Sort the sentences; those of the current state are no needs unless somebody uses them.

    ``asked`` are sentences of answers and feedback: they always become a need or a constraint.
    """
    forced = {s.text for s in asked}
    by_sentence: dict[str, list[Figure]] = {}
    for figure in figures:
        by_sentence.setdefault(figure.sentence, []).append(figure)
    needs: list[Need] = []
    constraints: list[Constraint] = []
    context: list[str] = []
    seen: set[str] = set()
    existing = set(current)
    for sentence in sentences:
        text = sentence.text
        if text in seen or len(text) < 6 or is_ask_only(sentence):
            continue
        seen.add(text)
        own = by_sentence.get(text, [])
        if _is_talk(text, own):
            continue
        areas = areas_of(text)
        if _is_need(sentence, own, areas, text in existing):
            needs.append(Need(text=text, capabilities=capabilities(text)))
        elif areas and text not in existing:
            constraints.append(Constraint(text=text, area=_main_area(areas, own)))
        elif any(f.measure in _PURE for f in own) and text not in existing:
            constraints.append(Constraint(text=text, area=_main_area({}, own)))
        elif any(f.measure in _LOADS for f in own) and text not in existing:
            if _is_portrait(text, own):
                context.append(text)
                continue
            rhythm = all(f.measure in (Measure.FREQUENCY, Measure.OTHER) for f in own)
            kept = all(f.measure in (Measure.RETENTION, Measure.OTHER) for f in own)
            area = "OPS" if rhythm else "SEC" if kept else "PERF"
            constraints.append(Constraint(text=text, area=area))
        elif text not in existing and _WISH.search(text) and not _ABOUT.search(text):
            constraints.append(Constraint(text=text, area="OPS"))
        elif _MODAL.search(text) and _RESTRICTS.search(text) and text not in existing:
            constraints.append(Constraint(text=text, area="REL"))
        elif text not in existing and (_DEMAND.search(text) or (outside(text) and len(text) < 80)):
            needs.append(Need(text=text, capabilities=capabilities(text)))
        elif text in forced:
            if _verb(text) is not None:
                needs.append(Need(text=text, capabilities=capabilities(text)))
            else:
                constraints.append(Constraint(text=text, area="OPS"))
        elif text not in existing:
            context.append(text)
    return Sorted(tuple(needs), tuple(constraints), tuple(context))


def _is_portrait(text: str, figures: Sequence[Figure]) -> bool:
    """Whether a sentence only says who is asking: "Mercy Valley Health runs 3 hospitals"."""
    places = all(
        f.measure is Measure.ITEMS and _PREMISES.search(f.unit) is not None
        for f in figures
        if f.measure is not Measure.OTHER
    )
    return places and _PORTRAIT.search(text) is not None


def negated_feature(text: str) -> bool:
    """Whether a sentence rules out the function that it names."""
    return any(negated(text, *m.span()) for m in _FEATURE.finditer(text))


def areas_of(text: str) -> dict[str, int]:
    """Areas that the words of a sentence touch, with how often."""
    counts = {area: len(pattern.findall(text)) for area, pattern in _AREAS.items()}
    return {area: count for area, count in counts.items() if count}


def _is_talk(text: str, figures: Sequence[Figure]) -> bool:
    if not _TALK.search(text):
        return False
    return not [f for f in figures if f.unit not in ("date", "clock")]


def _is_need(
    sentence: Sentence, figures: Sequence[Figure], areas: dict[str, int], existing: bool
) -> bool:
    text = sentence.text
    verb = _verb(text)
    if _FEATURE.search(text) and not any(f.measure in _PURE for f in figures):
        return not existing and not negated_feature(text)
    if verb is None:
        wish = _MAIN.search(text) and (":" in text or " with " in text or not areas)
        return bool(wish) and not any(f.measure in _PURE for f in figures) and not existing
    lead = bool(_NEED_LEAD.search(sentence.lead))
    head = text[: verb.start()]
    passive = verb.group().lower() in _PASSIVE.split() and re.search(
        r"\b(?:is|are|be|get)\s\Z", head
    )
    actor = sentence.bullet or lead or passive or _ACTORS.search(head)
    if not actor:
        return False
    modal = _MODAL.search(text) is not None
    pure = any(f.measure in _PURE and not f.current for f in figures)
    if (pure and not lead) or (_RESTRICTS.search(text) and areas and not lead):
        return False
    if existing and not (modal or lead or outside(text) or _END_USERS.match(text)):
        return False
    if verb.group().lower() in _WEAK:
        measured = any(f.measure in _MEASURED for f in figures)
        return (modal or lead) and not measured and set(areas) <= {"PERF"}
    return modal or lead or not {"COST", "OPS"} & set(areas)


def _verb(text: str) -> re.Match[str] | None:
    """The first verb of use; "orders", "calls" and their like only where they are verbs."""
    for match in _FUNCTION.finditer(text):
        if match.group().lower() in _NOUNLIKE:
            before = text[: match.start()].split()
            previous = before[-1].lower().strip("(\"'“") if before else ""
            if not previous or previous in _NOUN_AFTER or previous[-1:].isdigit():
                continue
            if re.match(r"\s(?:of|per|for each|a (?:day|minute|second)|have|has|are|is|must)\b",
                        text[match.end() :]):  # fmt: skip
                continue
        return match
    return None


def _main_area(areas: dict[str, int], figures: Sequence[Figure]) -> str:
    by_measure = {
        Measure.RTO: "REL", Measure.RPO: "REL", Measure.AVAILABILITY: "REL", Measure.BUDGET: "COST",
        Measure.LATENCY: "PERF", Measure.THROUGHPUT: "PERF", Measure.TEAM: "OPS",
        Measure.DEADLINE: "OPS", Measure.GROWTH: "PERF",
    }  # fmt: skip
    weights = dict(areas)
    for figure in figures:
        area = by_measure.get(figure.measure)
        if area:
            weights[area] = weights.get(area, 0) + 2
    order = ("SEC", "REL", "COST", "SUS", "PERF", "OPS")
    return max(order, key=lambda area: (weights.get(area, 0), -order.index(area)))
