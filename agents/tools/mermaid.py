"""Checks and renders Mermaid diagrams with mermaid itself (mermaidx: QuickJS, no browser).

Nodes and edges come from mermaid's own parser. One JavaScript context serves a process; it is
made at the first check (about 0.6 s) and costs 20 to 200 ms a diagram afterwards, growing faster
than the number of edges. ``mermaidx`` is pinned, since this module reaches into its engine.
"""

from __future__ import annotations

import html
import json
import re
import threading
from concurrent.futures import Future
from functools import cache, lru_cache
from typing import Any

from pydantic import Field

from agents.runtime import Frozen

MAX_CHARS = 50_000
TIME_LIMIT_SECONDS = 10

_FENCE = re.compile(r"\A\s*```mermaid[^\n]*\n(.*?)\n?```\s*\Z", re.S)
_BREAK = re.compile(r"<br\s*/?>", re.I)
_INSPECT = """
globalThis.__found = null;
mermaid.mermaidAPI.getDiagramFromText(%s).then(
  (d) => {
    const db = d.db, flow = typeof db.getVertices === "function";
    globalThis.__found = JSON.stringify({
      kind: d.type,
      nodes: flow ? Array.from(db.getVertices().values(), (v) => [v.id, v.text ?? v.id]) : [],
      edges: flow ? db.getEdges().map((e) => [e.start, e.end, e.text ?? ""]) : [],
      groups: flow ? db.getSubGraphs().map((g) => [g.id, g.title ?? g.id, g.nodes]) : [],
    });
  },
  (e) => { globalThis.__found = JSON.stringify({ error: String((e && e.message) || e) }); },
);
"""
_WARM_UP = 'mermaid.parse("flowchart LR\\nA-->B");'


class MermaidEdge(Frozen):
    """An edge from one node (or group) id to another."""

    source: str
    target: str
    label: str = ""


class MermaidReport(Frozen):
    """What mermaid makes of a diagram.

    ``kind`` is mermaid's name of the diagram type (``flowchart-v2``). ``nodes`` maps ids to
    labels, line breaks as newlines; they, ``edges`` and ``groups`` (id to title) are filled for
    flowcharts only. ``orphans`` are the nodes that no edge reaches, themselves or through a
    group that they are in.
    """

    valid: bool
    kind: str = ""
    errors: tuple[str, ...] = ()
    nodes: dict[str, str] = Field(default_factory=dict)
    edges: tuple[MermaidEdge, ...] = ()
    groups: dict[str, str] = Field(default_factory=dict)
    orphans: tuple[str, ...] = ()


class MermaidFailed(Exception):
    """The diagram could not be rendered; the message says why."""


@lru_cache(maxsize=64)
def check_mermaid(text: str) -> MermaidReport:
    """Parse a diagram, given with or without its code fence. Never raises for bad input."""
    code = _unfenced(text)
    if problem := _unusable(code):
        return MermaidReport(valid=False, errors=(problem,))
    found = _engine().inspect(code)
    if "error" in found:
        return MermaidReport(valid=False, errors=(_readable(str(found["error"])),))
    return _report(found)


def render_svg(text: str) -> str:
    """Render a diagram as SVG. Raises MermaidFailed."""
    code = _unfenced(text)
    if problem := _unusable(code):
        raise MermaidFailed(problem)
    return _engine().render(code)


def _unfenced(text: str) -> str:
    found = _FENCE.match(text)
    return (found[1] if found else text).encode("utf-8", "replace").decode()


def _unusable(code: str) -> str | None:
    if not code.strip():
        return "The diagram is empty. Give Mermaid text, such as: flowchart LR, then A --> B."
    if len(code) > MAX_CHARS:
        return f"The diagram has {len(code)} characters; at most {MAX_CHARS} are checked."
    return None


