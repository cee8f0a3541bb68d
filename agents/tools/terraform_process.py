"""Starts the terraform program: settings, a scrubbed environment, a time limit, no leftovers."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.runtime import Attachment

_PASSED_ON = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)


@dataclass(frozen=True, slots=True)
class TerraformSettings:
    """How terraform is run. Times are seconds.

    ``plugin_dir`` is a folder that ``terraform providers mirror`` filled; with it the registry is
    not asked. ``config_file`` is Terraform's own CLI configuration, where it exists.
    """

    program: str | None
    plugin_dir: str | None = None
    config_file: str | None = None
    run_timeout: float = 20.0
    init_timeout: float = 30.0

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> TerraformSettings:
        """Read SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR and TF_CLI_CONFIG_FILE, find terraform.

        TF_CLI_CONFIG_FILE is dropped where it names no file: terraform warns about it on every
        run, and nothing would be read.
        """
        environ = os.environ if environ is None else environ
        config = environ.get("TF_CLI_CONFIG_FILE")
        return cls(
            program=shutil.which("terraform", path=environ.get("PATH")),
            plugin_dir=environ.get("SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR") or None,
            config_file=config if config and Path(config).is_file() else None,
        )


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run left behind; ``code`` is None where the time limit ended it."""

    code: int | None
    stdout: str
    stderr: str


class Workspace:
    """A private folder that holds the files for the length of one check."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "terraform"

    def write(self, files: Sequence[Attachment]) -> None:
        """Write checked files below the folder."""
        for file in files:
            target = self.folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.text, encoding="utf-8", newline="")

    def read(self, path: str) -> str:
        """Read a file back."""
        return (self.folder / path).read_bytes().decode("utf-8")


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """Make a workspace and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="terraform-check-") as folder:
        root = Workspace(Path(folder))
        root.root.mkdir()
        yield root


async def run(
    settings: TerraformSettings, space: Workspace, *arguments: str, seconds: float
) -> Finished:
    """Run terraform in the workspace's ``terraform`` folder and wait for it.

    After ``seconds``, and when the caller is cancelled, it is killed with all that it started.
    """
    assert settings.program is not None  # noqa: S101 - callers report a missing program
    process = await asyncio.create_subprocess_exec(
        settings.program,
        *arguments,
        cwd=space.root,
        env=_environment(settings, space),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            stdout, stderr = await process.communicate()
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if isinstance(error, TimeoutError):
            return Finished(None, "", "")
        raise
    return Finished(process.returncode, stdout.decode(errors="replace"), stderr.decode("utf-8"))


def _environment(settings: TerraformSettings, space: Workspace) -> dict[str, str]:
    """Build an environment without the caller's credentials and settings."""
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {
        "HOME": str(space.folder),
        "PATH": os.defpath,
        "TMPDIR": str(space.folder),
        "CHECKPOINT_DISABLE": "1",
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "TF_PLUGIN_CACHE_DIR": os.environ.get("TF_PLUGIN_CACHE_DIR") or _plugin_cache(),
        "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE": "1",
        "TF_REGISTRY_CLIENT_TIMEOUT": "5",
        "TF_REGISTRY_DISCOVERY_RETRY": "0",
    }
    if settings.config_file:
        environment["TF_CLI_CONFIG_FILE"] = settings.config_file
    return environment


@cache
def _plugin_cache() -> str:
    """Keep downloaded providers (over 100 MB) for the life of this process."""
    folder = tempfile.mkdtemp(prefix="terraform-plugins-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
