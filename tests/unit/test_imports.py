"""Which outside packages may be imported where (DESIGN: Rooms).

import-linter holds the arrows between our own rooms; it sees outside packages by their first name
only, and ``google`` is many, so this holds the rest.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("functions", "engine", "agents", "providers")
ALLOWED = {
    "google.adk": ("agents/adk_*.py", "agents/offline/model.py"),
    "google.genai": ("agents/adk_*.py", "agents/offline/model.py"),
    "litellm": ("agents/adk_*.py",),
    "google.cloud": (
        "engine/stores/firestore*.py",
        "engine/queues/cloud_tasks.py",
        "engine/events/pubsub.py",
    ),
    "google.pubsub_v1": ("engine/events/pubsub.py",),
    "a2a": ("functions/a2a*.py", "functions/notify.py", "functions/chat.py"),
    "mermaidx": ("agents/tools/mermaid.py",),
    "tree_sitter": ("agents/tools/hcl.py",),
    "sqlite3": ("engine/stores/sqlite.py", "engine/queues/local.py"),
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("package", ALLOWED)
def test_an_outside_package_is_imported_only_where_it_may_be(package: str) -> None:
    found = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if any(name == package or name.startswith(package + ".") for name in imports(path))
    }
    wrong = {f for f in found if not any(fnmatch(f, pattern) for pattern in ALLOWED[package])}
    assert wrong == set()


def test_core_modules_carry_no_provider_name() -> None:
    for room in ("engine", "functions"):
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8").lower()
            for name in ("google cloud", "cloud run", "cloud sql", "bigquery"):
                if name == "cloud run" and path.name in ("callers.py", "cloud_tasks.py"):
                    continue  # adapters of that platform
                assert name not in text, f"{path.relative_to(ROOT)} names {name}"


def test_modules_can_be_seen_whole() -> None:
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
    }
    assert {name: size for name, size in sizes.items() if size > 520} == {}


def test_the_embedded_default_needs_no_package_of_the_cloud() -> None:
    missing = ("google.cloud", "google.pubsub_v1", "grpc", "functions_framework", "cachecontrol")
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({missing!r}))\n"
        "import functions.cli\n"
        "from functions.local import Embedded\n"
        "from functions.settings import load_settings\n"
        "from functions.wiring import build_runs\n"
        "build_runs(load_settings(), Embedded.open(load_settings()))\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"SOLUTION_ARCHITECT_STATE": folder}
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
