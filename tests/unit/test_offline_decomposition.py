"""The offline technical decomposition: parts by workload, the request's figures, Revisions.

Contract held here: every case passes its contract; a part stands once; small things stay small;
ids survive a Revision; what a person asked for is visible, applied or quoted.
"""

from __future__ import annotations

import pytest

from agents.offline.decomposition import draft_decomposition
from agents.offline.intents import Act, intents
from agents.offline.patterns import REGISTRY, parts_of, recognise
from agents.offline.patterns_links import LINKS
from agents.offline.patterns_model import Part
from agents.runtime import Answer
from engine.deliverables import Kind
from engine.documents import body_of, list_items, parse_components
from tests.support.offline_cases import BY_NAME, CASES, bundle, drafted, problems, redrafted, task

KIND = Kind.TECHNICAL_DECOMPOSITION
NAMES = [case.name for case in CASES]


def components(name: str) -> dict[Part | None, str]:
    """Part to responsibility of a case."""
    rows = parse_components(drafted(name)[KIND])
    return {recognise(r.name, r.responsibility): r.responsibility for r in rows}


@pytest.mark.parametrize("name", NAMES)
def test_every_case_keeps_its_contract(name: str) -> None:
    assert problems(name, KIND, drafted(name)[KIND]) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_part_stands_twice_and_each_is_in_a_flow(name: str) -> None:
    rows = parse_components(drafted(name)[KIND])
    parts = [recognise(r.name, r.responsibility) for r in rows]
    assert len(parts) == len(set(parts))
    flows = " ".join(list_items(body_of(drafted(name)[KIND], "Interfaces and flows")))
    assert [r.id for r in rows if f"{r.id} " not in flows and f"{r.id}:" not in flows] == []


@pytest.mark.parametrize("part", list(Part))
def test_a_part_is_recognised_by_its_name_and_after_a_rename_by_its_responsibility(
    part: Part,
) -> None:
    entry = REGISTRY[part]
    assert recognise(entry.name) is part
    assert recognise("Zephyr", f"{entry.lead} what there is") is part


def test_every_link_of_the_table_joins_two_known_parts() -> None:
    assert all(link.source in REGISTRY and link.target in REGISTRY for link in LINKS)
    assert len({(link.source, link.target) for link in LINKS}) == len(LINKS)


@pytest.mark.parametrize(
    ("name", "sum_"),
    [
        ("orders", "3,000 orders a minute = 50 a second"),
        ("orders", "50 orders a second x 40 page and API calls = 2,000 a second"),
        ("orders", "1.4 TB x 1.2^3 = 2.4 TB in three years"),
        ("orders", "21.9 minutes of outage in a month of 730 h"),
        ("clicks", "180,000 a second x an assumed 1 kB = 180 MB/s"),
        ("clicks", "31k USD a month less 25 % = 23,250 USD a month"),
        ("clicks", "7.2 times"),
        ("telemetry", "65,000 devices / 30 s = 2,167 messages a second"),
        ("telemetry", "1.20 EUR per unit and month x 18,000 = 21,600 EUR a month"),
        ("warehouse", "140 GB raw per night / 2.5 h = 15.6 MB/s"),
        ("saas", "90,000 a day x 3 MB = 270 GB a day"),
        ("mixture", "1,900 devices / 10 s = 190 messages a second"),
        ("payments", "60 TB x 1.4^3 = 165 TB in three years"),
        ("telemetry", "stay for 2 years under a lock that nobody can lift early"),
    ],
)
def test_volumes_are_worked_out_from_the_figures_with_the_sum(name: str, sum_: str) -> None:
    assert sum_ in drafted(name)[KIND]


