"""An ASGI application on a real port, in this process and without its own signal handlers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # whoever embeds the server handles signals


def listen(port: int = 0) -> socket.socket:
    """A bound socket on the loopback address."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


@contextlib.asynccontextmanager
async def serving(app: Any, port: int = 0) -> AsyncIterator[str]:
    """Serve an application; its base URL. Leaving gives running requests a second."""
    bound = listen(port)
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_level="warning", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    job = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        while not server.started and not job.done():
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        await job
        bound.close()
