"""Rules of every kind: characters, sizes, attachments, headings, left-overs, number of messages."""

from dataclasses import replace

import pytest

from engine.contracts import (
    MAX_PROBLEMS,
    MAX_TEXT_BYTES,
    Code,
    ContractContext,
    File,
    MissingDependency,
    Submission,
    check,
)
from engine.contracts.form import HINTS, MAX_TOTAL_BYTES, placeholders
from engine.deliverables import GRAPH, SPECS, Kind
from tests.unit.contracts_samples import (
    CONTENTS,
    DIAGRAM,
    GOOD,
    REQUEST,
    REQUIREMENTS,
    SampleCatalogue,
    SampleCheckers,
    changed,
    codes,
    context,
    problems,
)


@pytest.mark.parametrize("kind", list(Kind))
def test_the_good_submission_of_every_kind_is_accepted(kind: Kind) -> None:
    assert problems(GOOD[kind]) == ()


@pytest.mark.parametrize("kind", list(Kind))
def test_a_colophon_changes_nothing(kind: Kind) -> None:
    good = GOOD[kind]
    assert problems(replace(good, content=good.content + "\n_Drafted by a test._\n")) == ()


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_nothing_is_refused_and_nothing_else_is_said(kind: Kind, content: str) -> None:
    assert codes(problems(replace(GOOD[kind], content=content))) == {"empty"}


@pytest.mark.parametrize(
    ("content", "code", "part"),
    [
        ("## Diagram\n\ud83d", "bad_character", "lone surrogate (U+D83D) at character 12"),
        ("## Diagram\n\0", "bad_character", "NUL character at character 12"),
        ("é" * (MAX_TEXT_BYTES // 2 + 1), "too_large", "1,048,488 bytes, more than the 1,048,487"),
    ],
)
def test_what_no_store_can_keep_is_refused_with_its_cause(
    content: str, code: str, part: str
) -> None:
    (problem,) = problems(replace(GOOD[Kind.ARCHITECTURE_DIAGRAM], content=content))
    assert problem.code == code
    assert part in problem.message


def test_a_text_of_exactly_the_limit_is_not_too_large() -> None:
    content = DIAGRAM + "\n" + "x" * (MAX_TEXT_BYTES - len(DIAGRAM) - 1)
    assert problems(replace(GOOD[Kind.ARCHITECTURE_DIAGRAM], content=content)) == ()


def test_all_texts_together_have_a_limit_too() -> None:
    files = tuple(File(f"terraform/f{n}.tf", "x" * 1_000_000) for n in range(4))
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    found = problems(replace(good, attachments=(*good.attachments, *files)))
    assert codes(found) == {"too_large"}
    assert f"{MAX_TOTAL_BYTES:,}" in found[0].message


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("", "is empty"),
        ("/terraform/a.tf", "not relative"),
        ("C:/a.tf", "not relative"),
        ("terraform\\a.tf", "not relative"),
        ("terraform/../../a.tf", "leads out"),
        ("terraform//a.tf", "empty, hidden"),
        ("./a.tf", "empty, hidden"),
        ("terraform/.hidden.tf", "empty, hidden"),
        ("terraform/a b.tf", "empty, hidden"),
        ("terraform/\ud800.tf", "empty, hidden"),
        ("terraform/a.tf/", "empty, hidden"),
        ("terraform/a.tf\n", "empty, hidden"),
        ("t/" * 120 + "a.tf", "longer than 200"),
        ("terraform/a.exe", "no known extension"),
        ("terraform/Makefile", "no known extension"),
    ],
)
def test_attachment_paths_are_relative_plain_and_of_known_kinds(path: str, part: str) -> None:
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    (problem,) = problems(replace(good, attachments=(*good.attachments, File(path, "x"))))
    assert problem.code == Code.ATTACHMENT_PATH
    assert part in problem.message
    problem.message.encode()


@pytest.mark.parametrize(
    "path", ["terraform/modules/net/main.tf", "terraform/terraform.tfvars.example", "notes.md"]
)
def test_more_attachments_are_allowed(path: str) -> None:
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    assert problems(replace(good, attachments=(*good.attachments, File(path, "x")))) == ()


@pytest.mark.parametrize("path", ["terraform/main.tf", "terraform/Main.tf"])
def test_a_path_comes_once_whatever_its_case(path: str) -> None:
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    found = problems(replace(good, attachments=(*good.attachments, File(path, "x = 1\n"))))
    assert codes(found) == {"attachment_repeated"}