@pytest.mark.parametrize(
    ("name", "wanted", "absent"),
    [
        ("club", {Part.CONTENT_DELIVERY, Part.SITE_FILES, Part.PUBLISHING, Part.FORM},
         {Part.RELATIONAL, Part.PUBLIC_ENTRY, Part.KEYS}),
        ("tiny-api", {Part.API, Part.RELATIONAL}, {Part.PUBLIC_ENTRY, Part.CACHE, Part.KEYS}),
        ("orders", {Part.DATA_MOVE, Part.CUTOVER, Part.HYBRID_LINK, Part.KEYS, Part.AUDIT,
                    Part.BACKUP, Part.ARCHIVE, Part.EVENT_LOG, Part.FILE_EXCHANGE}, {Part.STREAM}),
        ("clicks", {Part.EVENT_COLLECTOR, Part.EVENT_LOG, Part.STREAM, Part.WAREHOUSE,
                    Part.SERVING, Part.RAW, Part.MASKING}, {Part.BATCH_LOAD, Part.DATA_MOVE}),
        ("telemetry", {Part.DEVICE_GATEWAY, Part.ALARM, Part.NOTIFIER, Part.DEVICE_COMMAND,
                       Part.DOCUMENTS, Part.PREDICTION, Part.TRAINING, Part.ARCHIVE},
         {Part.EVENT_COLLECTOR}),
        ("assistant", {Part.PRIVATE_ENTRY, Part.EGRESS, Part.PERIMETER, Part.RETRIEVAL,
                       Part.INFERENCE, Part.EVALUATION}, {Part.PUBLIC_ENTRY, Part.RELATIONAL}),
        ("saas", {Part.API_MANAGEMENT, Part.WEBHOOKS, Part.SIGN_IN, Part.DATA_REQUESTS},
         {Part.MASKING}),
        ("warehouse", {Part.BATCH_LOAD, Part.TRANSFORM, Part.ORCHESTRATION, Part.MASKING},
         {Part.API, Part.WORKLOAD_MOVE}),
        ("video", {Part.MEDIA_INTAKE, Part.MEDIA_WORK, Part.CONTENT_DELIVERY}, {Part.WAREHOUSE}),
        ("hospital", {Part.AUDIT, Part.KEYS, Part.PERIMETER, Part.WORKLOAD_MOVE}, {Part.CACHE}),
        ("scoring", {Part.PREDICTION, Part.TRAINING, Part.SERVING}, {Part.ANSWER, Part.API}),
        ("mixture", {Part.DEVICE_GATEWAY, Part.STREAM, Part.BATCH_LOAD, Part.API, Part.OBJECTS},
         {Part.ALARM}),
    ],
)  # fmt: skip
def test_parts_follow_the_kind_of_workload(name: str, wanted: set[Part], absent: set[Part]) -> None:
    found = set(components(name))
    assert wanted <= found
    assert not absent & found


def test_small_things_stay_small() -> None:
    assert 2 <= len(components("club")) <= 4
    assert len(components("tiny-api")) <= 5


def test_what_must_not_change_is_kept_under_a_lock_and_what_may_is_not() -> None:
    assert "Tamper-proof archive" in drafted("telemetry")[KIND]
    assert "Long-term archive" in drafted("video")[KIND]


def test_named_contradictions_and_forbidden_asks_stand_in_the_overview() -> None:
    overview = body_of(drafted("orders")[KIND], "Overview")
    assert "one cut-over, on a single weekend" in overview
    assert "write pause of minutes" in overview
    assert "Please also run the deployment" in body_of(drafted("hospital")[KIND], "Overview")


def test_questions_are_asked_in_interactive_mode_only_and_not_twice() -> None:
    case = BY_NAME["orders"]
    catalogue = bundle().catalogue
    documents = {Kind.REQUIREMENTS: case.requirements}
    asked = draft_decomposition(
        task(case, KIND, interactive=True), case.facts, documents, catalogue
    )
    assert 1 <= len(asked.questions) <= 3
    assert all(q.text and q.why and q.proposal for q in asked.questions)
    silent = draft_decomposition(task(case, KIND), case.facts, documents, catalogue)
    assert silent.questions == ()
    told = (Answer(question=asked.questions[-1].text, answer="Yes, but add a search index."),)
    again = draft_decomposition(
        task(case, KIND, interactive=True, answers=told), case.facts, documents, catalogue
    )
    assert again.questions == ()
    assert "Search index" in again.content
    agreed = (Answer(question="x", answer="Fine as proposed."),)
    same = draft_decomposition(
        task(case, KIND, interactive=True, answers=agreed), case.facts, documents, catalogue
    )
    assert same.content == silent.content


