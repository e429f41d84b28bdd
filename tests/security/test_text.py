"""Texts of a repository or of a session on their way to a page: they mean nothing there."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.test_commands import CAPABILITIES, Stranger
from tests.security.alive import alive
from tests.support.chats import Api
from tests.support.editor import Editor, Home, entry, session_lines, write

EVIL = "<img src=x onerror=y> [a](command:quit) ![i](https://x/y.png) `` ``` \u202e\u2066\x1b[2J\x00\r\n# Head\n| a | b"
CONTROLS = ("\x1b", "\x00", "\u202e", "\u2066")


def outside_code(page: str) -> str:
    """What of a Markdown page is not in code spans and fences, as a client would read it."""
    from markdown_it import MarkdownIt

    parts: list[str] = []
    for token in MarkdownIt("commonmark", {"html": True}).parse(page):
        assert token.type != "html_block", token.content
        for child in token.children or []:
            assert child.type not in ("html_inline", "image"), child
            parts += [str(child.attrs.get("href", "")), child.content if child.type == "text" else ""]
    return " ".join(parts)


def settle(home: Home) -> Path:
    name = "<img src=x onerror=y>[a](command:quit)`\u202e"
    write(
        home.workspace,
        {
            "AGENTS.md": f"# {EVIL}\n",
            f"{name}/AGENTS.md": EVIL,
            ".pi/skills/evil/SKILL.md": f"---\nname: {json.dumps(EVIL)}\ndescription: {json.dumps(EVIL)}\n---\n",
        },
    )
    first = entry("e3", "e2", "user", EVIL)
    rows: list[Any] = [
        first,
        {"type": "label", "id": "l", "parentId": "e3", "targetId": "e3", "label": EVIL},
        {"type": "session_info", "id": "n", "parentId": "l", "name": EVIL},
        {"type": "custom_message", "id": "c", "parentId": "n", "customType": EVIL, "content": EVIL, "display": True},
        entry("e4", "c", "user", "last"),
    ]
    text = session_lines(home.workspace, ("user", EVIL), ("assistant", EVIL))
    write(home.sessions, {"s.jsonl": text + "".join(json.dumps(row) + "\n" for row in rows)})
    os.utime(home.sessions / "s.jsonl", (1_700_000_000, 1_700_000_000))  # no other program seems to have it open
    return home.workspace / name


def test_hovers_hold_nothing_that_acts(home: Home, start: Callable[..., Editor]) -> None:
    folder = settle(home)
    editor = start()
    editor.initialize(trusted=True)
    for path in (home.workspace / "AGENTS.md", folder / "AGENTS.md", home.workspace / ".pi/skills/evil/SKILL.md"):
        said = editor.hover(path)
        assert said
        assert not [each for each in CONTROLS if each in said]
        told = outside_code(said)
        assert "command:" not in told
        assert "https:" not in told
    alive(editor)


def test_pages_hold_nothing_that_acts(home: Home, api: Api, start: Callable[..., Editor]) -> None:
    settle(home)
    stranger = Stranger(start, CAPABILITIES)
    for command, arguments in (
        ("pi.showContext", ()),
        ("pi.showRules", ()),
        ("pi.showTree", ()),
        ("pi.explain", ("Head",)),
    ):
        page = stranger.page(command, *arguments)
        assert command == "pi.showRules" or "onerror" in page
        assert [each for each in CONTROLS if each in page] == [], command
        told = outside_code(page)
        assert "command:" not in told
        assert "https:" not in told


def test_names_and_labels_of_the_user_are_one_line(home: Home, start: Callable[..., Editor]) -> None:
    settle(home)
    editor = start()
    editor.initialize(session={"file": str(home.sessions / "s.jsonl")})
    editor.call("pi/session/rename", {"name": EVIL})
    editor.call("pi/tree/label", {"entryId": "e1", "label": EVIL})
    for line in (home.sessions / "s.jsonl").read_text().splitlines():
        json.loads(line)
    listed = editor.call("pi/session/list")["sessions"][0]
    assert listed["file"].endswith("s.jsonl")
    tree = editor.call("pi/tree", {"filter": "all"})
    assert all("\n" not in node["preview"] for node in tree["nodes"])
    assert all(len(node["preview"]) <= 120 for node in tree["nodes"])
    alive(editor)
