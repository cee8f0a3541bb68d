"""The image and the delivery builds name only what exists: files, doors, substitutions, steps.

The smoke test is run against commands of ours in the place of gcloud and curl.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BUILD, APPLY = ROOT / "cloudbuild.yaml", ROOT / "infra" / "apply.cloudbuild.yaml"
DOCKERFILE = (ROOT / "infra" / "Dockerfile").read_text(encoding="utf-8")
BUILT_IN = {"BUILD_ID", "PROJECT_ID", "PROJECT_NUMBER", "COMMIT_SHA", "LOCATION"}
MADE_BY_BUILD = {
    "infra/terraform.tfvars",
    "infra/plan.txt",
    "infra/plan.tfplan",
    "infra.tar.gz",
    "infra/.terraform",
}

both = pytest.mark.parametrize("path", [BUILD, APPLY], ids=["build", "apply"])


def load(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def step(path: Path, name: str) -> dict[str, Any]:
    (found,) = [s for s in load(path)["steps"] if s["id"] == name]
    return dict(found)


@both
def test_substitutions_are_declared_and_used(path: Path) -> None:
    build = load(path)
    declared = set(build["substitutions"])
    steps = json.dumps(build["steps"])
    used = set(re.findall(r"\b(_[A-Z][A-Z_]+)\b", steps))
    # The build prints how the other one is started, which names that one's substitution.
    printed = {"_PLAN"} if path == BUILD else set()
    assert used - printed == declared
    others = set(re.findall(r"\$\{([A-Z][A-Z_]+)\}", steps))
    assert others <= BUILT_IN
    assert build["options"]["automapSubstitutions"] is True, "scripts read the environment only"


@both
def test_triggers_set_every_substitution_that_has_no_default(path: Path) -> None:
    text = (ROOT / "infra" / "delivery.tf").read_text(encoding="utf-8")
    name = "build" if path == BUILD else "apply"
    trigger = text.split(f'resource "google_cloudbuild_trigger" "{name}"')[1].split("\n}\n")[0]
    given = set(re.findall(r"^\s+(_[A-Z_]+)\s+=", trigger, re.M))
    declared = load(path)["substitutions"]
    assert given <= set(declared)
    by_hand = {"_PLAN"} if path == APPLY else set()
    assert {key for key, default in declared.items() if not default} - given == by_hand


@both
def test_steps_wait_for_steps_before_them(path: Path) -> None:
    seen: list[str] = []
    for one in load(path)["steps"]:
        assert set(one.get("waitFor", seen)) <= set(seen), one["id"]
        seen.append(one["id"])
    assert len(seen) == len(set(seen))


@both
def test_images_are_pinned_and_scripts_stop_at_an_error(path: Path) -> None:
    for one in load(path)["steps"]:
        name = str(one["name"])
        ours = name.startswith(("gcr.io/cloud-builders/", "gcr.io/google.com/cloudsdktool/"))
        assert ours or re.search(r":[\w.-]*\d", name), name
        script = str(one["script"])
        assert script.startswith("#!")
        assert re.search(r"^set -euo? ?(pipefail)?$|^exec ", script, re.M), one["id"]


@both
def test_files_exist(path: Path) -> None:
    scripts = "\n".join(str(one["script"]) for one in load(path)["steps"])
    named = set(re.findall(r"(?<![\w/.-])((?:infra|\.ci|functions)/[\w./-]*\w)", scripts))
    named |= {m.removeprefix("planned/") for m in re.findall(r"planned/infra/[\w./-]*\w", scripts)}
    assert named
    for name in named - MADE_BY_BUILD:
        assert (ROOT / name).exists(), name


def test_nothing_is_pushed_before_the_tests_and_nothing_applied_here() -> None:
    assert set(step(BUILD, "push")["waitFor"]) == {"test", "build"}
    assert step(BUILD, "plan")["waitFor"] == ["variables"]
    assert "terraform apply" not in BUILD.read_text(encoding="utf-8")
    assert "RepoDigests" in step(BUILD, "push")["script"]
    assert "image=$(cat /workspace/image)" in step(BUILD, "plan")["script"]


def test_applying_needs_a_persons_approval_and_takes_the_kept_plan() -> None:
    text = (ROOT / "infra" / "delivery.tf").read_text(encoding="utf-8")
    assert re.search(r"approval_config \{\s+approval_required = true", text)
    assert "terraform apply -input=false plan.tfplan" in step(APPLY, "apply")["script"]
    assert "auto-approve" not in APPLY.read_text(encoding="utf-8")
    kept = step(BUILD, "keep")["script"]
    assert "infra.tar.gz" in kept
    assert "plan.tfplan" not in load(BUILD)["substitutions"]
    assert "infra.tar.gz" in step(APPLY, "fetch")["script"]


def test_the_same_terraform_everywhere() -> None:
    (tag,) = re.findall(r"^ARG TERRAFORM_TAG=(\S+)$", DOCKERFILE, re.M)
    for path in (BUILD, APPLY):
        tags = re.findall(r"hashicorp/terraform:([\d.]+)", path.read_text(encoding="utf-8"))
        assert set(tags) == {tag}


def test_dockerfile_copies_what_exists_and_the_ignore_file_lets_through() -> None:
    allowed = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    copied: set[str] = set()
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.M):
        copied |= set(line.split()[:-1])
    assert copied == allowed
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in copied:
        # `make constraints` writes the one file that may be missing in a fresh clone.
        made = name == "constraints.txt" and "> constraints.txt" in makefile
        assert made or (ROOT / name).exists(), name


def test_dockerfile_is_pinned_small_and_not_root() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.M)
    assert len(bases) == 3
    assert all(re.fullmatch(r"\S+:\$\{\w+_TAG\}@\$\{\w+_DIGEST\}", base) for base in bases)
    for name in ("PYTHON_DIGEST", "TERRAFORM_DIGEST"):
        assert re.search(rf"^ARG {name}$", DOCKERFILE, re.M), (
            "a default would be an invented digest"
        )
        assert f'"{name}=${{_{name}}}"' in step(BUILD, "build")["script"]
    last = DOCKERFILE.rsplit("\nFROM ", 1)[1]
    assert re.search(r"^USER [1-9]\d*$", last, re.M)
    assert "pip install" not in last
    assert last.rstrip().endswith('CMD ["functions-framework"]')
    assert "FUNCTION_SOURCE=functions/main.py" in last
    assert "--constraint constraints.txt" in DOCKERFILE


def test_extras_of_the_image_exist() -> None:
    extras = re.findall(r"\.\[([a-z0-9,]+)\]", DOCKERFILE)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = text.split("[project.optional-dependencies]")[1].split("\n[")[0]
    for name in extras[0].split(","):
        assert re.search(rf"^{name} = \[", declared, re.M), name


# -- the smoke test ----------------------------------------------------------------------------

FRONT = "https://architect-a2a-123.us-central1.run.app"
IMAGE = "us-docker.pkg.dev/p/r/doors@sha256:" + "0" * 64

GCLOUD = """#!/bin/sh
case "$*" in
  *print-access-token*) echo access ;;
  *conditions*) echo "${READY:-True}" ;;
  *image*) echo "$IMAGE" ;;
  *) exit 64 ;;
