"""Formatting and validation by terraform itself. Nothing here plans or applies.

Without network the provider cannot be installed; terraform then still finds syntax errors and
duplicates, and the state is ``unchecked``, never a silent pass.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from enum import StrEnum
from typing import Any
from weakref import WeakKeyDictionary

from agents.runtime import Attachment, Frozen
from agents.tools.files import ROOT, checked, parsed
from agents.tools.terraform_guard import refusals
from agents.tools.terraform_process import Finished, TerraformSettings, Workspace, run, workspace

MISSING = (
    "Terraform is not installed here, so nothing was checked with it. Install it and put it on "
    "the PATH."
)
_FORMATTED_ENDINGS = (".tf", ".tfvars", ".tftest.hcl")
_EXAMPLE = ".tfvars.example"
_REMEMBER_SECONDS = 900.0
_UNREACHABLE = re.compile(
    r"could not connect to|failed to request discovery|no such host|connection refused"
    r"|Client\.Timeout|context deadline exceeded|i/o timeout",
    re.I,
)
_PLACE = re.compile(r"^ +on (\S+) line (\d+)", re.M)
_NO_PROVIDER = "Missing required provider"
# These are about this machine, not about the files.
_ENVIRONMENT = frozenset(
    {
        _NO_PROVIDER,
        "Module not installed",
        "Unsupported Terraform Core version",
        "Failed to load plugin schemas",
        "Inconsistent dependency lock file",
        "Required plugins are not installed",
    }
)


class FmtState(StrEnum):
    """What ``terraform fmt`` says."""

    FORMATTED = "formatted"
    UNFORMATTED = "unformatted"
    SYNTAX_ERROR = "syntax_error"
    UNAVAILABLE = "unavailable"


class FmtReport(Frozen):
    """``formatted`` holds, for each file that differs, the text that it should have."""

    state: FmtState
    engine: str
    formatted: tuple[Attachment, ...] = ()
    errors: tuple[str, ...] = ()
    reason: str = ""


class ValidateState(StrEnum):
    """``unchecked`` is neither: the reason says why no verdict was possible."""

    VALID = "valid"
    INVALID = "invalid"
    UNCHECKED = "unchecked"


class Diagnostic(Frozen):
    """One message of terraform; ``path`` is empty and ``line`` 0 where it names no place."""

    severity: str
    summary: str
    detail: str
    path: str = ""
    line: int = 0


class ValidateReport(Frozen):
    """The verdict, what terraform said, and for ``unchecked`` the reason."""

    state: ValidateState
    engine: str
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""


async def terraform_fmt(
    files: Sequence[Attachment], settings: TerraformSettings | None = None
) -> FmtReport:
    """Say whether the files are formatted, and give the formatted text of those that are not.

    Raises BadFiles where a path or the size is not acceptable.
    """
    files = checked(files)
    settings = settings or TerraformSettings.from_environment()
    if settings.program is None:
        return FmtReport(state=FmtState.UNAVAILABLE, engine="terraform fmt", reason=MISSING)
    with workspace() as space:
        return await _fmt(settings, space, files)


async def _fmt(
    settings: TerraformSettings, space: Workspace, files: Sequence[Attachment]
) -> FmtReport:
    engine = f"terraform fmt {await _version(settings, space)}".rstrip()
    # terraform looks at endings, so an example of variables gets one that it knows.
    named = {
        f.path + ".tfvars" if f.path.endswith(_EXAMPLE) else f.path: f
        for f in files
        if f.path.endswith((*_FORMATTED_ENDINGS, _EXAMPLE))
    }
    space.write([Attachment(path=name, text=f.text) for name, f in named.items()])
    done = await run(
        settings,
        space,
        *("fmt", "-no-color", "-recursive", "-list=false", "."),
        seconds=settings.run_timeout,
    )
    if done.code is None:
        reason = f"terraform fmt did not end within {settings.run_timeout:g} s."
        return FmtReport(state=FmtState.UNAVAILABLE, engine=engine, reason=reason)
    if done.code != 0:
        return FmtReport(
            state=FmtState.SYNTAX_ERROR, engine=engine, errors=tuple(_errors(done.stderr))
        )
    changed = tuple(
        Attachment(path=f.path, text=text)
        for name, f in named.items()
        if (text := space.read(name)) != f.text
    )
    state = FmtState.UNFORMATTED if changed else FmtState.FORMATTED
    return FmtReport(state=state, engine=engine, formatted=changed)


async def terraform_validate(
    files: Sequence[Attachment], settings: TerraformSettings | None = None
) -> ValidateReport:
    """Validate the files with terraform, with the provider where it can be installed.

    Raises BadFiles where a path or the size is not acceptable.
    """
    files = checked(files)
    settings = settings or TerraformSettings.from_environment()
    if settings.program is None:
        return _unchecked("terraform validate", MISSING)
    with workspace() as space:
        engine = f"terraform validate {await _version(settings, space)}".rstrip()
        formatted = await _fmt(settings, space, files)
        if formatted.state is FmtState.SYNTAX_ERROR:
            diagnostics = tuple(map(_from_text, formatted.errors))
            return ValidateReport(
                state=ValidateState.INVALID, engine=engine, diagnostics=diagnostics
            )
        sources = parsed([f for f in files if f.path.endswith(".tf")])
        trusted = settings.plugin_dir is not None
        if refused := list(refusals(files, sources, any_provider=trusted)):
            return _unchecked(engine, "Not validated, to be safe: " + "; ".join(refused[:5]) + ".")
        space.write(files)
        local_modules = any(b.type == "module" for f in sources for b in f.blocks)
        unavailable = await _prepare(settings, space, local_modules=local_modules)
        done = await run(
            settings, space, "validate", "-json", "-no-tests", seconds=settings.run_timeout
        )
        return _verdict(engine, done, unavailable)


_unreachable_until: dict[TerraformSettings, float] = {}
_init_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def _prepare(settings: TerraformSettings, space: Workspace, *, local_modules: bool) -> str:
    """Install providers and local modules; return why the providers are not there, or nothing.

    An unreachable registry is remembered for a quarter of an hour, so that only the first check
    waits for it. Two runs must not fill the plugin cache at once, hence the lock.
    """
    if time.monotonic() < _unreachable_until.get(settings, 0.0):
        if local_modules:
            await run(settings, space, "get", "-no-color", seconds=settings.run_timeout)
        return _registry_words(settings)
    arguments = ["init", "-backend=false", "-input=false", "-no-color"]
    if settings.plugin_dir:
        arguments.append(f"-plugin-dir={settings.plugin_dir}")
    lock = _init_locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        done = await run(settings, space, *arguments, seconds=settings.init_timeout)
    if done.code == 0:
        return ""
    # Terraform wraps its messages, so a phrase may run over two lines.
    if done.code is None or _UNREACHABLE.search(" ".join(done.stderr.split())):
        if not settings.plugin_dir:
            _unreachable_until[settings] = time.monotonic() + _REMEMBER_SECONDS
        return _registry_words(settings)
    return "The provider could not be installed: " + " ".join(_errors(done.stderr))[:600]


def _registry_words(settings: TerraformSettings) -> str:
    if settings.plugin_dir:
        return f"The providers in {settings.plugin_dir} could not be installed in time."
    return (
        "The provider registry cannot be reached from here. Set "
        "SOLUTION_ARCHITECT_TERRAFORM_PLUGIN_DIR to a folder that `terraform providers mirror` "
        "filled on a connected machine."
    )


def _verdict(engine: str, done: Finished, unavailable: str) -> ValidateReport:
    try:
        answer = json.loads(done.stdout) if done.code is not None else {}
        diagnostics = tuple(_diagnostic(d) for d in answer["diagnostics"])
        valid = bool(answer["valid"])
    except (ValueError, KeyError, TypeError):
        return _unchecked(engine, "terraform validate gave no answer that can be read.")
    errors = [d for d in diagnostics if d.severity == "error"]
    no_provider = any(d.summary == _NO_PROVIDER for d in errors)
    reason = unavailable if no_provider else ""
    if valid:
        state = ValidateState.VALID
    elif any(d.summary not in _ENVIRONMENT for d in errors):
        state = ValidateState.INVALID
    else:
        state = ValidateState.UNCHECKED
        if no_provider:
            reason = "Only syntax and duplicate declarations were checked. " + reason
        else:
            details = " ".join(dict.fromkeys(f"{d.summary}: {d.detail}" for d in errors))
            reason = f"Terraform cannot check the files on this machine. {details[:600]}"
    kept = tuple(d for d in diagnostics if d.summary != _NO_PROVIDER)
    return ValidateReport(
        state=state, engine=engine, diagnostics=kept, reason=" ".join(reason.split())
    )


def _diagnostic(raw: dict[str, Any]) -> Diagnostic:
    place = raw.get("range") or {}
    name = place.get("filename", "")
    return Diagnostic(
        severity=str(raw.get("severity", "error")),
        summary=str(raw.get("summary", "")),
        detail=str(raw.get("detail", ""))[:1000],
        path=ROOT + name if name else "",
        line=int(place.get("start", {}).get("line", 0)),
    )


def _from_text(error: str) -> Diagnostic:
    place = _PLACE.search(error)
    return Diagnostic(
        severity="error",
        summary=error.partition("\n")[0],
        detail=error,
        path=place[1] if place else "",
        line=int(place[2]) if place else 0,
    )


def _unchecked(engine: str, reason: str) -> ValidateReport:
    return ValidateReport(state=ValidateState.UNCHECKED, engine=engine, reason=reason)


def _errors(stderr: str) -> list[str]:
    """Split terraform's messages; paths are made those of the attachments."""
    messages = re.split(r"^Error: ", stderr, flags=re.M)[1:]
    cleaned = [re.sub(r"(?m)^( +on )(?=\S+ line \d)", rf"\1{ROOT}", m).strip() for m in messages]
    return [message[:1000] for message in cleaned] or [stderr.strip()[:1000]]


_versions: dict[str, str] = {}


async def _version(settings: TerraformSettings, space: Workspace) -> str:
    """Ask terraform for its version once a process."""
    program = settings.program or ""
    if program not in _versions:
        done = await run(settings, space, "version", "-json", seconds=settings.run_timeout)
        try:
            _versions[program] = str(json.loads(done.stdout)["terraform_version"])
        except (ValueError, KeyError, TypeError):
            return ""
    return _versions[program]
