"""Reading what a person hands over: requests and answers files. Bad input is named, in a sentence.

The request's text is data from here on: nothing in it can change a rule.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml
from pydantic import ValidationError

from engine.execution import ScriptedAnswer

MAX_REQUEST = 100_000
"""Characters of a request; a longer text is a document to link to, not a request."""
_WORDS = 4
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, also those that turn the direction of text around."""


class BadInput(Exception):
    """Something that was handed over cannot be used; the message says what and what to do."""


def read_request(argument: str) -> str:
    """The request of a command-line argument: ``-`` is standard input, a path is a file.

    Raises BadInput.
    """
    if argument == "-":
        return check_request(_decode(sys.stdin.buffer.read(4 * MAX_REQUEST + 1), "standard input"))
    path = Path(argument)
    if _exists(path, argument):
        try:
            if path.is_dir():
                raise BadInput(f"{argument} is a folder; name a file, or give the request as text")
            with path.open("rb") as file:
                return check_request(_decode(file.read(4 * MAX_REQUEST + 1), argument))
        except OSError as error:
            raise BadInput(f"{argument} cannot be read: {error.strerror}") from error
    if re.fullmatch(r"\S+\.(md|txt|markdown)", argument):
        raise BadInput(f"there is no file {argument}; check the path")
    return check_request(argument)


def _exists(path: Path, argument: str) -> bool:
    """Whether the argument is a path; what the system takes for no path at all is text."""
    try:
        return bool(argument) and "\0" not in argument and path.exists()
    except (OSError, ValueError):
        return False


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) > 4 * MAX_REQUEST:
            return data.decode("utf-8", "ignore")
        raise BadInput(
            f"{source} is not UTF-8 text (byte {error.start}); a request is plain text or Markdown"
        ) from None


def check_request(text: str) -> str:
    """A request that can be worked on, trimmed. Raises BadInput, which says what is missing."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise BadInput("the request is empty; describe the system that you need in a few sentences")
    if len(text) > MAX_REQUEST:
        raise BadInput(
            f"the request has more than {MAX_REQUEST:,} characters; send what matters for the "
            "architecture and name the other documents in it"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadInput("the request holds a broken character (a lone surrogate); save it as UTF-8")
    if _CONTROL.search(text):
        raise BadInput("the request holds control characters, so it looks like a binary file")
    if len(re.findall(r"\w{2,}", text)) < _WORDS and len(re.findall(r"\w", text)) < 12:
        raise BadInput(
            f"{text[:40]!r} is too little to plan from; say what the system does, how much it "
            "must carry and what it must obey"
        )
    return text


def read_answers(path: Path) -> tuple[ScriptedAnswer, ...]:
    """Scripted answers of a YAML or JSON file: a mapping of pattern to answer.

    Raises BadInput, which names the file and the entry.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise BadInput(f"{path}{line}: not valid YAML") from None
    if not isinstance(data, dict) or not data:
        raise BadInput(f"{path} must be a mapping of pattern to answer, such as 'budget: 500 EUR'")
    answers = []
    for pattern, answer in data.items():
        if not isinstance(pattern, str) or not isinstance(answer, str | int | float):
            raise BadInput(f"{path}: the entry {pattern!r} must be a text with a text as answer")
        try:
            answers.append(ScriptedAnswer(pattern=pattern, answer=str(answer)))
        except ValidationError as error:
            reason = error.errors(include_url=False)[0]["msg"]
            raise BadInput(f"{path}: the pattern {pattern!r} is wrong: {reason}") from None
    return tuple(answers)
