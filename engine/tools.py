"""The Orchestrator's and the Specialists' tools, as neutral ToolSpecs (SPEC: Tools of the agents).

The Orchestrator's tools work on a copy of the Execution and record its actions; ``runs`` applies
them again to the state as it is when the Turn ends. A refusal is an answer, never an exception.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from agents.runtime import Attachment as AgentAttachment
from agents.runtime import (
    NeedsInput,
    Outcome,
    Question,
    Submitted,
    Tier,
    ToolReply,
    ToolSpec,
    TurnEnded,
)
from engine import ledger as rules
from engine.deliverables import ANCESTORS, SPECS, Kind, Phase
from engine.execution import Execution, ExecutionError, WaitKind, open_questions, workable
from engine.step import Step
from engine.turns import (
    Action,
    AskUser,
    Delegate,
    Finish,
    Reopen,
    RequestApproval,
    TurnQuestion,
    apply,
)

ReadDeliverable = Callable[[Kind], Awaitable[Mapping[str, Any] | None]]
"""Reads a submitted Deliverable as ``{"kind", "revision", "content", "attachments"}``."""

_KINDS = [kind.value for kind in Kind]
_TEXT = {"type": "string", "minLength": 1}


def _object(properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required or properties),
        "additionalProperties": False,
    }


_QUESTION = {
    "text": _TEXT,
    "why": {"type": "string", "description": "why the answer matters"},
    "proposal": {"type": "string", "description": "what is assumed if the user just agrees"},
}


def describe(execution: Execution) -> dict[str, Any]:
    """The state as ``ready_work`` answers it."""
    ledger = execution.ledger
    phases = []
    for phase in Phase:
        entry = ledger.phases[phase]
        phases.append(
            {
                "phase": phase.value,
                "state": entry.status.value,
                "missing": [kind.value for kind in rules.unsubmitted(ledger, phase)],
                "change_request": entry.change_request,
            }
        )
    requestable = [p.value for p in Phase if rules.approval_blocker(ledger, p) is None]
    return {
        "mode": execution.mode.value,
        "ready": [kind.value for kind in workable(execution)],
        "in_flight": [kind.value for kind in rules.in_progress(ledger)],
        "open_questions": [
            {
                "id": q.id,
                "deliverable": kind.value,
                "text": q.text,
                "why": q.why,
                "proposal": q.proposal,
            }
            for kind, q in open_questions(execution)
        ],
        "phases": phases,
        "can_request_approval": requestable[0] if requestable else None,
        "can_finish": rules.all_approved(ledger),
        "waiting_for": execution.wait.kind.value if execution.wait else None,
        "revisions": {
            kind.value: entry.revisions
            for kind, entry in ledger.deliverables.items()
            if entry.revisions
        },
        "failures": {
            kind.value: work.failure for kind, work in execution.work.items() if work.failure
        },
    }


_NOTHING = _object({})
_DELEGATE = _object(
    {"kinds": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": _KINDS}}}
)
_ASK_USER = _object(
    {
        "questions": {
            "type": "array",
            "maxItems": 20,
            "items": _object(
                {**_QUESTION, "merges": {"type": "array", "items": {"type": "string"}}}, ("text",)
            ),
        }
    }
)
_REQUEST_APPROVAL = _object(
    {"phase": {"type": "string", "enum": [phase.value for phase in Phase]}, "summary": _TEXT}
)
_REOPEN = _object({"kind": {"type": "string", "enum": _KINDS}, "reason": _TEXT})
_KIND = _object({"kind": {"type": "string", "enum": _KINDS}})
_SUBMIT = _object(
    {
        "content": _TEXT,
        "attachments": {
            "type": "array",
            "maxItems": 50,
            "items": _object({"path": _TEXT, "text": {"type": "string"}}),
        },
    },
    ("content",),
)
_NEEDS_INPUT = _object(
    {
        "questions": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": _object(_QUESTION, ("text",)),
        }
    }
)


class OrchestratorDesk:
    """The Orchestrator's tools in one Turn, and the actions that it decided on."""

    def __init__(self, execution: Execution, now: datetime, read: ReadDeliverable) -> None:
        self._step = Step(execution, now)
        self._read = read
        self.actions: list[Action] = []

    def situation(self) -> str:
        """What happened since the last Turn; the state itself is for ``ready_work`` to tell."""
        news = "\n".join(f"- {note}" for note in self._step.execution.inbox) or "- nothing"
        return f"Since your last Turn:\n{news}"

    def specs(self) -> tuple[ToolSpec, ...]:
        """All seven tools."""
        return (
            ToolSpec(
                "ready_work",
                "Shows what can be delegated now, what is in flight, open questions of "
                "Specialists, and the state of every Phase. Call it first.",
                _NOTHING,
                self._ready_work,
            ),
            ToolSpec(
                "delegate",
                "Gives Deliverables to their Specialists and ends the Turn. Refuses what is not "
                "ready.",
                _DELEGATE,
                self._delegate,
                ending=True,
            ),
            ToolSpec(
                "ask_user",
                "Puts questions to the user in one voice. `merges` lists ids of Specialists' open "
                "questions that a question covers; those left out are asked as they stand.",
                _ASK_USER,
                self._ask_user,
                ending=True,
            ),
            ToolSpec(
                "request_approval",
                "Asks the user to approve a Phase whose Deliverables are all submitted. `summary` "
                "is what the user reads first.",
                _REQUEST_APPROVAL,
                self._request_approval,
                ending=True,
            ),
            ToolSpec(
                "reopen",
                "Starts a Revision: sends a submitted Deliverable back to its Specialist with the "
                "reason; everything that depends on it follows, and Approvals concerned are "
                "withdrawn.",
                _REOPEN,
                self._reopen,
            ),
            ToolSpec(
                "read_deliverable",
                "Reads the submitted content of a Deliverable.",
                _KIND,
                self._read_deliverable,
            ),
            ToolSpec(
                "finish",
                "Closes the Execution. Refused unless every Phase is approved.",
                _NOTHING,
                self._finish,
                ending=True,
            ),
        )

    def _act(self, action: Action, done: Mapping[str, Any]) -> ToolReply:
        try:
            answers = apply(self._step, action)
        except ExecutionError as refusal:
            return ToolReply.refusal(str(refusal))
        self.actions.append(action)
        execution = self._step.execution
        if answers:
            return ToolReply({**done, "answers": list(answers)})
        over = execution.status.terminal or execution.wait is not None
        if over or isinstance(action, Delegate):
            return ToolReply({**done, "turn": "ended"}, outcome=TurnEnded())
        return ToolReply(done)

    async def _ready_work(self, args: Mapping[str, Any]) -> ToolReply:
        return ToolReply(describe(self._step.execution))

    async def _delegate(self, args: Mapping[str, Any]) -> ToolReply:
        kinds = tuple(Kind(kind) for kind in args["kinds"])
        return self._act(Delegate(kinds=kinds), {"delegated": [kind.value for kind in kinds]})

    async def _ask_user(self, args: Mapping[str, Any]) -> ToolReply:
        questions = tuple(TurnQuestion.model_validate(q) for q in args["questions"])
        return self._act(AskUser(questions=questions), {"asked": True})

    async def _request_approval(self, args: Mapping[str, Any]) -> ToolReply:
        phase = Phase(args["phase"])
        action = RequestApproval(phase=phase, summary=args["summary"])
        reply = self._act(action, {"requested": phase.value})
        if reply.ok and reply.outcome is None:
            return ToolReply({"approved": phase.value, "by": "pre-approved"})
        return reply

    async def _reopen(self, args: Mapping[str, Any]) -> ToolReply:
        kind = Kind(args["kind"])
        reply = self._act(Reopen(kind=kind, reason=args["reason"]), {"reopened": kind.value})
        wait = self._step.execution.wait
        if reply.ok and wait is not None and wait.kind is WaitKind.ESCALATION:
            return ToolReply({"escalated": wait.summary, "turn": "ended"}, outcome=TurnEnded())
        return reply

    async def _read_deliverable(self, args: Mapping[str, Any]) -> ToolReply:
        kind = Kind(args["kind"])
        found = await self._read(kind)
        if found is None:
            return ToolReply.refusal(f"{kind} has no submitted content yet")
        return ToolReply(found)

    async def _finish(self, args: Mapping[str, Any]) -> ToolReply:
        return self._act(Finish(), {"finished": True})


