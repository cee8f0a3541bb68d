"""Systems outside the solution that the request names, and which part each one meets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.offline.brief import Brief
from agents.offline.patterns_model import Part
from agents.offline.signals import Signal
from agents.offline.wording import around

P = Part


@dataclass(frozen=True, slots=True)
class Outsider:
    """A system of others. ``gives`` sends data in, ``takes`` gets data out; ``meets`` in order."""

    name: str
    meets: tuple[Part, ...]
    gives: bool
    takes: bool
    what: str
    style: str
    evidence: str


# pattern, name to show ("" = as written), parts it may meet, direction, what moves, style
_KNOWN: tuple[tuple[str, str, tuple[Part, ...], str, str, str], ...] = (
    (
        r"SAP [A-Z0-9/]+(?:HANA)?|\bSAP\b",
        "",
        (P.BATCH_LOAD, P.EVENT_LOG, P.WORKER, P.API),
        "both",
        "business records",
        "interface of the system",
    ),
    (
        r"\bShopify\b|\bMagento\b|\bShopware\b",
        "",
        (P.BATCH_LOAD, P.WORKER, P.API),
        "in",
        "sales",
        "HTTPS pull",
    ),
    (
        r"\bSalesforce\b|\bHubSpot\b|\bDynamics\b",
        "",
        (P.BATCH_LOAD, P.WORKER, P.API),
        "in",
        "customer records",
        "HTTPS pull",
    ),
    (
        r"\btill files\b|\bPOS files\b|\bCSV files\b|\btills\b",
        "Store tills",
        (P.RAW, P.BATCH_LOAD, P.FILE_EXCHANGE),
        "in",
        "sales files",
        "file drop over TLS",
    ),
    (
        r"Postgres(?:QL)? on RDS|\bRDS\b",
        "Loyalty database on RDS",
        (P.BATCH_LOAD, P.DATA_MOVE),
        "in",
        "changed rows",
        "change capture or nightly query",
    ),
    (
        r"\bPower ?BI\b",
        "Power BI",
        (P.DASHBOARD, P.WAREHOUSE),
        "out",
        "report queries",
        "SQL over TLS",
    ),
    (
        r"\bTableau\b|\bQlik\b",
        "",
        (P.DASHBOARD, P.WAREHOUSE),
        "out",
        "report queries",
        "SQL over TLS",
    ),
    (
        r"\bSharePoint\b",
        "SharePoint",
        (P.DOC_INTAKE,),
        "in",
        "documents and their permissions",
        "HTTPS pull",
    ),
    (
        r"\bfile server\b",
        "File server",
        (P.DOC_INTAKE, P.HYBRID_LINK),
        "in",
        "documents",
        "file copy over the private link",
    ),
    (
        r"\bEntra ID\b|\bAzure AD\b|\bOkta\b|\bKeycloak\b|\bAuth0\b|\bPing\b(?= ?(?:ID|Identity))",
        "",
        (P.SIGN_IN, P.ANSWER, P.API),
        "in",
        "identities and group membership",
        "OIDC",
    ),
    (
        r"own identity provider",
        "Tenants' identity providers",
        (P.SIGN_IN,),
        "in",
        "signed-in identities",
        "SAML or OIDC",
    ),
    (
        r"\bGuidewire ClaimCenter\b|\bGuidewire\b",
        "",
        (P.PUBLIC_ENTRY, P.WORKER, P.ANSWER),
        "in",
        "a call whenever a claim is opened",
        "webhook over HTTPS",
    ),
    (r"\bGeoSphere\b", "GeoSphere", (P.EGRESS, P.ANSWER), "out", "weather look-ups", "HTTPS"),
    (
        r"\bStripe\b|\bAdyen\b|\bPayPal\b|\bMollie\b|payment (?:provider|gateway)",
        "",
        (P.EGRESS, P.API),
        "out",
        "payment calls",
        "HTTPS",
    ),
    (
        r"mail provider|e-?mail provider|\bSendGrid\b|\bMailgun\b",
        "Mail provider",
        (P.NOTIFIER, P.EVENT_LOG, P.WORKER, P.API),
        "out",
        "messages to send",
        "HTTPS",
    ),
    (r"\bSMS\b|\bTwilio\b", "SMS carrier", (P.NOTIFIER,), "out", "text messages", "HTTPS"),
    (
        r"finance people|accountants?|\bDATEV\b",
        "Finance",
        (P.FILE_EXCHANGE, P.WAREHOUSE),
        "out",
        "nightly order files",
        "SFTP",
    ),
    (
        r"recommendation (?:team|service|engine)",
        "Recommendation service",
        (P.STREAM, P.EVENT_LOG, P.API),
        "out",
        "the same sessions as a stream",
        "subscription",
    ),
    (
        r"tenants' systems|webhooks",
        "Tenants' systems",
        (P.WEBHOOKS,),
        "out",
        "change events",
        "HTTPS webhook",
    ),
    (r"\bSalto\b|\bSFTP server\b|\bEDI\b", "", (P.FILE_EXCHANGE,), "both", "files", "SFTP"),
    (
        r"\bHL7\b|\bFHIR\b|\bEpic\b|\bCerner\b|\bKIS\b|\bPACS\b",
        "",
        (P.CLINICAL, P.API, P.WORKER, P.BATCH_LOAD),
        "both",
        "clinical records",
        "HL7 or FHIR over TLS",
    ),
    (
        r"\bERP\b|\bNetSuite\b|\bOdoo\b|\bNavision\b",
        "",
        (P.BATCH_LOAD, P.WORKER, P.API),
        "both",
        "business records",
        "HTTPS",
    ),
    (
        r"\bbanks\b",
        "Banks",
        (P.FILE_EXCHANGE,),
        "both",
        "statement and reconciliation files",
        "SFTP",
    ),
    (
        r"\bHSMs?\b",
        "External HSM",
        (P.KEYS,),
        "in",
        "wrapping and unwrapping of keys",
        "key calls over a private network",
    ),
    (r"\bActive Directory\b", "", (P.SIGN_IN, P.API), "in", "identities", "OIDC"),
    (
        r"\bGitHub\b|\bGitLab\b|\bBitbucket\b",
        "",
        (P.PUBLISHING, P.DELIVERY),
        "in",
        "commits",
        "signed push event",
    ),
    (r"\bCRM\b", "CRM", (P.BATCH_LOAD, P.WORKER, P.API), "both", "customer records", "HTTPS"),
    (
        r"\b[a-z]+ systems?\b(?= (?:delivers?|sends?|drops?|uploads?))",
        "",
        (P.FILE_EXCHANGE, P.BATCH_LOAD, P.EVENT_LOG, P.API),
        "in",
        "deliveries",
        "file drop or call",
    ),
)
_OLD_DATABASE = (
    (Signal.ORACLE, "Oracle database"),
    (Signal.SQL_SERVER, "SQL Server"),
    (Signal.MYSQL, "MySQL"),
    (Signal.POSTGRES, "PostgreSQL"),
    (Signal.MONGODB, "MongoDB"),
)


def outsiders(b: Brief) -> tuple[Outsider, ...]:
    """The outside systems that the request names, each once, in the order of the table."""
    found: dict[str, Outsider] = {}
    for pattern, shown, meets, direction, what, style in _KNOWN:
        compiled = re.compile(pattern)
        for line in b.lines:
            match = compiled.search(line)
            if match is None:
                continue
            name = shown or match.group(0).strip()
            name = name[:1].upper() + name[1:]
            if not any(name in other or other in name for other in found):
                gives = direction == "in" or (direction == "both" and not _sent_to(line, name))
                found[name] = Outsider(
                    name,
                    meets,
                    gives,
                    not gives,
                    what,
                    style,
                    around(line, pattern, 80),
                )
            break
    return tuple(found.values())


def _sent_to(line: str, name: str) -> bool:
    """Whether a sentence says that something goes to this system."""
    before = line[: line.lower().find(name.lower())]
    return bool(re.search(r"\bto (?:the |our |their )?[^.;,:]*$", before, re.I))


def old_database(b: Brief) -> str:
    """The database of the existing system by name, or a general word."""
    version = re.search(
        r"\b(Oracle(?: Database)?(?: \d+\w?)?|SQL Server(?: \d{4})?|PostgreSQL(?: \d+)?|"
        r"MySQL(?: [\d.]+)?|"
        r"MariaDB(?: [\d.]+)?|MongoDB(?: [\d.]+)?|DB2)\b",
        b.text,
    )
    if version:
        return version.group(1)
    return next((name for signal, name in _OLD_DATABASE if b.has(signal)), "Existing database")
