"""The emulators of Firestore and Pub/Sub as processes of our own (``serve --emulators``, tests)."""

from __future__ import annotations

import ctypes
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

READY_SECONDS = 120.0
PR_SET_PDEATHSIG = 1
JAVA = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class EmulatorMissing(Exception):
    """An emulator is not installed or does not start; the message says how to get it."""


class EmulatorKind(StrEnum):
    """What is emulated; the value is its name for people."""

    FIRESTORE = "firestore"
    PUBSUB = "pubsub"

    @property
    def how(self) -> str:
        """How to get it."""
        component = {
            EmulatorKind.FIRESTORE: "cloud-firestore-emulator",
            EmulatorKind.PUBSUB: "pubsub-emulator",
        }[self]
        return (
            f"install the SDK with `gcloud components install {component}` and a Java runtime "
            "(17 or newer), or name the SDK's folder in CLOUDSDK_ROOT"
        )


def sdk_root(kind: EmulatorKind) -> Path:
    """The folder of the SDK. Raises EmulatorMissing."""
    if named := os.environ.get("CLOUDSDK_ROOT"):
        return Path(named)
    gcloud = shutil.which("gcloud")
    if gcloud is None:
        raise EmulatorMissing(f"there is no gcloud on the PATH: {kind.how}")
    return Path(gcloud).resolve().parent.parent


def command(kind: EmulatorKind, port: int) -> list[str]:
    """The command that runs an emulator on a port. Raises EmulatorMissing."""
    platform = sdk_root(kind) / "platform"
    found = sorted(
        (platform / "cloud-firestore-emulator").glob("*.jar")
        if kind is EmulatorKind.FIRESTORE
        else (platform / "pubsub-emulator" / "lib").glob("*.jar")
    )
    if not found:
        raise EmulatorMissing(f"the {kind} emulator is missing from the SDK: {kind.how}")
    java = shutil.which("java")
    if java is None:
        raise EmulatorMissing(f"there is no java on the PATH: {kind.how}")
    where = ["--host=127.0.0.1", f"--port={port}"]
    if kind is EmulatorKind.PUBSUB:
        return [java, *JAVA, "-jar", str(found[0]), *where]
    main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
    return [java, *JAVA, "-cp", str(found[0]), main, "start", *where]


def end_with_parent() -> None:
    """In a new process: be ended when the process that started it is gone (where Linux can)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Emulator:
    """A running emulator. ``host`` is what its environment variable takes."""

    kind: EmulatorKind
    process: subprocess.Popen[bytes]
    host: str

    @classmethod
    def launch(cls, kind: EmulatorKind, log: IO[bytes] | int = subprocess.DEVNULL) -> Emulator:
        """Start one on a free port, without waiting for it. Raises EmulatorMissing."""
        port = free_port()
        process = subprocess.Popen(  # noqa: S603
            command(kind, port),
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, who end it last
            preexec_fn=end_with_parent,
        )
        return cls(kind, process, f"127.0.0.1:{port}")

    def wait(self) -> Emulator:
        """Wait until it answers. Raises EmulatorMissing when it does not."""
        until = time.monotonic() + READY_SECONDS
        while self.process.poll() is None and time.monotonic() < until:
            if _answers(self.host):
                return self
            time.sleep(0.05)
        self.stop()
        raise EmulatorMissing(f"the {self.kind} emulator did not start: {self.kind.how}")

    def stop(self) -> None:
        """End this process, and no other."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _answers(host: str) -> bool:
    connection = http.client.HTTPConnection(host, timeout=1)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
