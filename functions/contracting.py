"""Brings the contract checks together with the engines that they need, for ``engine/runs``.

The contracts are pure; what waits (terraform) is run first, and its result is handed to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.tools.mermaid import check_mermaid

from agents.runtime import Attachment
from agents.tools.files import BadFiles
from agents.tools.iac_policy import iac_policy_check
from agents.tools.iac_rules import Severity
from agents.tools.terraform import FmtReport, FmtState, terraform_fmt
from engine.contracts import (
    CatalogueLike,
    ContractContext,
    File,
    Problem,
    Submission,
    check,
    check_pillar,
    terraform_files,
)
from engine.deliverables import Kind, Pillar
from engine.guide import ExpandError, expand
from engine.ports import Content
from engine.tools import CheckedContent


@dataclass(frozen=True)
class _Prepared:
    """The checkers of one submission; ``fmt`` is what terraform said, None where it was not run."""

    fmt: FmtReport | None

    def mermaid_errors(self, text: str) -> Sequence[str]:
        return check_mermaid(text).errors

    def terraform_fmt_problems(self, files: Sequence[File]) -> Sequence[str] | None:
        if self.fmt is None or self.fmt.state is FmtState.UNAVAILABLE:
            return None
        if self.fmt.state is FmtState.SYNTAX_ERROR:
            return self.fmt.errors
        return [
            f"{file.path} is not formatted; send it as terraform_fmt returns it"
            for file in self.fmt.formatted
        ]

    def terraform_policy_problems(self, files: Sequence[File], allow_public: bool) -> Sequence[str]:
        try:
            report = iac_policy_check(_attachments(files), allow_public=allow_public)
        except BadFiles as error:
            return [str(error)]
        return [f.message for f in report.findings if f.severity is Severity.ERROR]


def _attachments(files: Sequence[File]) -> tuple[Attachment, ...]:
    return tuple(Attachment(path=file.path, text=file.text) for file in files)


@dataclass(frozen=True)
class Contracts:
    """The ContractChecker of a provider bundle."""

    catalogue: CatalogueLike
    docs_hosts: tuple[str, ...]
    template: str

    async def deliverable(
        self,
        kind: Kind,
        content: str,
        attachments: tuple[Attachment, ...],
        request: str,
        ancestors: Mapping[Kind, Content],
    ) -> CheckedContent:
        """Check a Deliverable; a guide's includes are expanded first."""
        if kind is Kind.SOLUTION_GUIDE:
            try:
                content = expand(content, {k: c.content for k, c in ancestors.items()})
            except ExpandError as error:
                return CheckedContent(content, (str(error),))
        files = tuple(File(a.path, a.text) for a in attachments)
        submission = Submission(kind, content, files)
        fmt = None
        terraform = terraform_files(files)
        if terraform:
            try:
                fmt = await terraform_fmt(_attachments(terraform))
            except BadFiles as error:
                return CheckedContent(content, (str(error),))
        problems = check(submission, self._context(request, ancestors, fmt))
        return CheckedContent(content, _messages(problems))

    async def pillar(
        self, pillar: Pillar, content: str, request: str, ancestors: Mapping[Kind, Content]
    ) -> CheckedContent:
        """Check one pillar's section."""
        problems = check_pillar(pillar, content, self._context(request, ancestors, None))
        return CheckedContent(content, _messages(problems))

    def _context(
        self, request: str, ancestors: Mapping[Kind, Content], fmt: FmtReport | None
    ) -> ContractContext:
        return ContractContext(
            request=request,
            dependencies={
                kind: Submission(
                    kind, found.content, tuple(File(p, t) for p, t in found.attachments)
                )
                for kind, found in ancestors.items()
            },
            catalogue=self.catalogue,
            docs_hosts=self.docs_hosts,
            template=self.template,
            checkers=_Prepared(fmt),
        )


def _messages(problems: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(f"{p.message} ({p.where})" if p.where else p.message for p in problems)
