"""Brings the contract checks together with the engines that they need, for ``engine/runs``.

The contracts are pure; what waits (terraform) is run first, and its result is handed to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.runtime import Attachment
from agents.tools.checkers import PreparedCheckers, prepare_checkers
from engine.contracts import (
    CatalogueLike,
    ContractContext,
    File,
    Problem,
    Submission,
    check,
    check_pillar,
)
from engine.deliverables import Kind, Pillar
from engine.documents import mermaid_blocks
from engine.guide import ExpandError, expand
from engine.inputs import Ancestors
from engine.ports import Content
from engine.tools import CheckedContent


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
        ancestors: Ancestors,
    ) -> CheckedContent:
        """Check a Deliverable; a guide's includes are expanded first."""
        built_on = await ancestors()
        if kind is Kind.SOLUTION_GUIDE:
            try:
                content = expand(content, {k: c.content for k, c in built_on.items()})
            except ExpandError as error:
                return CheckedContent(content, (str(error),))
        files = tuple(File(a.path, a.text) for a in attachments)
        submission = Submission(kind, content, files)
        prepared = await prepare_checkers(mermaid_blocks(content), files)
        problems = check(submission, self._context(request, built_on, prepared))
        return CheckedContent(content, _messages(problems))

    async def pillar(
        self, pillar: Pillar, content: str, request: str, ancestors: Ancestors
    ) -> CheckedContent:
        """Check one pillar's section."""
        problems = check_pillar(
            pillar, content, self._context(request, await ancestors(), PreparedCheckers())
        )
        return CheckedContent(content, _messages(problems))

    def _context(
        self, request: str, ancestors: Mapping[Kind, Content], checkers: PreparedCheckers
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
            checkers=checkers,
        )


def _messages(problems: Sequence[Problem]) -> tuple[str, ...]:
    return tuple(problem.message for problem in problems)
