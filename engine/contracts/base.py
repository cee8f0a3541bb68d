"""The values of a contract check, and what the rules share.

What a rule cannot decide by reading is injected: the catalogue, the Mermaid checker, the Terraform
checkers. The protocols here say what the core needs of them; the shell brings the implementations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol
from urllib.parse import urlsplit

from engine.deliverables import Kind
from engine.documents import (
    Link,
    body_of,
    normalise,
    parse_requirements,
    plain,
    requirement_ids,
    requirement_references,
    without_colophon,
)
from engine.markdown import has_content

MAX_PROBLEMS = 20
"""Problems that one check reports; the rest are counted."""


class Code(StrEnum):
    """What kind of fault a Problem is."""

    # any Deliverable
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    BAD_CHARACTER = "bad_character"
    ATTACHMENT_PATH = "attachment_path"
    ATTACHMENT_REPEATED = "attachment_repeated"
    ATTACHMENT_MISSING = "attachment_missing"
    LEVEL_ONE_HEADING = "level_one_heading"
    HEADING_MISSING = "heading_missing"
    HEADING_LEVEL = "heading_level"
    HEADING_REPEATED = "heading_repeated"
    HEADING_EMPTY = "heading_empty"
    HEADING_UNEXPECTED = "heading_unexpected"
    HEADING_ORDER = "heading_order"
    TITLE = "title"
    LEFT_OPEN = "left_open"
    PLACEHOLDER = "placeholder"
    INCLUDE_LEFT = "include_left"
    UNKNOWN_REQUIREMENT = "unknown_requirement"
    UNKNOWN_COMPONENT = "unknown_component"
    TABLE_MISSING = "table_missing"
    COLUMN_MISSING = "column_missing"
    LIST_MISSING = "list_missing"
    MORE = "more"
    # requirements
    REQUIREMENT_MISSING = "requirement_missing"
    REQUIREMENT_REPEATED = "requirement_repeated"
    REQUIREMENT_TEXT = "requirement_text"
    REQUIREMENT_PLACE = "requirement_place"
    REQUIREMENT_ID = "requirement_id"
    NOTE_ID = "note_id"
    PRODUCT_NAMED = "product_named"
    # technical_decomposition
    COMPONENT_ID = "component_id"
    COMPONENT_REPEATED = "component_repeated"
    COMPONENT_TEXT = "component_text"
    SERVES_NOTHING = "serves_nothing"
    NOT_SERVED = "not_served"
    FLOW_MISSING = "flow_missing"
    # product_selection
    COMPONENT_WITHOUT_PRODUCT = "component_without_product"
    PRODUCT_MISSING = "product_missing"
    PRODUCT_RETIRED = "product_retired"
    JUSTIFICATION = "justification"
    CITATION_MISSING = "citation_missing"
    ALTERNATIVE_MISSING = "alternative_missing"
    PROS_CONS = "pros_cons"
    # architecture_diagram, architecture_description
    DIAGRAM_COUNT = "diagram_count"
    DIAGRAM_SYNTAX = "diagram_syntax"
    DIAGRAM_PRODUCT = "diagram_product"
    DIAGRAM_ORPHAN = "diagram_orphan"
    DIAGRAM_NODE_ID = "diagram_node_id"
    NODE_NOT_DESCRIBED = "node_not_described"
    PURPOSE = "purpose"
    # design_recommendations
    TOO_FEW_RECOMMENDATIONS = "too_few_recommendations"
    NOT_CONCRETE = "not_concrete"
    REQUIREMENT_NOT_NAMED = "requirement_not_named"
    # deployment_guidance
    COMMAND_MISSING = "command_missing"
    TERRAFORM_FORMAT = "terraform_format"
    TERRAFORM_POLICY = "terraform_policy"
    # validation_results
    VALIDATION_JSON = "validation_json"
    VALIDATION_ROW = "validation_row"
    VALIDATION_VERDICT = "validation_verdict"
    VALIDATION_HASH = "validation_hash"
    # solution_guide
    CONTENT_ALTERED = "content_altered"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend. ``message`` tells the agent what to add or change, and where."""

    code: Code
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """An attachment: relative path with forward slashes, and text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What a Specialist submits, or submitted."""

    kind: Kind
    content: str
    attachments: tuple[File, ...] = ()


