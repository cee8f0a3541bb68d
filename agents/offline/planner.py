"""What the offline planner does next, as a conversation of tool calls. No framework here.

``next_move`` is a function of the task and of the calls made so far with their replies, like a
model's answer is. A run's script is a generator; it is played again from the start for each answer,
so the planner keeps nothing between two calls of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.runtime import AgentTask

Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the planner wants made."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Say:
    """The planner's last word of a run; ``text`` is what a model would answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call that was made, and what came back."""

    tool: str
    reply: Reply


Move = Call | Say
Script = Generator[Move, Reply, None]


def next_move(script: Script, past: Sequence[Exchange]) -> Move:
    """Play a script up to the first move that has no reply yet.

    A script that ends without a word says that it is done.
    """
    try:
        move = next(script)
        for exchange in past:
            if isinstance(move, Say):
                return move
            if move.tool != exchange.tool:
                return Say(f"I expected the reply to {move.tool}, and got one to {exchange.tool}.")
            move = script.send(exchange.reply)
    except StopIteration:
        return Say("Done.")
    return move


def refused(reply: Reply) -> str | None:
    """Why a call was refused, or None."""
    error = reply.get("error")
    return None if error is None else str(error)


Scripts = Callable[[AgentTask], Script]
