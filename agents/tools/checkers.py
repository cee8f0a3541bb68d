"""The checks that a contract asks other engines for, run beforehand.

A contract is pure and does not wait (``engine.contracts.Checkers``). ``prepare_checkers`` runs
mermaid and terraform on what is about to be submitted; the result answers at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from agents.runtime import Attachment
from agents.tools.files import BadFiles
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_rules import Severity
from agents.tools.mermaid import check_mermaid
from agents.tools.terraform import FmtReport, FmtState, terraform_fmt
from agents.tools.terraform_process import TerraformSettings


class FileLike(Protocol):
    """An attachment of any kind: a relative path and a text."""

    @property
    def path(self) -> str:
        """The path, with forward slashes."""
        ...

    @property
    def text(self) -> str:
        """The whole text."""
        ...


class PreparedCheckers:
    """Answers from reports that are there already; what was not prepared is checked on the spot.

    Terraform's formatting cannot be checked on the spot: for other files than the prepared ones
    the answer is None, as it is where terraform is not installed.
    """

    def __init__(self, files: Sequence[Attachment] = (), fmt: FmtReport | None = None) -> None:
        self._files = tuple(files)
        self._fmt = fmt

    def mermaid_errors(self, text: str) -> Sequence[str]:
        """Return what keeps the diagram from being parsed."""
        return check_mermaid(text).errors

    def terraform_fmt_problems(self, files: Sequence[FileLike]) -> Sequence[str] | None:
        """Return what is not formatted, or None where that could not be checked."""
        report = self._fmt
        if (
            report is None
            or report.state is FmtState.UNAVAILABLE
            or _as_files(files) != self._files
        ):
            return None
        if report.state is FmtState.SYNTAX_ERROR:
            return report.errors
        return [
            f"{file.path} is not formatted. Take over the text that terraform_fmt returns."
            for file in report.formatted
        ]

    def terraform_policy_problems(
        self, files: Sequence[FileLike], allow_public: bool
    ) -> Sequence[str]:
        """Return the findings that are errors."""
        try:
            report = iac_policy_check(_as_files(files), allow_public=allow_public)
        except BadFiles as error:
            return [str(error)]
        return [f.message for f in report.findings if f.severity is Severity.ERROR]


async def prepare_checkers(
    diagrams: Sequence[str] = (),
    files: Sequence[FileLike] = (),
    settings: TerraformSettings | None = None,
) -> PreparedCheckers:
    """Run what takes time: mermaid on each diagram, terraform on the files under ``terraform/``."""
    for diagram in diagrams:
        await asyncio.to_thread(check_mermaid, diagram)
    attachments = _as_files(files)
    if not attachments:
        return PreparedCheckers()
    try:
        report = await terraform_fmt(attachments, settings)
    except BadFiles as error:
        report = FmtReport(
            state=FmtState.SYNTAX_ERROR, engine="terraform fmt", errors=(str(error),)
        )
    return PreparedCheckers(attachments, report)


def _as_files(files: Sequence[FileLike]) -> tuple[Attachment, ...]:
    """Take the Terraform files, in the order of their paths."""
    terraform = [f for f in files if f.path.startswith("terraform/")]
    return tuple(
        Attachment(path=f.path, text=f.text) for f in sorted(terraform, key=lambda f: f.path)
    )