class ProductLike(Protocol):
    """A product of the catalogue; ``status`` is such as ``active`` or ``retired``."""

    @property
    def name(self) -> str:
        """The one name that Deliverables use."""
        ...

    @property
    def spellings(self) -> Sequence[str]:
        """The name and every other spelling."""
        ...

    @property
    def status(self) -> str:
        """Such as ``active`` or ``retired``."""
        ...

    @property
    def successor(self) -> str | None:
        """What took its place."""
        ...


class MentionLike(Protocol):
    """A product that a text names, with the words it is named by."""

    @property
    def product(self) -> ProductLike:
        """The product named."""
        ...

    @property
    def text(self) -> str:
        """The words it is named by."""
        ...

    @property
    def start(self) -> int:
        """Where they stand in the text."""
        ...


class CatalogueLike(Protocol):
    """The provider's product catalogue."""

    def mentions(self, text: str) -> Sequence[MentionLike]:
        """Every product that the text names, in order."""
        ...

    def find(self, text: str) -> ProductLike | None:
        """The product that is called so, in any case."""
        ...


class Checkers(Protocol):
    """Checks by other engines, already prepared so that a call does not wait."""

    def mermaid_errors(self, text: str) -> Sequence[str]:
        """What keeps the diagram from being parsed."""
        ...

    def terraform_fmt_problems(self, files: Sequence[File]) -> Sequence[str] | None:
        """What is not formatted, or None where that could not be checked."""
        ...

    def terraform_policy_problems(self, files: Sequence[File], allow_public: bool) -> Sequence[str]:
        """Provider not pinned, plaintext secrets, basic roles, public members."""
        ...


class MissingDependency(LookupError):
    """The caller gave no content of a Deliverable that the contract reads."""


@dataclass(frozen=True, slots=True)
class ContractContext:
    """What a submission is checked against.

    ``request`` is the user's own words, answers included. ``dependencies`` holds every Deliverable
    that the submitted kind builds on, directly or not. ``template`` is the text of the output
    template. ``docs_hosts`` are the host names of official documentation.
    """

    request: str
    dependencies: Mapping[Kind, Submission]
    catalogue: CatalogueLike
    docs_hosts: tuple[str, ...]
    template: str
    checkers: Checkers

    def content(self, kind: Kind) -> str:
        """The content of a Dependency, without its colophon. Raises MissingDependency."""
        return without_colophon(self.submission(kind).content)

    def submission(self, kind: Kind) -> Submission:
        """A Dependency. Raises MissingDependency."""
        try:
            return self.dependencies[kind]
        except KeyError:
            raise MissingDependency(
                f"the contract reads {kind}, which was not given; give all that it builds on"
            ) from None


@dataclass(slots=True)
class Report:
    """Collects the problems of one submission; every message begins with ``subject``."""

    subject: str
    problems: list[Problem] = field(default_factory=list)

    def add(self, code: Code, message: str, where: str = "") -> None:
        """Note one problem."""
        self.problems.append(Problem(code, f"{self.subject}: {message}", where))

    def result(self) -> tuple[Problem, ...]:
        """All problems once each, the first MAX_PROBLEMS in full and the rest as a count."""
        found = list(dict.fromkeys(self.problems))
        left = len(found) - MAX_PROBLEMS
        if left > 0:
            more = Problem(
                Code.MORE,
                f"{self.subject}: and {left} more problems; mend these first and submit again.",
            )
            return (*found[:MAX_PROBLEMS], more)
        return tuple(found)


_NONE = re.compile(r"\b(?:none|no|nothing)\b", re.IGNORECASE)
_NOT_WORDS = re.compile(r"[^\w]+")
QUOTED = 60
"""Characters of the agent's own text that a message quotes."""


def quote(text: str) -> str:
    """The beginning of a text, for a message."""
    line = " ".join(text.split())
    return f"'{line[:QUOTED]}…'" if len(line) > QUOTED else f"'{line}'"


def listed(values: Sequence[str], limit: int = 8) -> str:
    """Values for a message: the first few, and how many more."""
    shown = ", ".join(values[:limit])
    return f"{shown} and {len(values) - limit} more" if len(values) > limit else shown


def says_none(text: str) -> bool:
    """Whether a text says in words that there is nothing to list."""
    return _NONE.search(plain(text)) is not None


def words(text: str) -> str:
    """A text as words between single spaces, so that names are found whole: ``' a name '``."""
    return f" {_NOT_WORDS.sub(' ', normalise(text)).strip()} "


