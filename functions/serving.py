"""``serve``: all Executions of the embedded store in one process, or the serverless shape."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.execution import ExecutionId
from engine.ports import StoreError, UnknownExecution
from engine.queues.local import LocalDispatcher, QueueHeld
from engine.sweeping import Sweeper
from functions.local import Embedded
from functions.settings import Settings, load_settings
from functions.wiring import ConfigurationError, build_runs

if TYPE_CHECKING:
    from types import FrameType

log = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the health page.")] = 8080,
    emulators: Annotated[
        bool,
        typer.Option("--emulators", help="The serverless shape: emulators and a process a door."),
    ] = False,
    workers: Annotated[
        int, typer.Option(min=1, max=16, help="Processes of each task door (--emulators).")
    ] = 1,
) -> None:
    """Work on all Executions until you end it with Ctrl-C."""
    settings = load_settings()
    if emulators:
        _serve_stack(settings, workers)
        return
    if settings.backend != "embedded":
        raise ConfigurationError(
            "`serve` works on the embedded store; the doors of the google backend run with "
            "functions-framework, or all together with `serve --emulators`"
        )
    from functions import logs

    logs.set_up(settings.log_level, settings.project)
    asyncio.run(_serve_embedded(settings, port))


# -- everything in one process -------------------------------------------------------------------


class Serving:
    """A dispatcher for whatever Execution has tasks and is nobody else's."""

    def __init__(self, settings: Settings, embedded: Embedded) -> None:
        self._embedded = embedded
        embedded.queue.serving = True
        runs = build_runs(settings, embedded)
        self._dispatcher = LocalDispatcher(
            embedded.queue, runs.handle, delegations=settings.delegations_at_once
        )
        executions = embedded.executions
        self._sweeper = Sweeper(embedded.store, embedded.queue, executions.clock)
        self._swept = float("-inf")
        self.ending = asyncio.Event()

    async def run(self) -> None:
        """Work until ``ending`` is set; what runs then is delivered again by whoever comes next."""
        await self._dispatcher.run(self._look)

    async def _look(self) -> bool:
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            self._swept = time.monotonic()
            await self._sweeper.sweep()
        busy = self._embedded.queue.busy()
        for execution in self._dispatcher.held:
            if execution not in busy:
                self._dispatcher.release(execution)
        for execution in busy.difference(self._dispatcher.held):
            with contextlib.suppress(QueueHeld):
                self._dispatcher.hold(execution)
        return self.ending.is_set()


async def _serve_embedded(settings: Settings, port: int) -> None:
    embedded = Embedded.open(settings)
    try:
        serving = Serving(settings, embedded)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, serving.ending.set)
        server = _health_server(embedded, port)
        page = asyncio.create_task(server.serve())
        work = asyncio.create_task(serving.run())
        await asyncio.wait([page, work], return_when=asyncio.FIRST_COMPLETED)
        serving.ending.set()
        server.should_exit = True
        await asyncio.gather(page, work)
    finally:
        await embedded.close()


def _health_server(embedded: Embedded, port: int) -> Any:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok")

    async def ready(request: Request) -> Response:
        try:
            await embedded.store.load(ExecutionId("readyz"))
        except UnknownExecution:
            return PlainTextResponse("ready")
        except StoreError as error:
            log.warning("not ready: %s", error)
        return PlainTextResponse("not ready", status_code=503)

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # ``serve`` handles them

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            for bound in (s for server in self.servers for s in server.sockets):
                print(f"serving on http://127.0.0.1:{bound.getsockname()[1]}", flush=True)

    app = Starlette(routes=[Route("/healthz", health), Route("/readyz", ready)])
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, lifespan="off", log_config=None, access_log=False
    )
    return Server(config)


# -- the serverless shape ------------------------------------------------------------------------


def _serve_stack(settings: Settings, workers: int) -> None:
    try:
        from functions.emulated import Stack, StackError
    except ImportError as error:
        raise ConfigurationError(
            f"`serve --emulators` needs a package that is not installed ({error.name}); "
            "run: pip install '.[cloud]'"
        ) from error
    from functions.emulators import EmulatorMissing

    def ended(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, ended)
    try:
        with Stack(
            workers=workers, more={"SOLUTION_ARCHITECT_MODEL": settings.model or ""}
        ) as stack:
            path = settings.state / "emulators.env"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"export {k}={shlex.quote(v)}" for k, v in stack.environment.items()]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"ready; in another terminal: . {shlex.quote(str(path))}", flush=True)
            while all(part.process.poll() is None for part in stack.parts.values()):
                time.sleep(0.2)
            over = [name for name, part in stack.parts.items() if part.process.poll() is not None]
            raise StackError(f"ended by itself: {', '.join(over)}; what it said stands above")
    except KeyboardInterrupt:
        print("ended", file=sys.stderr)
    except (EmulatorMissing, StackError) as error:
        raise ConfigurationError(str(error)) from error
