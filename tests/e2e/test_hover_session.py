"""What a hover says of the window's session, and that it never waits for one."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.editor import Editor, Home, entry, session_lines, write
from tests.support.waiting import wait_until


def system_entry(home: Home, text: str) -> dict[str, Any]:
    """An entry that tells the model of a rule file."""
    path = home.workspace / "AGENTS.md"
    section = (
        f'<project_context>\n<project_instructions path="{path}">\n{text}\n</project_instructions>\n</project_context>'
    )
    one = entry("s1", None, "system", "")
    one["message"] = {"role": "system", "content": "", "sections": {"project_context": section}, "timestamp": 1}
    return one


def hover_saying(editor: Editor, path: Path, wanted: str) -> None:
    """Wait for a hover that says something which it finds out beside the hovers: the next one knows it."""
    wait_until(lambda: wanted in (editor.hover(path) or ""), lambda: editor.hover(path))


def test_R12_a_rule_that_was_edited_since_the_session_got_it(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# Old\n", "api/AGENTS.md": "# API\n"})
    header = session_lines(home.workspace)
    write(home.sessions, {"s.jsonl": header + json.dumps(system_entry(home, "# Old\n")) + "\n"})
    editor = start()
    editor.initialize(session={"file": str(home.sessions / "s.jsonl")})
    path = home.workspace / "AGENTS.md"
    editor.open(path)
    hover_saying(editor, path, "This session has its present text.")
    editor.change(path, "# New\n")
    hover_saying(editor, path, "the model still has the older text")
    assert editor.call("pi/rules")["files"][0]["changedSince"] is True
    assert "This session" not in (editor.hover(home.workspace / "api/AGENTS.md") or "")


def test_before_the_first_message_a_nested_file_is_not_in_the_session(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# R\n", "api/AGENTS.md": "# API\n"})
    editor = start()
    editor.initialize()
    hover_saying(editor, home.workspace / "AGENTS.md", "This session has its present text.")
    assert "This session" not in (editor.hover(home.workspace / "api/AGENTS.md") or "")


def test_a_hover_does_not_wait_for_the_session_nor_for_the_settings(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# R\n"})
    lines = [("user", "word " * 100)] * 20_000
    write(home.sessions, {"s.jsonl": session_lines(home.workspace, *lines)})

    def slow(_: Any) -> list[None]:
        time.sleep(1.5)
        return [None]

    editor = start(answers={"workspace/configuration": slow})
    capabilities = {"workspace": {"configuration": True}}
    editor.initialize(capabilities, session={"file": str(home.sessions / "s.jsonl")})
    asked = editor.ask("pi/state")
    assert editor.hover(home.workspace / "AGENTS.md")
    assert editor.answer(asked)["result"]["session"]["entries"] == 20_000
    answered = [message["id"] for message in editor.messages if "method" not in message]
    assert answered[-1] == asked  # the hover was first


@pytest.mark.skipif(os.name == "nt", reason="names that Windows cannot have")
def test_hostile_names_and_texts_are_inert(start: Any, home: Home) -> None:
    odd = "`[x](command:y)` <img src=x>\nz"
    write(home.workspace, {f"{odd}/AGENTS.md": "[click](command:evil)\n![p](https://evil.example/p.png)\n"})
    editor = start()
    editor.initialize(folders=[home.workspace / odd])
    text = editor.hover(home.workspace / odd / "AGENTS.md") or ""
    assert "click" not in text and "evil" not in text
    assert "``" in text  # the fence is longer than what stands in the name
    assert all("<img" not in line.split("``")[0] for line in text.splitlines())
