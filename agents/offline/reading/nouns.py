"""What is counted: closed vocabularies of people, devices, machines and things.

A number in digits may count anything ("430 packages"); a number word needs a noun listed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from agents.offline.reading.text import vocabulary


class Noun(StrEnum):
    """Classes of counted things."""

    TEAM = "team"
    USERS = "users"
    PEOPLE = "people"  # team or users: the sentence decides
    DEVICES = "devices"
    MACHINES = "machines"  # devices in a plant, servers in a data centre
    UNITS = "units"
    COMPUTE = "compute"
    ITEMS = "items"
    TRAFFIC = "traffic"


_VOCABULARY: dict[Noun, str] = {
    Noun.TEAM: (
        "engineers engineer developers developer devs dev ops admins admin administrators"
        " contractors"
        " contractor sres sre dbas dba programmers freelancers architects"
        " entwickler entwicklerinnen administratoren ingenieure ingénieurs ingénieur développeurs"
        " développeur administrateurs ingenieros ingeniero desarrolladores desarrollador"
        " administradores fte ftes"
    ),
    Noun.USERS: (
        "users user customers customer tenants tenant subscribers members clients accounts visitors"
        " analysts analyst handlers handler agents employees staff students teachers patients"
        " doctors drivers editors readers viewers players shoppers buyers sellers merchants "
        "partners"
        " citizens guests colleagues nurses lawyers researchers scientists managers technicians"
        " audience fans spectators passengers farmers parents pupils volunteers archivists "
        "companies organisations organizations firms households mau dau"
        " nutzer nutzern benutzer benutzern kunden mandanten mitarbeiter mitarbeitern mitarbeitende"
        " besucher anwender abonnenten bürger patienten schüler studierende analysten händler"
        " utilisateurs utilisateur clients abonnés visiteurs employés salariés analystes locataires"
        " usuarios usuario clientes inquilinos empleados visitantes analistas suscriptores"
    ),
    Noun.PEOPLE: "people persons person leute personen personne personnes personas gente kollegen",
    Noun.DEVICES: (
        "devices device sensors sensor meters meter gateways gateway cameras camera drones drone "
        "trucks vehicles"
        " trailers cars scooters turbines tills thermostats trackers controllers robots lifts"
        " elevators appliances modems phones boxes plcs panels inverters chargers tractors beacons"
        " geräte geräten sensoren zähler fahrzeuge kameras maschinen anlagen wechselrichter"
        " appareils capteurs compteurs véhicules caméras dispositivos sensores contadores vehículos"
        " cámaras bornes"
    ),
    Noun.MACHINES: "machines machine máquinas",
    Noun.UNITS: "units unit",
    Noun.COMPUTE: (
        "vcpus vcpu cpus cpu cores core kerne gpus gpu tpus nodes node servers server hosts host "
        "vms"
        " vm instances instance containers container pods pod clusters cluster racks rack blades"
        " balancers balancer brokers broker workers replicas shards threads lpars mips"
        " knoten rechner servern rechnern serveurs serveur nœuds noeuds servidores servidor nodos "
        "instancias"
    ),
    Noun.TRAFFIC: (
        "requests request reqs req calls call queries query orders order transactions transaction"
        " events event messages message msgs msg hits clicks views pageviews searches logins jobs"
        " bookings payments uploads downloads invocations sessions writes reads records readings"
        " questions prompts tokens emails mails notifications updates conversions checkouts hits"
        " anfragen anfrage bestellungen bestellung ereignisse nachrichten transaktionen aufrufe"
        " zugriffe buchungen zahlungen meldungen messwerte seitenaufrufe"
        " requêtes requête commandes commande événements évènements messages appels transactions"
        " réservations paiements"
        " peticiones petición solicitudes pedidos pedido eventos evento mensajes mensaje llamadas"
        " transacciones consultas reservas pagos"
    ),
    Noun.ITEMS: (
        "documents document files file tables table rows row products skus sku articles pages page"
        " videos video images image photos photographs pictures datasets dataset stores store shops"
        " sites site locations reports report packages pipelines services microservices apps"
        " applications databases database schemas topics repositories repos models dashboards"
        " buckets objects items item invoices claims contracts chunks vectors embeddings books "
        "songs"
        " tracks episodes hours properties listings assets scans branches hospitals schools"
        " factories plants warehouses rooms countries languages regions zones environments projects"
        " networks subnets vpcs endpoints apis domains scripts procedures views queues volumes"
        " snapshots backups teams departments brands markets currencies weekends"
        " dokumente dokumenten dateien filialen artikeln standorten tabellen artikel produkte "
        "filialen bilder standorte berichte"
        " seiten rechnungen verträge länder datenbanken anwendungen"
        " fichiers tables produits magasins vidéos pages rapports contrats bases sites boutiques"
        " documentos archivos tablas productos tiendas vídeos imágenes informes páginas facturas"
        " contratos sedes"
    ),
}
NOUNS: dict[str, Noun] = {
    word: kind for kind, vocabulary in _VOCABULARY.items() for word in vocabulary.split()
}

_SENDERS = (Noun.DEVICES, Noun.UNITS, Noun.PEOPLE, Noun.TEAM)
_STOP = vocabulary(
    "and or of in on at to for from by with without within under over after before until when while"
    " if as is are was were be been being has have had must may can could shall should will would "
    "do"
    " does did not no nor than then that this these those which who whom whose it its we our they"
    " their you your he she his her them us i my me so but because since per a an the all any both"
    " only about around roughly more less most least very too also just now today already again"
    " there here where how why what well such up down out off per each every cost costs run runs"
    " sind ist und oder der die das den dem des ein eine mit von zu im am bei auf für pro je werden"
    " wird nicht als wie nach vor bis über unter um aus müssen soll sollen"
    " et ou de du des le la les un une dans avec par pour sur est sont au aux en à"
    " y o el los las del con por para en es al que se su"
)
_TOKEN = re.compile(r"[^\W_][\w’'+.&]*(?<![.'’])")
_MANY = re.compile(r"(?:illi[oó]n(?:s|es|en)?|illiards?|crores?|lakhs?|mil|mille)\Z", re.IGNORECASE)
_MANY_OF = re.compile(r"\s(?:de|of|di)\s(?!the\b)", re.IGNORECASE)
_GAP = re.compile(r"[ \u00a0\u202f]|-(?=\w)")


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """What follows a number: the words as written, the head, its class, and where it ends."""

    text: str
    head: str
    kind: Noun | None
    end: int


def noun_phrase(text: str, end: int, *, closed_only: bool, language: str) -> NounPhrase | None:
    """The noun phrase that starts right after ``end``; None when no noun follows."""
    of = _MANY_OF.match(text, end) if _MANY.search(text, max(0, end - 12), end) else None
    tokens = _tokens(text, of.end() - 1 if of else end)
    if not tokens:
        return None
    closed = _closed(tokens)
    if closed is not None:
        index, kind = closed
    elif closed_only:
        return None
    else:
        found = _open(tokens, language)
        if found is None:
            return None
        index, kind = found, None
    word, _, stop = tokens[index]
    return NounPhrase(text[tokens[0][1] : stop], word.lower(), kind, stop)


def _tokens(text: str, end: int) -> list[tuple[str, int, int]]:
    """Up to six words after ``end``, as far as only blanks or a hyphen lie between them."""
    found: list[tuple[str, int, int]] = []
    at = end
    while len(found) < 6:
        gap = _GAP.match(text, at)
        token = _TOKEN.match(text, gap.end() if gap else at)
        if token is None or (gap is None):
            break
        word = token.group()
        found.append((word, token.start(), token.end()))
        at = token.end()
    return found


def _closed(tokens: list[tuple[str, int, int]]) -> tuple[int, Noun] | None:
    best: tuple[int, Noun] | None = None
    joined = False  # "40 page and API calls": one noun for both
    for index, (word, _, _) in enumerate(tokens):
        lower = word.lower()
        if word[0].isdigit() and joined:
            break
        kind = None if word[0].isdigit() else NOUNS.get(lower)
        if kind is not None:
            next_to = best is not None and index == best[0] + 1
            if best is not None and kind is Noun.TRAFFIC and best[1] in _SENDERS:
                break  # "340 drones uploads": they do it
            if best is None or next_to or (joined and kind is Noun.TRAFFIC):
                # "claims handlers", "product managers", "database servers": the last noun counts
                best = (index, kind)
            elif kind in (Noun.COMPUTE, Noun.TEAM) and index == best[0] + 2:
                # "machine learning engineers"
                best = (index, kind)
            else:
                break
        elif lower in ("and", "und", "et", "y") and index in (1, 2) and not joined:
            joined = True
        elif lower in _STOP or (best is not None and index > best[0] + 1 and not joined):
            break
    return best


def _open(tokens: list[tuple[str, int, int]], language: str) -> int | None:
    """Index of a noun outside the vocabulary: a plural, or in German a capitalised word."""
    for index, (word, _, _) in enumerate(tokens[:3]):
        lower = word.lower()
        if lower in _STOP or len(lower) < 2:
            break
        plural = lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3
        if plural or (language == "de" and word[0].isupper()):
            return index
    first = tokens[0][0].lower()
    if first not in _STOP and len(first) > 1 and not first[0].isdigit():
        return 0
    return None
