"""What the circumstances of a request need of its products, as questions with yes or no."""

from __future__ import annotations

import re

from agents.offline.brief import Brief
from agents.offline.facts import Measure
from agents.offline.patterns_model import Part
from agents.offline.signals import Signal
from agents.offline.wording import Said


def legacy(b: Brief) -> bool:
    """Whether the programs cannot become Linux containers without being rewritten."""
    return bool(
        b.has(Signal.WINDOWS)
        or b.says(r"weblogic|websphere|nobody will rewrite|not rewritten|mainframe")
    )


def raw_sockets(b: Brief) -> Said:
    """The sentence that asks for connections other than HTTP; empty if none does."""
    return b.says(r"\bUDP\b|raw TCP|TCP sockets?")


def job_size(b: Brief) -> tuple[float, float, Said]:
    """What one job needs in vCPU and GiB, with the sentence; zero where it is not said."""
    said = b.says(r"\bjobs?\b.*\d+ ?(?:v?CPU|cores)|\d+ ?(?:v?CPU|cores).*\bjobs?\b")
    cores = re.search(r"(\d+) ?(?:v?CPU|cores)", said, re.I)
    memory = re.search(r"(\d+) ?Gi?B (?:of )?(?:RAM|memory)", said, re.I)
    return (
        float(cores.group(1)) if cores else 0.0,
        float(memory.group(1)) if memory else 0.0,
        said,
    )


def fresh_view(b: Brief) -> bool:
    """Whether people look at values that are seconds old."""
    return any(f.value and f.value <= 60 for f in b.figures(Measure.FRESHNESS))


def inbound_files(b: Brief) -> bool:
    """Whether partners drop files with us by a file transfer protocol."""
    return bool(
        b.says(
            r"(?:deliver|receive|arrive|files? from|drop).*S?FTP|S?FTP.*(?:deliver|receive|arrive)"
        )
    )


def video(b: Brief) -> bool:
    """Whether files are films."""
    return bool(b.says(r"\bvideos?\b|\bfilms?\b|movies?\b|live ?stream|\bRTMP\b"))


def personal(b: Brief, parts: frozenset[Part]) -> bool:
    """Whether the data call for keys of the owner: compliance, or people behind them."""
    return bool(b.facts.compliance) or b.has(Signal.PERSONAL, Signal.CARDS, Signal.HEALTH)


def stream_masks(b: Brief, parts: frozenset[Part]) -> bool:
    """Whether personal fields are best dropped on the way, in the stream."""
    return Part.STREAM in parts and Part.TRANSFORM not in parts


def warehouse_masks(b: Brief, parts: frozenset[Part]) -> bool:
    """Whether personal columns are best masked where they are queried."""
    return Part.WAREHOUSE in parts and not stream_masks(b, parts)