CheckContract = Callable[[str, tuple[AgentAttachment, ...]], Awaitable["CheckedContent"]]


class CheckedContent:
    """A content after the contract looked at it: expanded, and with the problems found."""

    def __init__(self, content: str, problems: tuple[str, ...]) -> None:
        self.content = content
        self.problems = problems


def specialist_tools(
    kind: Kind, check: CheckContract, read: ReadDeliverable
) -> tuple[ToolSpec, ...]:
    """``submit_deliverable``, ``needs_input`` and ``read_deliverable`` of one Specialist run."""
    readable = [ancestor.value for ancestor in ANCESTORS[kind]]

    async def submit(args: Mapping[str, Any]) -> ToolReply:
        try:
            files = tuple(AgentAttachment.model_validate(f) for f in args.get("attachments", ()))
        except ValidationError as error:
            return ToolReply.refusal(f"attachments: {error.errors(include_url=False)[0]['msg']}")
        checked = await check(args["content"], files)
        if checked.problems:
            return ToolReply.refusal(
                "The contract is not met and nothing was recorded. Mend every point and submit "
                "again.",
                problems=list(checked.problems),
            )
        outcome = Submitted(content=checked.content, attachments=files)
        return ToolReply({"accepted": True}, outcome=outcome)

    async def ask(args: Mapping[str, Any]) -> ToolReply:
        questions = tuple(Question.model_validate(q) for q in args["questions"])
        return ToolReply({"asked": len(questions)}, outcome=NeedsInput(questions=questions))

    async def read_one(args: Mapping[str, Any]) -> ToolReply:
        if args["kind"] not in readable:
            return ToolReply.refusal(
                f"{kind} does not build on {args['kind']}; it may read: {', '.join(readable)}"
            )
        found = await read(Kind(args["kind"]))
        if found is None:
            return ToolReply.refusal(f"{args['kind']} has no submitted content")
        return ToolReply(found)

    return (
        ToolSpec(
            "submit_deliverable",
            f"Submits {SPECS[kind].title}. The contract is checked; what is missing comes back as "
            "a list and nothing is recorded until it is met.",
            _SUBMIT,
            submit,
            ending=True,
        ),
        ToolSpec(
            "needs_input",
            "Asks the user through the Orchestrator and ends this run; a new run gets the answers.",
            _NEEDS_INPUT,
            ask,
            ending=True,
        ),
        ToolSpec(
            "read_deliverable",
            "Reads a Deliverable that this one builds on.",
            _object({"kind": {"type": "string", "enum": readable or _KINDS}}),
            read_one,
        ),
    )


def gate(tool: ToolSpec, permission: bool | None) -> ToolSpec:
    """A tool as this Execution may use it: cloud_read needs permission, general runs freely.

    Without a decision yet the call ends the run, so that the user is asked once; a refusal is
    answered to the agent, which records a discovery gap.
    """
    if tool.tier is not Tier.CLOUD_READ or permission:
        return tool

    async def ask(args: Mapping[str, Any]) -> ToolReply:
        outcome: Outcome = NeedsInput(permission=Tier.CLOUD_READ)
        return ToolReply({"waiting_for": "permission"}, outcome=outcome)

    async def refuse(args: Mapping[str, Any]) -> ToolReply:
        return ToolReply.refusal(
            f"{tool.name}: the user gave no permission to read cloud projects. Go on without it "
            "and record this as a discovery gap."
        )

    return ToolSpec(
        tool.name,
        tool.description,
        tool.parameters,
        ask if permission is None else refuse,
        tool.tier,
    )
