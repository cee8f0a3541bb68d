"""Rules that hold for every Deliverable: characters, sizes, attachments, headings, left-overs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from engine.contracts.base import (
    MAX_PROBLEMS,
    Code,
    ContractContext,
    File,
    Report,
    Submission,
    quote,
)
from engine.deliverables import SPECS, DeliverableSpec, Kind
from engine.documents import Section, bare_title, sections, without_colophon
from engine.markdown import Line, has_content, left_open, lines

MAX_TEXT_BYTES = 1_048_487
"""UTF-8 bytes of one text: the largest string that every store can hold in a document."""

MAX_TOTAL_BYTES = 4_000_000
"""UTF-8 bytes of a content with its attachments: they are written in one request."""

EXTENSIONS = (
    ".tf",
    ".tfvars",
    ".tfvars.example",
    ".tftpl",
    ".hcl",
    ".json",
    ".yaml",
    ".yml",
    ".md",
    ".mmd",
    ".txt",
    ".csv",
    ".sql",
    ".sh",
    ".py",
)
"""How the path of an attachment may end."""

HINTS: dict[tuple[Kind, str], str] = {
    (Kind.REQUIREMENTS, "Workload overview"): "what the workload is for, who uses it and how much",
    (Kind.REQUIREMENTS, "Functional requirements"): "one list item '- **FR-1**: …' a requirement",
    (Kind.REQUIREMENTS, "Non-functional requirements"): (
        "one list item '- **NFR-SEC-1**: …' a requirement, by area (SEC, REL, COST, OPS, PERF, SUS)"
    ),
    (Kind.REQUIREMENTS, "Current state"): "what runs today, or a sentence that nothing does",
    (Kind.REQUIREMENTS, "Dependencies"): "systems and people it depends on, or that there are none",
    (Kind.REQUIREMENTS, "Assumptions"): (
        "one list item '- **A-1**: …' per assumption, or say that there are none"
    ),
    (Kind.REQUIREMENTS, "Contradictions and open questions"): (
        "one list item '- **Q-1**: …' each, or say that there are none"
    ),
    (Kind.REQUIREMENTS, "Discovery gaps"): (
        "what could not be looked at and why, or say that there are none"
    ),
    (Kind.TECHNICAL_DECOMPOSITION, "Overview"): "how the workload is cut into components and why",
    (Kind.TECHNICAL_DECOMPOSITION, "Components"): (
        "the table '| ID | Component | Responsibility | Serves |'"
    ),
    (Kind.TECHNICAL_DECOMPOSITION, "Interfaces and flows"): (
        "one list item 'C-1 -> C-2: what, protocol, volume' per flow"
    ),
    (Kind.PRODUCT_SELECTION, "Product mapping"): (
        "the table '| Component | Recommended product | Justification and citations | "
        "Alternatives considered | Pros and cons of alternatives |'"
    ),
    (Kind.PRODUCT_SELECTION, "Trade-offs"): "what was given up for what, and what would change it",
    (Kind.ARCHITECTURE_DIAGRAM, "Diagram"): "one fenced ```mermaid block with a flowchart",
    (Kind.ARCHITECTURE_DESCRIPTION, "Components"): (
        "one list item '- **<node>**: purpose' per node of the diagram"
    ),
    (Kind.ARCHITECTURE_DESCRIPTION, "Data flow"): "a numbered list of what data goes where",
    (Kind.ARCHITECTURE_DESCRIPTION, "Control flow"): "a numbered list of who starts what",
    (Kind.DEPLOYMENT_GUIDANCE, "Prerequisites"): "a list of what a person needs before the steps",
    (Kind.DEPLOYMENT_GUIDANCE, "Steps"): "a numbered list with the commands that a person runs",
    (Kind.VALIDATION_RESULTS, "Checks run"): "the table '| Check | Engine | Result | Detail |'",
    (Kind.VALIDATION_RESULTS, "Findings"): "a list of what was found, or say that there is nothing",
    (Kind.VALIDATION_RESULTS, "Verdict"): "'Passed' or 'Failed' and the hash of the Terraform",
    (Kind.VALIDATION_RESULTS, "Validation plan"): (
        "a numbered list of commands that a person runs to verify the deployment"
    ),
}
_PILLAR_HINT = "at least three list items, each concrete, with requirement ids and a citation"

_PATH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def text_problems(name: str, text: str, report: Report) -> bool:
    """Refuse what no store could keep; whether the text is sound."""
    sound = True
    broken = _SURROGATE.search(text)
    if broken:
        report.add(
            Code.BAD_CHARACTER,
            f"{name} holds a lone surrogate (U+{ord(broken.group()):04X}) at character "
            f"{broken.start() + 1}; remove it: it is half a character and cannot be stored.",
            name,
        )
        sound = False
    nul = text.find("\0")
    if nul >= 0:
        report.add(
            Code.BAD_CHARACTER,
            f"{name} holds a NUL character at character {nul + 1}; remove it.",
            name,
        )
        sound = False
    size = byte_length(text)
    if size > MAX_TEXT_BYTES:
        report.add(
            Code.TOO_LARGE,
            f"{name} has {size:,} bytes, more than the {MAX_TEXT_BYTES:,} that a stored text may "
            "have; shorten it, or move parts into attachments.",
            name,
        )
        sound = False
    return sound


def byte_length(text: str) -> int:
    """UTF-8 bytes of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def attachment_problems(files: Sequence[File], report: Report) -> bool:
    """Check paths and texts of the attachments; whether all texts are sound."""
    seen: dict[str, str] = {}
    sound = True
    for file in files:
        fault = path_fault(file.path)
        if fault:
            report.add(
                Code.ATTACHMENT_PATH,
                f"attachment path {file.path[:120]!a} {fault}; use a relative path such as "
                "terraform/main.tf.",
                "attachments",
            )
            continue
        key = file.path.casefold()  # some file systems know no case
        if key in seen:
            report.add(
                Code.ATTACHMENT_REPEATED,
                f"attachment {file.path} comes twice; submit each path once.",
                file.path,
            )
        seen[key] = file.path
        sound = text_problems(f"attachment {file.path}", file.text, report) and sound
    folders = {"/".join(p.split("/")[:n]) for p in seen for n in range(1, p.count("/") + 1)}
    for path in sorted(folders.intersection(seen)):
        report.add(
            Code.ATTACHMENT_PATH,
            f"attachment {seen[path]} is a file and a folder at once; rename one.",
            seen[path],
        )
    return sound


