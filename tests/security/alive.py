"""What must hold after anything that a hostile file did."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.editor import Editor

MEMORY_BYTES = 300 << 20
"""No file of a repository may cost the server more than this, its own needs included."""


def alive(editor: Editor) -> None:
    """A hover and the state are answered, nothing failed inside, and memory stayed bounded."""
    rules = editor.home.workspace / "notes" / "AGENTS.md"
    rules.parent.mkdir(exist_ok=True)
    rules.write_text("# Fine\n")
    assert "Rules for" in (editor.hover(rules) or "")
    assert editor.call("pi/state")["session"]["id"]
    assert "Traceback" not in editor.stderr
    assert psutil.Process(editor.process.pid).memory_info().rss < MEMORY_BYTES


@contextmanager
def survives(editor: Editor) -> Iterator[None]:
    """Everything that reads files is asked as well."""
    yield
    for method in ("pi/rules", "pi/rules/all", "pi/skills", "pi/session/list", "pi/context", "pi/tree"):
        editor.call(method)
    alive(editor)


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