def product_name(name: str, catalogue: CatalogueLike) -> str:
    """The catalogue's name for what an agent calls a product, else the agent's own words."""
    found = catalogue.find(name)
    return found.name if found else name.split(" (")[0].strip()


def requirements_text(context: ContractContext) -> str:
    """The requirements Deliverable that this one builds on."""
    return context.content(Kind.REQUIREMENTS)


def known_requirements(context: ContractContext) -> frozenset[str]:
    """The ids that the requirements define."""
    return frozenset(requirement_ids(requirements_text(context)))


def check_references(
    text: str, known: frozenset[str], context: ContractContext, report: Report
) -> None:
    """Every requirement id named must be defined, or be the user's own."""
    named = requirement_references(text)
    unknown = [i for i in named if i not in known]
    if unknown:
        own = set(requirement_references(context.request))
        unknown = [i for i in unknown if i not in own]
    if unknown:
        report.add(
            Code.UNKNOWN_REQUIREMENT,
            f"{listed(unknown)}: not defined in requirements; use the ids defined there "
            f"({listed(sorted(known))}).",
        )


TERRAFORM_HOSTS = ("registry.terraform.io",)
"""Hosts that are official about Terraform alone; they justify no product and no design."""


def design_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    """The documentation hosts that can justify a product or a design."""
    return tuple(host for host in hosts if host not in TERRAFORM_HOSTS)


def official(citations: Sequence[Link], hosts: tuple[str, ...]) -> tuple[Link, ...]:
    """The links that point, by https, to an official host that can justify a design."""
    hosts = design_hosts(hosts)
    found = []
    for link in citations:
        try:
            parts = urlsplit(link.url)
            host = (parts.hostname or "").lower()
        except ValueError:  # such as an unclosed bracket in the host
            continue
        if parts.scheme == "https" and host in hosts:
            found.append(link)
    return tuple(found)


_PUBLIC = re.compile(
    r"\b(?:publicly (?:accessible|available|reachable|readable)"
    r"|(?:open|accessible|available|reachable|readable) (?:to|by|for) "
    r"(?:everyone|everybody|anyone|anybody|the (?:general )?public)"
    r"|anonymous(?:ly)?(?: \w+)? (?:access|users?|visitors?|readers?|requests?|read|browsing)"
    r"|unauthenticated (?:access|users?|visitors?|readers?|requests?|reads?)"
    r"|without (?:a |an |any )?(?:log-?in|logging in|sign-?in|signing in|sign-?up|signing up"
    r"|account|registration|authentication|authenticating)"
    r"|no (?:log-?in|sign-?in|account|registration|authentication) (?:is )?"
    r"(?:needed|required|necessary)"
    r"|(?:over|from|on) the public internet"
    r"|public (?:web ?site|web ?page|site|api|endpoint|download|internet access|access)s?)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:not|never|nobody|none|cannot|forbid\w*|forbidden|den(?:y|ies|ied)|block\w*|prevent\w*"
    r"|prohibit\w*|disallow\w*|avoid\w*|reject\w*|refus\w*|no public|no anonymous"
    r"|no unauthenticated|without (?:any )?(?:public|anonymous|unauthenticated)|instead of"
    r"|rather than|only for (?:employees|staff))\b|n['’]t\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[^\Wa-z_])|\n\s*\n|\n(?=[ \t]*[-*+•])")
"""Where a sentence surely ends; a doubtful end keeps a refusal together with what it refuses."""


def _asks_for_public(text: str) -> bool:
    return any(
        _PUBLIC.search(sentence) and not _REFUSAL.search(sentence)
        for sentence in (" ".join(part.split()) for part in _SENTENCE_END.split(text))
    )


def allow_public(requirements_md: str, request: str) -> bool:
    """Whether a requirement, or the user's own words, ask for public or anonymous access.

    Conservative: only clear wording counts, and a sentence that also refuses something does not.
    """
    asked = any(_asks_for_public(r.text) for r in parse_requirements(requirements_md))
    return asked or _asks_for_public(request)


def section_text(submission: Submission, title: str) -> str:
    """The body of a section, without the document's colophon; empty where nothing stands there.

    That the heading is missing or empty is reported once, by the rules of form.
    """
    body = body_of(without_colophon(submission.content), title)
    return body if has_content(body) else ""