def path_fault(path: str) -> str:
    """What is wrong with an attachment's path, or nothing."""
    parts = path.split("/")
    if not path:
        return "is empty"
    if path.startswith("/") or "\\" in path or ":" in path:
        return "is not relative with forward slashes"
    if ".." in parts:
        return "leads out of its folder"
    if not _PATH.fullmatch(path):
        return "has a part that is empty, hidden or not made of letters, digits, '.', '_' and '-'"
    if len(path) > 200:
        return "is longer than 200 characters"
    if not path.lower().endswith(EXTENSIONS):
        return f"ends in no known extension ({', '.join(EXTENSIONS)})"
    return ""


def total_size_problem(submission: Submission, report: Report) -> None:
    """All that is written at once must fit in one request."""
    texts = (submission.content, *(file.text for file in submission.attachments))
    total = sum(map(byte_length, texts))
    if total > MAX_TOTAL_BYTES:
        report.add(
            Code.TOO_LARGE,
            f"content and attachments have {total:,} bytes together, more than the "
            f"{MAX_TOTAL_BYTES:,} that fit in one write; leave out what can be generated.",
        )


def required_attachments(submission: Submission, spec: DeliverableSpec, report: Report) -> None:
    """The attachments that the kind must bring, with something in them."""
    texts = {file.path: file.text for file in submission.attachments}
    for path in spec.attachments:
        if path not in texts:
            report.add(
                Code.ATTACHMENT_MISSING, f"attachment {path} is missing; submit it too.", path
            )
        elif not texts[path].strip():
            report.add(Code.ATTACHMENT_MISSING, f"attachment {path} is empty; fill it.", path)


