"""Emulators as processes of our own, for tests: started when first needed, ended with the run."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HOW = (
    "install the Google Cloud SDK with `gcloud components install cloud-firestore-emulator` and a "
    "Java runtime (17 or newer), or name the SDK's folder in CLOUDSDK_ROOT"
)
READY_SECONDS = 60


class EmulatorMissing(Exception):
    """The emulator is not installed, or does not start; the message says how to get it."""


def sdk_root() -> Path:
    """The folder of the Google Cloud SDK. Raises EmulatorMissing."""
    named = os.environ.get("CLOUDSDK_ROOT")
    if named:
        return Path(named)
    gcloud = shutil.which("gcloud")
    if gcloud is None:
        raise EmulatorMissing(f"there is no gcloud on the PATH: {HOW}")
    return Path(gcloud).resolve().parent.parent


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class FirestoreEmulator:
    """A running emulator. ``host`` is what FIRESTORE_EMULATOR_HOST takes."""

    process: subprocess.Popen[bytes]
    host: str
    log: Path

    @classmethod
    def start(cls) -> FirestoreEmulator:
        """Start one on a free port and wait until it answers. Raises EmulatorMissing."""
        jar = sdk_root() / "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
        if not jar.is_file():
            raise EmulatorMissing(f"the Firestore emulator is missing from the SDK: {HOW}")
        java = shutil.which("java")
        if java is None:
            raise EmulatorMissing(f"there is no java on the PATH: {HOW}")
        port = free_port()
        handle, name = tempfile.mkstemp(prefix="firestore-emulator-", suffix=".log")
        process = subprocess.Popen(
            [
                java,
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                str(jar),
                "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
                "start",
                "--host=127.0.0.1",
                f"--port={port}",
            ],
            stdout=handle,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        os.close(handle)
        emulator = cls(process, f"127.0.0.1:{port}", Path(name))
        emulator._wait()
        return emulator

    def _wait(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while self.process.poll() is None and time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"http://{self.host}/", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        self.stop(keep_log=True)
        raise EmulatorMissing(f"the Firestore emulator did not start; its log is {self.log}: {HOW}")

    def reset(self, project: str) -> None:
        """Delete every document of a project."""
        path = f"emulator/v1/projects/{project}/databases/(default)/documents"
        request = urllib.request.Request(f"http://{self.host}/{path}", method="DELETE")
        with urllib.request.urlopen(request, timeout=30):
            pass

    def stop(self, *, keep_log: bool = False) -> None:
        """End this process, and no other."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if not keep_log:
            self.log.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def firestore_emulator() -> Iterator[FirestoreEmulator]:
    """One emulator a test process; a test that needs it fails where it is missing."""
    try:
        emulator = FirestoreEmulator.start()
    except EmulatorMissing as missing:
        pytest.fail(str(missing), pytrace=False)
    yield emulator
    emulator.stop()


@pytest.fixture
def firestore_project(
    firestore_emulator: FirestoreEmulator,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> str:
    """An empty project of this test process; clients made from now on find the emulator."""
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    project = f"test-{worker}"
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_emulator.host)
    firestore_emulator.reset(project)
    return project
