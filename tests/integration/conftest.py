"""Fixtures of the integration tests."""

from tests.support.emulators import firestore_emulator, firestore_project

__all__ = ["firestore_emulator", "firestore_project"]
