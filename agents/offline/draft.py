"""What a writer of the offline planner hands back: a Deliverable before its contract is checked."""

from __future__ import annotations

from agents.runtime import Attachment, Frozen, Question


class Draft(Frozen):
    """A Deliverable as drafted, and what its writer would ask the user first.

    ``questions`` are asked through ``needs_input`` in interactive mode; in any mode the content
    already stands on the proposals that the questions carry, so it can be submitted as it is.
    """

    content: str
    attachments: tuple[Attachment, ...] = ()
    questions: tuple[Question, ...] = ()
