"""The commands that only read: show, list, events, graph, skills."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from engine.deliverables import GRAPH, Kind
from engine.execution import ExecutionId, SessionId
from functions import wiring
from functions.command import (
    Fault,
    IdArgument,
    JsonFlag,
    print_json,
    show_on_stdout,
    with_store,
)
from functions.local import Backend
from functions.settings import load_settings
from functions.terminal import describe_wait, event_line, overview

app = typer.Typer()
skills_app = typer.Typer(help="The Agent Skills that the agents follow.", no_args_is_help=True)
app.add_typer(skills_app, name="skills")


@app.command()
def show(
    id: IdArgument,
    kind: Annotated[str | None, typer.Argument(metavar="[DELIVERABLE]")] = None,
    revision: Annotated[
        int | None, typer.Option(min=1, max=10**6, help="An earlier revision.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show where an Execution stands, or one of its Deliverables."""
    wanted = _kind(kind) if kind else None

    async def job(backend: Backend) -> None:
        execution = await backend.store.load(ExecutionId(id))
        if wanted is None:
            if as_json:
                print_json(execution.model_dump(mode="json"))
                return
            show_on_stdout(overview(execution))
            if execution.wait:
                print(describe_wait(execution.wait, execution.id))
            return
        found = await backend.store.content(execution.id, wanted, revision)
        if found is None:
            which = f"revision {revision} of {wanted}" if revision else f"content of {wanted}"
            raise Fault(f"Execution {id} has no {which} yet; `show {id}` tells where it stands")
        if as_json:
            files = dict(found.attachments)
            print_json(
                {
                    "deliverable": wanted.value,
                    "revision": found.revision,
                    "content": found.content,
                    "attachments": files,
                }
            )
            return
        stdout = Console()
        if stdout.is_terminal:
            stdout.print(Markdown(found.content))
        else:
            print(found.content)
        for path, text in found.attachments:
            print(f"\n--- {path}\n{text}")

    with_store(load_settings(), job)


def _kind(text: str) -> Kind:
    try:
        return Kind(text.replace("-", "_"))
    except ValueError:
        raise Fault(
            f"there is no Deliverable {text!r}; there are: {', '.join(k.value for k in Kind)}"
        ) from None


@app.command("list")
def list_(
    session: Annotated[str | None, typer.Option(help="Only of this Session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: JsonFlag = False,
) -> None:
    """List Executions, the most recently changed first."""

    async def job(backend: Backend) -> None:
        found = await backend.store.list(
            session=SessionId(session) if session else None, limit=limit
        )
        rows = [
            {
                "execution_id": s.id,
                "session_id": s.session_id,
                "title": s.title,
                "mode": s.mode.value,
                "status": s.status.value,
                "phase": s.phase.value,
                "waiting_for": s.waiting_for.value if s.waiting_for else None,
                "created_at": s.created_at.isoformat(),
                "updated_at": s.updated_at.isoformat(),
            }
            for s in found
        ]
        if as_json:
            print_json({"executions": rows})
            return
        table = Table("Execution", "Status", "Phase", "Waits for", "Changed", "Request")
        for s in found:
            table.add_row(
                s.id,
                s.status.value,
                s.phase.value,
                s.waiting_for.value if s.waiting_for else "",
                f"{s.updated_at:%Y-%m-%d %H:%M}",
                Text(s.title),
            )
        show_on_stdout(table if found else "No Executions yet; start one with `run`.")

    with_store(load_settings(), job)


@app.command()
def events(
    id: IdArgument,
    after: Annotated[
        int, typer.Option(min=0, max=10**9, help="Only events after this number.")
    ] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Print the history of an Execution."""

    async def job(backend: Backend) -> None:
        await backend.store.load(ExecutionId(id))
        found = await backend.store.events(ExecutionId(id), after=after, limit=100_000)
        if as_json:
            print_json({"events": [event.model_dump(mode="json") for event in found]})
            return
        for event in found:
            print(f"{event.at:%H:%M:%S} {event_line(event)}")

    with_store(load_settings(), job)


@app.command()
def graph(
    as_json: JsonFlag = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid flowchart.")] = False,
) -> None:
    """Print the dependency graph: Phases, Deliverables, roles, Dependencies."""
    if as_json:
        print_json(
            {
                "deliverables": [
                    {
                        "deliverable": spec.kind.value,
                        "phase": spec.phase.value,
                        "role": spec.role,
                        "depends_on": [kind.value for kind in spec.depends_on],
                    }
                    for spec in GRAPH
                ]
            }
        )
        return
    if mermaid:
        print("flowchart LR")
        for spec in GRAPH:
            print(f'  {spec.kind.value}["{spec.title}<br/>{spec.role}"]')
            for kind in spec.depends_on:
                print(f"  {kind.value} --> {spec.kind.value}")
        return
    table = Table("Phase", "Deliverable", "Role", "Depends on")
    for spec in GRAPH:
        table.add_row(
            f"{spec.phase.number} {spec.phase.value}",
            spec.kind.value,
            spec.role,
            ", ".join(spec.depends_on),
        )
    show_on_stdout(table)


@skills_app.command("list")
def skills_list(as_json: JsonFlag = False) -> None:
    """List the Skills in use and where each comes from."""
    rows = wiring.skill_rows(load_settings())
    if as_json:
        print_json({"skills": [{"name": n, "path": p, "description": d} for n, p, d in rows]})
        return
    table = Table("Skill", "From", "What for")
    for name, path, description in rows:
        table.add_row(name, path, description.split(". ")[0].split(": ")[0])
    show_on_stdout(table)


@skills_app.command("check")
def skills_check() -> None:
    """Hold every Skill against the Agent Skills specification."""
    problems = wiring.skill_problems(load_settings())
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)
    print("All Skills meet the specification.")