esac
"""
CURL = """#!/bin/sh
case "$*" in
  *generateIdToken*) echo '{"token": "identity"}' ;;
  *identity*agent-card.json*) echo "$CARD" ;;
  *http_code*agent-card.json*) printf '%s' "${WITHOUT:-403}" ;;
  *) exit 64 ;;
esac
"""


def smoke(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    for name, text in (("gcloud", GCLOUD), ("curl", CURL)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    outputs = {
        "image": {"value": IMAGE},
        "front_url": {"value": FRONT},
        "services": {"value": {"a2a": "architect-a2a", "turn": "architect-turn"}},
    }
    (folder / "outputs.json").write_text(json.dumps(outputs))
    card = json.dumps({"name": "Solution Architect", "skills": [{"id": "design"}]})
    return subprocess.run(
        [str(ROOT / "infra" / "smoke.sh"), "outputs.json", "deploy@p.example", "us-central1"],
        cwd=folder,
        env={
            "PATH": f"{folder}:{os.environ['PATH']}",
            "IMAGE": IMAGE,
            "CARD": card,
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_smoke_passes_on_a_sound_deployment(tmp_path: Path) -> None:
    done = smoke(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "architect-turn: ready" in done.stdout
    assert "front: Solution Architect" in done.stdout


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"READY": "False"}, "is not ready"),
        ({"IMAGE": IMAGE[:-1] + "1"}, "serves"),
        ({"WITHOUT": "200"}, "must be 401 or 403"),
        ({"CARD": '{"name": "x", "skills": []}'}, "no agent card"),
        ({"CARD": "<html>"}, "no agent card"),
    ],
)
def test_smoke_fails_and_says_why(tmp_path: Path, environment: dict[str, str], words: str) -> None:
    done = smoke(tmp_path, **environment)
    assert done.returncode != 0
    assert words in done.stderr
