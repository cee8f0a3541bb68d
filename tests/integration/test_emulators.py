"""A missing emulator is one sentence that says how to get it, never a test that is skipped."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

from tests.support import emulators
from tests.support.emulators import EmulatorMissing, FirestoreEmulator


def test_no_gcloud_is_said_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLOUDSDK_ROOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmulatorMissing, match="no gcloud on the PATH: install the Google Cloud"):
        FirestoreEmulator.start()


def test_an_sdk_without_the_emulator_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDSDK_ROOT", str(tmp_path))
    with pytest.raises(EmulatorMissing, match="components install cloud-firestore-emulator"):
        FirestoreEmulator.start()


def test_gclouds_link_leads_to_the_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gcloud = tmp_path / "sdk" / "bin" / "gcloud"
    gcloud.parent.mkdir(parents=True)
    gcloud.write_text("#!/bin/sh\n")
    gcloud.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gcloud").symlink_to(gcloud)
    monkeypatch.delenv("CLOUDSDK_ROOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert emulators.sdk_root() == (tmp_path / "sdk").resolve()


def test_one_that_does_not_start_is_ended_and_names_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
    jar.parent.mkdir(parents=True)
    jar.write_text("no jar")
    monkeypatch.setenv("CLOUDSDK_ROOT", str(tmp_path))
    with pytest.raises(EmulatorMissing, match=r"did not start; its log is (\S+)") as raised:
        FirestoreEmulator.start()
    Path(str(raised.value).split("its log is ")[1].split(": ")[0]).unlink()


def test_it_ends_when_it_is_stopped() -> None:
    emulator = FirestoreEmulator.start()
    with urllib.request.urlopen(f"http://{emulator.host}/", timeout=5) as answer:
        assert answer.status == 200
    emulator.stop()
    assert emulator.process.returncode is not None
    assert not emulator.log.exists()