def heading_problems(submission: Submission, report: Report) -> None:
    """The level-2 headings of the kind: all there, once each, none empty; no level 1."""
    spec = SPECS[submission.kind]
    found = sections(without_colophon(submission.content))
    for part in found:
        if part.level == 1:
            report.add(
                Code.LEVEL_ONE_HEADING,
                f"line {part.line}: '# {part.title}' is a level-1 heading; begin with the level-2 "
                "headings, the title is added where the Deliverable is shown.",
                part.title,
            )
    for title in spec.headings:
        _heading(title, found, spec.kind, report)


def _heading(title: str, found: Iterable[Section], kind: Kind, report: Report) -> None:
    hint = HINTS.get((kind, title), _PILLAR_HINT)
    same = [part for part in found if bare_title(part.title) == bare_title(title)]
    level_two = [part for part in same if part.level == 2]
    if not same:
        report.add(
            Code.HEADING_MISSING, f"heading '## {title}' is missing; add it with {hint}.", title
        )
    elif not level_two:
        report.add(
            Code.HEADING_LEVEL,
            f"line {same[0].line}: '{title}' is a level-{same[0].level} heading; make it "
            f"'## {title}'.",
            title,
        )
    elif len(level_two) > 1:
        report.add(
            Code.HEADING_REPEATED,
            f"heading '## {title}' stands {len(level_two)} times; put it all under one.",
            title,
        )
    elif not has_content(level_two[0].body):
        report.add(Code.HEADING_EMPTY, f"nothing stands under '## {title}'; give {hint}.", title)


_BRACKET = re.compile(r"(?<![\w\])/\\!])\[(?![\^!\]])([^\[\]]{1,600})\](?![(\[:])")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LINK_DEFINITION = re.compile(r"[ ]{0,3}\[([^\[\]]{1,200})\]:")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def placeholders(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of every ``[placeholder]`` outside code.

    Links, reference links, footnotes, checkboxes, indexes and numbers are none.
    """
    prose: list[Line] = []
    defined: set[str] = set()
    for line in lines(text):
        if line.code or line.comment:
            continue
        definition = _LINK_DEFINITION.match(line.text)
        if definition:
            defined.add(definition.group(1).casefold())
        prose.append(line)
    joined = "\n".join(_CODE_SPAN.sub("`c`", line.text) for line in prose)
    at, row = 0, 0
    for match in _BRACKET.finditer(joined):
        inner = match.group(1)
        if not _LETTERS.search(inner) or inner.casefold() in defined or inner[0] in "\"'":
            continue
        row += joined.count("\n", at, match.start())
        at = match.start()
        yield prose[row].number, match.group()


def left_over_problems(submission: Submission, context: ContractContext, report: Report) -> None:
    """Nothing may stay open, and no template placeholder and no include line may remain."""
    opened = left_open(submission.content)
    if opened:
        report.add(
            Code.LEFT_OPEN,
            f"line {opened[0]}: the {opened[1]} that begins here is never closed and swallows what "
            "follows; close it.",
            f"line {opened[0]}",
        )
    own = " ".join(context.request.split())
    left = dict.fromkeys(placeholders(submission.content))
    for number, text in islice(left, 2 * MAX_PROBLEMS):
        if " ".join(text.split()) in own:  # the user's words may have brackets
            continue
        report.add(
            Code.PLACEHOLDER,
            f"line {number}: {quote(text)} is a placeholder; replace it with the content, or "
            "remove it.",
            f"line {number}",
        )
    position = submission.content.find("{{include")
    if position >= 0 and "{{include" not in context.request:  # the user's own words are quoted
        number = submission.content.count("\n", 0, position) + 1
        report.add(
            Code.INCLUDE_LEFT,
            f"line {number}: an include is left; it must stand alone on its line, outside code, "
            "as {{include kind#Heading}}.",
            f"line {number}",
        )