def _report(found: dict[str, Any]) -> MermaidReport:
    groups = {str(id_): _label(title) for id_, title, _ in found["groups"]}
    nodes = {str(id_): _label(text) for id_, text in found["nodes"] if id_ not in groups}
    edges = tuple(
        MermaidEdge(source=start, target=end, label=_label(text))
        for start, end, text in found["edges"]
    )
    members = {str(id_): [str(m) for m in inside] for id_, _, inside in found["groups"]}
    reached: set[str] = set()
    pending = [end for edge in edges for end in (edge.source, edge.target)]
    while pending:
        id_ = pending.pop()
        if id_ not in reached:
            reached.add(id_)
            pending.extend(members.get(id_, ()))
    return MermaidReport(
        valid=True,
        kind=found["kind"],
        nodes=nodes,
        edges=edges,
        groups=groups,
        orphans=tuple(id_ for id_ in nodes if id_ not in reached),
    )


def _label(text: object) -> str:
    """Undo mermaid's own coding of entities, and write line breaks as newlines."""
    plain = str(text or "").replace("ﬂ°°", "&#").replace("ﬂ°", "&").replace("¶ß", ";")
    return html.unescape(_BREAK.sub("\n", plain)).strip()


def _readable(error: str) -> str:
    """Shorten mermaid's list of expected tokens, and add the usual remedy."""
    text = error.removeprefix("Error: ")
    text = re.sub(r"Expecting ('[^\n]*'), got", "Not expected here:", text).strip()
    text = re.sub(r"for text: .*", "", text, flags=re.S).strip()[:600]
    if text.startswith("No diagram type"):
        return "No diagram type was recognised. Begin with a line such as: flowchart LR"
    if "arse error" in text:
        text += (
            "\nOften a label is the cause: put labels with brackets, quotes or other punctuation "
            'in double quotes, as in A["Cloud Run (api)"].'
        )
    return text


class _Engine:
    """mermaidx's engine, with one more thing to do in it: read what mermaid parsed.

    The engine drives its context on a thread of its own; all access goes through that thread.
    """

    def __init__(self) -> None:
        # Imported here: it costs 0.1 s and a process may never check a diagram.
        from mermaidx.engine import Engine  # type: ignore[import-untyped]

        self._engine = Engine()
        self._engine.start()
        self._warm_for: object = None
        self._lock = threading.Lock()

    def inspect(self, code: str) -> dict[str, Any]:
        with self._lock:
            answer: Future[dict[str, Any]] = self._engine._executor.submit(self._inspect, code)
            return answer.result()

    def render(self, code: str) -> str:
        from mermaidx.engine import MermaidRenderError

        with self._lock:
            try:
                svg: str = self._engine.render_svg(code, "default", None, None)
            except MermaidRenderError as error:
                raise MermaidFailed(_readable(str(error))) from None
        return svg

    def _inspect(self, code: str) -> dict[str, Any]:
        import quickjs  # type: ignore[import-untyped]

        context = self._engine._ctx
        if self._warm_for is not context:
            self._evaluate(_WARM_UP)  # registers the diagram types
            self._warm_for = context
        # A time limit forbids calls back into Python; parsing makes none.
        context.set_time_limit(TIME_LIMIT_SECONDS)
        try:
            self._evaluate(_INSPECT % json.dumps(code))
            found = context.eval("__found === null ? null : __found.slice(0)")
            context.set_time_limit(-1)
        except quickjs.JSException as error:
            self._replace_context()
            late = "interrupted" in str(error)
            words = f"did not finish within {TIME_LIMIT_SECONDS} s" if late else "broke off"
            return {"error": f"Reading the diagram {words}. Make it smaller."}
        if found is None:
            self._replace_context()
            return {"error": "mermaid gave no answer for this diagram. Make it simpler."}
        result: dict[str, Any] = json.loads(found)
        return result

    def _evaluate(self, script: str) -> None:
        self._engine._ctx.eval(script)
        while self._engine._run_job():
            pass

    def _replace_context(self) -> None:
        """Start anew: what was interrupted is left half done."""
        self._engine._ctx = self._engine._build_context()


_starting = threading.Lock()


def _engine() -> _Engine:
    with _starting:  # two first checks at once must not start two engines
        return _started_engine()


@cache
def _started_engine() -> _Engine:
    return _Engine()