def test_a_path_is_not_a_file_and_a_folder() -> None:
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    file = File("terraform/main.tf/a.tf", "x = 1\n")
    found = problems(replace(good, attachments=(*good.attachments, file)))
    assert codes(found) == {"attachment_path"}


@pytest.mark.parametrize(
    ("text", "code"), [("a\udfff", "bad_character"), ("x" * (MAX_TEXT_BYTES + 1), "too_large")]
)
def test_attachments_have_the_limits_of_contents(text: str, code: str) -> None:
    good = GOOD[Kind.DEPLOYMENT_GUIDANCE]
    (problem,) = problems(
        replace(good, attachments=(*good.attachments, File("terraform/a.tf", text)))
    )
    assert problem.code == code
    assert "attachment terraform/a.tf" in problem.message


@pytest.mark.parametrize(
    ("kind", "path"), [(spec.kind, path) for spec in GRAPH for path in spec.attachments]
)
@pytest.mark.parametrize("empty", [True, False])
def test_required_attachments_must_come_with_something_in_them(
    kind: Kind, path: str, empty: bool
) -> None:
    files = [f for f in GOOD[kind].attachments if f.path != path]
    if empty:
        files.append(File(path, " \n"))
    found = problems(replace(GOOD[kind], attachments=tuple(files)))
    assert codes(found) == {"attachment_missing"}
    assert path in found[0].message


HEADINGS = [(spec.kind, title) for spec in GRAPH for title in spec.headings]


def _section(kind: Kind, title: str) -> tuple[str, str, str]:
    """The sample before the heading, from the heading to the next one, and after."""
    content = CONTENTS[kind]
    start = content.index(f"## {title}\n")
    end = content.find("\n## ", start)
    end = len(content) if end < 0 else end + 1
    return content[:start], content[start:end], content[end:]


@pytest.mark.parametrize(("kind", "title"), HEADINGS)
def test_a_missing_heading_is_named_with_what_belongs_there(kind: Kind, title: str) -> None:
    before, _, after = _section(kind, title)
    content = before + after or "Nothing."
    found = problems(replace(GOOD[kind], content=content))
    missing = [p for p in found if p.code is Code.HEADING_MISSING]
    assert [p.where for p in missing] == [title]
    assert f"heading '## {title}' is missing; add it with " in missing[0].message
    # what stood there and is needed elsewhere may be missed as well, and nothing else
    assert codes(found) <= {"heading_missing", "unknown_requirement", "diagram_count"}


@pytest.mark.parametrize(("kind", "title"), HEADINGS)
def test_an_empty_heading_is_named(kind: Kind, title: str) -> None:
    before, _, after = _section(kind, title)
    content = f"{before}## {title}\n\n<!-- to do -->\n\n{after}\n_Drafted by a test._"
    found = problems(replace(GOOD[kind], content=content))
    empty = [p for p in found if p.code is Code.HEADING_EMPTY]
    assert [p.where for p in empty] == [title]
    assert codes(found) <= {"heading_empty", "unknown_requirement", "diagram_count"}


@pytest.mark.parametrize(("kind", "title"), HEADINGS)
def test_a_heading_at_another_level_is_named(kind: Kind, title: str) -> None:
    before, part, after = _section(kind, title)
    found = problems(replace(GOOD[kind], content=f"{after}\n{before}\n## Other\n#{part}"))
    assert codes(found) == {"heading_level"}
    assert f"make it '## {title}'" in found[0].message


@pytest.mark.parametrize(("kind", "title"), HEADINGS)
def test_a_repeated_heading_is_named(kind: Kind, title: str) -> None:
    good = GOOD[kind]
    found = problems(replace(good, content=good.content + f"\n## {title}\n\nAgain.\n"))
    assert codes(found) == {"heading_repeated"}


@pytest.mark.parametrize("kind", [k for k in Kind if SPECS[k].headings])
def test_headings_may_stand_in_any_order_with_more_beside_them(kind: Kind) -> None:
    titles = SPECS[kind].headings
    parts = [_section(kind, title)[1] for title in reversed(titles)]
    content = "\n".join([*parts, "## More", "", "Remarks."])
    assert problems(replace(GOOD[kind], content=content)) == ()


def test_no_level_one_heading_except_in_the_guide() -> None:
    good = GOOD[Kind.REQUIREMENTS]
    found = problems(replace(good, content="# Requirements\n\n" + good.content))
    assert codes(found) == {"level_one_heading"}


