"""Patterns of single industries: clinical data in its own formats, live channels of video."""

from __future__ import annotations

import re

from agents.offline.brief import Brief
from agents.offline.load import number
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal

_STREAMS = re.compile(
    r"(?P<n>\d[\d.,]*)\s*(?P<k>k\b|thousand|million|mio)?\s*(?:concurrent|simultaneous|parallel)"
    r"[^.;]{0,40}?(?:at|of|x|with)\s+(?P<rate>\d+(?:[.,]\d+)?)\s*(?P<unit>[MG])bit/?p?s",
    re.I,
)
_FACTORS = {"k": 1e3, "thousand": 1e3, "million": 1e6, "mio": 1e6}


def egress(b: Brief) -> tuple[float, str]:
    """Gbit/s to viewers at peak, with the sum; zero and nothing where no rate is stated."""
    match = _STREAMS.search(b.text)
    if match is None:
        return 0.0, ""
    count = float(match["n"].replace(",", "").rstrip("."))
    count *= _FACTORS.get((match["k"] or "").lower(), 1.0)
    each = float(match["rate"].replace(",", ".")) / (1000 if match["unit"].upper() == "M" else 1)
    total = count * each
    unit = f"{match['unit'].upper()}bit/s"
    shown = f"{number(count)} streams x {match['rate']} {unit} = {number(total)} Gbit/s at peak"
    return total, shown


def heavy_video(b: Brief) -> bool:
    """Whether so much video leaves that a delivery network made for it has to carry it."""
    said = b.says(r"\d+ ?TB a month|petabyte") and b.says(r"\bvideos?\b|\bfilms?\b|stream")
    watched = b.has(Signal.LIVE_VIDEO) and b.says(r"viewers?|watch")
    return egress(b)[0] >= 10 or bool(said) or bool(watched)


def clinical_images(b: Brief) -> bool:
    """Whether images of the clinical kind are kept or shown."""
    return bool(b.says(r"\bDICOM\w*|\bPACS\b|radiolog"))


def _clinical(b: Brief) -> str:
    forms = [
        name
        for name, pattern in (
            ("FHIR resources", r"\bFHIR\b"),
            ("HL7 v2 messages", r"\bHL7\b"),
            ("DICOM images", r"\bDICOM"),
        )
        if b.says(pattern)
    ]
    files = b.load.files
    images = ""
    if clinical_images(b) and files:
        shown = b.latency(r"DICOM|image|view", under=60)
        goal = f", each series on screen within {shown}" if shown else ""
        images = f"; {files.text} of images stay out of the transactional database{goal}"
    said = b.quote(Signal.CLINICAL, limit=90)
    return f"{', '.join(forms)} with their consent and audit marks{images} (“{said}”)"


def _live(b: Brief) -> str:
    said = b.quote(Signal.LIVE_VIDEO, limit=100)
    delay = b.latency(r"live", under=120)
    goal = f", at the viewer within {delay}" if delay else ""
    return (
        f"from the venue and cuts them into segments of each quality while the event runs{goal} "
        f"(“{said}”)"
    )


INDUSTRY: tuple[PartSpec, ...] = (
    spec(
        Part.LIVE,
        Layer.APPLICATION,
        "Live channels",
        "Takes in live feeds",
        _live,
        r"live (?:match\w*|stream\w*|video|games?|channels?|broadcasts?)|\bRTMP\b|\bSRT\b",
        areas="PERF REL",
        nfr=r"\blive\b",
    ),
    spec(
        Part.CLINICAL,
        Layer.DATA,
        "Clinical data store",
        "Keeps in the clinical formats",
        _clinical,
        r"\bFHIR\b|\bHL7\b|\bDICOM\w*|clinical|lab results?|\bEpic\b|medical images?",
        areas="SEC PERF",
        nfr=r"\bFHIR\b|\bHL7\b|\bDICOM|\bPHI\b|HIPAA|health",
    ),
)