@pytest.mark.parametrize(
    ("feedback", "present", "gone"),
    [
        ("add a cache", "Read cache", None),
        ("please add a cache and an audit log", "Audit trail", None),
        ("Remove the schema and metadata registry.", None, "Schema and metadata registry"),
        ("rename C-2 to Beacon intake", "Beacon intake", "Event collector"),
        ("split the stream processor into sessions and top stories", "Top stories",
         "Stream processor"),
        ("split the event collector", "Event collector: processing", None),
        ("merge the raw landing zone and the event backbone",
         "Raw landing zone and event backbone", None),
        ("add a feature flag service", "Feature flag service", None),
    ],
)  # fmt: skip
def test_feedback_changes_the_components(
    feedback: str, present: str | None, gone: str | None
) -> None:
    before = {c.id: c.name for c in parse_components(drafted("clicks")[KIND])}
    content = redrafted("clicks", KIND, feedback)
    after = {c.id: c.name for c in parse_components(content)}
    assert problems("clicks", KIND, content) == []
    assert present is None or present in after.values()
    assert gone is None or gone not in after.values()
    kept = [i for i in before if after.get(i) == before[i]]
    assert len(kept) >= len(before) - 2
    assert f"“{intents([feedback])[0].words}”" in content


def test_a_merged_component_keeps_the_flows_of_both_and_is_known_as_both() -> None:
    content = redrafted("clicks", KIND, "merge the raw landing zone and the event backbone")
    merged = next(c for c in parse_components(content) if c.name.startswith("Raw landing"))
    assert parts_of(merged.name, merged.responsibility) == (Part.RAW, Part.EVENT_LOG)
    assert f"C-2 -> {merged.id}: accepted events" in content
    assert f"- {merged.id} -> C-3: events in arrival order" in content
    assert f"{merged.id} -> {merged.id}" not in content


def test_words_that_fit_no_rule_are_quoted_and_change_the_component_they_concern() -> None:
    words = "The recommendation team must get the sessions within 5 seconds"
    content = redrafted("clicks", KIND, words)
    rows = [c for c in parse_components(content) if words in c.responsibility]
    assert len(rows) == 1
    assert content.count(words) == 2


def test_a_product_asked_for_here_is_not_named_here() -> None:
    content = redrafted("clicks", KIND, "use Spanner instead of Bigtable")
    assert problems("clicks", KIND, content) == []
    assert "Spanner" not in content
    assert "decided in Product selection" in content


def test_a_later_revision_keeps_the_earlier_ones() -> None:
    content = redrafted("clicks", KIND, "add a cache", "rename C-2 to Beacon intake")
    names = [c.name for c in parse_components(content)]
    assert "Read cache" in names
    assert "Beacon intake" in names
    assert len({c.id for c in parse_components(content)}) == len(names)


@pytest.mark.parametrize(
    ("text", "act", "target", "other"),
    [
        ("use Spanner instead of Cloud SQL", Act.USE, "Spanner", "Cloud SQL"),
        ("We prefer Pub/Sub over Kafka", Act.USE, "Pub/Sub", "Kafka"),
        ("replace Cloud SQL with AlloyDB", Act.USE, "AlloyDB", "Cloud SQL"),
        ("no Kubernetes", Act.REMOVE, "Kubernetes", ""),
        ("please do not use Kafka", Act.AVOID, "Kafka", ""),
        ("could you add a cache?", Act.ADD, "cache?", ""),
        ("rename the Order API to Checkout", Act.RENAME, "Order API", "Checkout"),
        ("split the ingest component", Act.SPLIT, "ingest", ""),
        ("Order of steps looks odd", Act.NOTE, "Order of steps looks odd", ""),
    ],
)
def test_intents_of_feedback(text: str, act: Act, target: str, other: str) -> None:
    (found,) = intents([text])
    assert (found.act, found.target, found.other) == (act, target, other)


def test_one_text_may_ask_several_things() -> None:
    found = intents(["Add a cache and remove the archive; no Kubernetes. Rename C-1 to Door."])
    assert [f.act for f in found] == [Act.ADD, Act.REMOVE, Act.REMOVE, Act.RENAME]