def test_every_heading_has_a_hint_or_is_a_pillar() -> None:
    without = {title for kind, title in HEADINGS if (kind, title) not in HINTS} - set(
        SPECS[Kind.DESIGN_RECOMMENDATIONS].headings
    )
    assert without == set()
    assert set(HINTS) <= set(HEADINGS)


def test_the_message_of_a_missing_heading_is_the_one_agents_were_promised() -> None:
    before, _, after = _section(Kind.REQUIREMENTS, "Assumptions")
    (problem,) = problems(replace(GOOD[Kind.REQUIREMENTS], content=before + after))
    assert problem.message == (
        "requirements: heading '## Assumptions' is missing; add it with one list item "
        "'- **A-1**: …' per assumption, or say that there are none."
    )


@pytest.mark.parametrize(
    "text",
    [
        "[Workload Name]",
        "**[Component Name]**",
        "Costs [amount to be found] a month",
        "[A long one\nover two lines]",
        "| [Product] | x |",
        "- [ ] [owner]",
    ],
)
def test_placeholders(text: str) -> None:
    submission = replace(GOOD[Kind.REQUIREMENTS], content=REQUIREMENTS + f"\n## More\n\n{text}\n")
    found = problems(submission)
    assert codes(found) == {"placeholder"}


@pytest.mark.parametrize(
    "text",
    [
        "[a link](https://docs.example.com/x)",
        "![a picture](x.png)",
        "[a reference][ref] and [ref]\n\n[ref]: https://docs.example.com",
        "a note[^note]\n\n[^note]: text",
        "> [!NOTE] mind this",
        "- [ ] open\n- [x] done\n- [X] done",
        'values[index] and var.map["key"] and list[0]',
        "[1] and [0, 100] and [...]",
        "`[Workload Name]` and `A[label]`",
        "```mermaid\nflowchart TD\n  A[Label here] --> B[Other label]\n```",
        "```hcl\nx = [var.name]\n```",
        "<!-- [for the author] -->",
        "as the sheet says [see attached sheet]",
        '["first", "second"]',
        r"\[escaped\]",
    ],
)
def test_what_is_no_placeholder(text: str) -> None:
    submission = replace(GOOD[Kind.REQUIREMENTS], content=REQUIREMENTS + f"\n## More\n\n{text}\n")
    assert problems(submission) == ()


def test_placeholders_know_their_lines() -> None:
    text = "one\n```\n[not this]\n```\n`x` [first]\n\n[second\none] [third]"
    assert list(placeholders(text)) == [(5, "[first]"), (7, "[second\none]"), (8, "[third]")]


@pytest.mark.parametrize("line", ["{{include requirements#Assumptions}}", "x {{include y}}"])
def test_no_include_may_be_left(line: str) -> None:
    good = GOOD[Kind.REQUIREMENTS]
    found = problems(replace(good, content=f"{good.content}\n{line}\n"))
    assert codes(found) == {"include_left"}


@pytest.mark.parametrize(
    ("text", "part"), [("```sh\nls", "the code block"), ("<!-- note", "the comment")]
)
def test_nothing_may_stay_open_and_swallow_the_rest_of_the_guide(text: str, part: str) -> None:
    good = GOOD[Kind.REQUIREMENTS]
    (problem,) = problems(replace(good, content=f"{good.content}\n{text}\n"))
    assert problem.code == "left_open"
    assert f"{part} that begins here is never closed" in problem.message


def test_many_problems_are_counted_after_the_first_twenty() -> None:
    items = "\n".join(f"- **FR-{n}**:" for n in range(2, 33))
    found = problems(changed(Kind.REQUIREMENTS, "- **FR-2**", f"{items}\n- **FR-40**"))
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1].code is Code.MORE
    assert found[-1].message == (
        "requirements: and 11 more problems; mend these first and submit again."
    )


def test_a_context_without_a_needed_deliverable_is_an_error_of_the_caller() -> None:
    bare = ContractContext(
        REQUEST, {}, SampleCatalogue(), ("docs.example.com",), "", SampleCheckers()
    )
    with pytest.raises(MissingDependency, match="requirements, which was not given"):
        check(GOOD[Kind.TECHNICAL_DECOMPOSITION], bare)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_long_text_of_anything_is_answered_soon(kind: Kind) -> None:
    """A quadratic rule never ends here."""
    pieces = ("[", "[x] ", "- [a\n", "| a |\n|--|\n", "FR-1 ", "- **FR-1**\n", "public no ", "\n")
    for piece in pieces:
        content = GOOD[kind].content + piece * (200_000 // len(piece))
        check(Submission(kind, content, GOOD[kind].attachments), context(kind))
