"""How the offline planner reads a request: patterns over closed vocabularies, no model."""

from agents.offline.reading.reader import KIND_WORDS, read

__all__ = ["KIND_WORDS", "read"]
