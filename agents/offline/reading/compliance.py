"""Laws, norms and certificates that the request names, and those that it says do not apply."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.reading.negation import negated
from agents.offline.reading.text import Phrases, Sentence, unique

_NAMES: dict[str, str] = {
    "PCI DSS": "pci|pci dss|pci-dss|pcidss",
    "GDPR": "gdpr|dsgvo|ds-gvo|rgpd|avg-wet|eu-dsgvo|general data protection regulation",
    "UK GDPR": "uk gdpr|uk-gdpr",
    "HIPAA": "hipaa|hitech",
    "SOC 2": "soc 2|soc2|soc-2|soc ii|soc 2 type ii",
    "SOC 1": "soc 1|soc1|isae 3402",
    "ISO 27001": "iso 27001|iso27001|iso/iec 27001|iso-27001|iso iec 27001",
    "ISO 27017": "iso 27017",
    "ISO 27018": "iso 27018",
    "ISO 22301": "iso 22301",
    "ISO 13485": "iso 13485",
    "IEC 62443": "iec 62443",
    "FedRAMP": "fedramp",
    "CJIS": "cjis",
    "ITAR": "itar",
    "FERPA": "ferpa",
    "COPPA": "coppa",
    "CCPA": "ccpa|cpra",
    "LGPD": "lgpd",
    "PIPEDA": "pipeda",
    "PHIPA": "phipa",
    "DORA": "dora",
    "NIS2": "nis2|nis 2|nis-2",
    "BSI C5": "c5|bsi c5",
    "KRITIS": "kritis",
    "TISAX": "tisax",
    "BaFin": "bafin|bait|vait|marisk",
    "FINMA": "finma",
    "FMA": "fma",
    "FCA": "fca",
    "SOX": "sox|sarbanes-oxley",
    "GoBD": "gobd",
    "HDS": "hds",
    "SecNumCloud": "secnumcloud",
    "ENS": "esquema nacional de seguridad",
    "HITRUST": "hitrust",
    "GxP": "gxp|gmp|gdp-pharma|21 cfr part 11|21 cfr 11",
    "PSD2": "psd2|psd 2",
    "eIDAS": "eidas",
    "EU AI Act": "ai act|eu ai act|ki-verordnung",
    "MDR": "medical device regulation",
    "HACCP": "haccp",
    "EN 12830": "en 12830",
    "WCAG": "wcag|wcag 2.1|wcag 2.2",
    "IRAP": "irap",
    "MAS TRM": "mas trm",
    "DPDP Act": "dpdp|dpdp act",
    "POPIA": "popia",
    "APPI": "appi",
    "FADP": "fadp|ndsg|dsg|revdsg",
    "Cyber Essentials": "cyber essentials",
    "NERC CIP": "nerc cip",
    "NHS DSPT": "dspt",
}
_PHRASES = Phrases(
    {spelling: name for name, spellings in _NAMES.items() for spelling in spellings.split("|")}
)
_UPPER = frozenset({"c5", "ens", "hds", "dora", "sox", "mdr", "dsg", "fma", "fca", "appi", "bait"})


def compliance(sentences: Sequence[Sentence]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that apply, in order, and names that the request rules out."""
    held: list[str] = []
    denied: list[str] = []
    for sentence in sentences:
        for name, start, end in _PHRASES.find(sentence.text):
            written = sentence.text[start:end]
            if written.lower() in _UPPER and not written[:1].isupper():
                continue
            (denied if negated(sentence.text, start, end) else held).append(name)
    return unique(held), unique(n for n in denied if n not in held)


def names_in(text: str) -> tuple[str, ...]:
    """Names that a text contains, in any spelling and denied or not."""
    return unique(name for name, _, _ in _PHRASES.find(text))
