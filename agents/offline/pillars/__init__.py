"""The six pillar sections, written from a knowledge base that is data (``knowledge/*.yaml``)."""

from agents.offline.pillars.writer import draft_pillar

__all__ = ["draft_pillar"]
