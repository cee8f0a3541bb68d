"""Canonical layout of Terraform text, as ``terraform fmt`` lays it out.

The writer formats by itself because the terraform command may be missing. Only the subset that
the templates use is handled: blocks, arguments, lists, objects, comments and heredocs.
"""

from __future__ import annotations

import re

_ARGUMENT = re.compile(r"^([A-Za-z_][\w.-]*|\"[^\"]*\"|\([^=]*\))\s*=(?![=>])\s*(.+)$")
_HEREDOC = re.compile(r"<<-?([A-Z][A-Z0-9_]*)$")
_OPEN, _CLOSE = "{[(", "}])"


def _depths(line: str) -> tuple[int, int]:
    """How far a line closes what came before it, and the sum of its opening and closing marks."""
    depth = lowest = 0
    quoted = False
    previous = ""
    interpolation: list[int] = []
    index = 0
    while index < len(line):
        char = line[index]
        if quoted:
            if char == "\\":
                index += 1
            elif char in "$%" and line[index + 1 : index + 2] == "{" and previous != char:
                interpolation.append(depth)
                depth += 1
                quoted = False
                index += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char == "#" or line.startswith("//", index):
            break
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if interpolation and depth == interpolation[-1]:
                interpolation.pop()
                quoted = True
            lowest = min(lowest, depth)
        previous = char
        index += 1
    return lowest, depth


def _aligned(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Align the equals signs of neighbouring one-line arguments of the same depth."""
    result: list[tuple[int, str]] = []
    group: list[tuple[int, str, str]] = []

    def flush() -> None:
        width = max((len(key) for _, key, _ in group), default=0)
        result.extend((indent, f"{key:<{width}} = {value}") for indent, key, value in group)
        group.clear()

    for indent, text in lines:
        match = _ARGUMENT.match(text) if indent >= 0 else None
        if match is None:
            flush()
            result.append((indent, text))
            continue
        if group and group[0][0] != indent:
            flush()
        group.append((indent, match[1], match[2].strip()))
        if _depths(text)[1] != 0 or _HEREDOC.search(text):
            # A value that goes on below stands alone: nothing is aligned with it.
            last = group.pop()
            flush()
            group.append(last)
            flush()
    flush()
    return result


def formatted(text: str) -> str:
    """The text with canonical indentation, alignment and blank lines; ends with one newline."""
    lines: list[tuple[int, str]] = []
    indent = 0
    ending = ""
    for raw in text.split("\n"):
        if ending:
            lines.append((-1, raw.rstrip()))
            if raw.strip() == ending:
                ending = ""
            continue
        line = raw.strip()
        if not line:
            opened = lines and lines[-1][1].rstrip().endswith(("{", "[", "("))
            if lines and lines[-1][1] and not opened:
                lines.append((0, ""))
            continue
        closing, change = _depths(line)
        if closing < 0 and lines and not lines[-1][1]:
            lines.pop()
        step = -1 if closing < 0 else 0
        lines.append((max(indent + step, 0), line))
        # Several brackets that open on one line still indent by one step, as terraform does.
        indent = max(indent + (change > 0) - (change < 0), 0)
        heredoc = _HEREDOC.search(line)
        if heredoc:
            ending = heredoc[1]
    shown = [text if indent < 0 else "  " * indent + text for indent, text in _aligned(lines)]
    return "\n".join(line.rstrip() for line in shown).strip("\n") + "\n"
