"""Changes of rules, skills, settings and folders: in the next answer at once, and announced."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri
from tests.support.editor import MARKDOWN, Editor, Home, bundled, write

CREATED = 1
WATCHES = {**MARKDOWN, "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}, "configuration": True}}
SKILL = "---\nname: {0}\ndescription: Does {0}.\n---\n"


def names(editor: Editor) -> list[str]:
    return [Path(file["uri"]).name for file in editor.call("pi/rules")["files"]]


def skills(editor: Editor) -> list[str]:
    return [skill["name"] for skill in editor.call("pi/skills")["skills"] if skill["listed"]]


def created(editor: Editor, *paths: Path) -> None:
    """What a client that watches says of new files: all that came together in one notification."""
    changes = [{"uri": path_to_uri(str(path)), "type": CREATED} for path in paths]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def test_what_is_typed_counts_before_it_is_saved(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# Saved\n"})
    editor = start()
    editor.initialize()
    editor.count()
    path = home.workspace / "AGENTS.md"
    editor.open(path)
    before = editor.call("pi/rules")
    since = editor.seen
    editor.change(path, "# Typed\n" + "word " * 100)
    after = editor.call("pi/rules")
    assert after["files"][0]["title"] == "Typed" and after["tokens"] > before["tokens"]
    assert editor.event("resources_changed", since, rules=True, skills=False, settings=False)
    assert editor.event("context", since)["tokens"] > 100
    editor.shut(path)
    assert editor.call("pi/rules") == before


def test_a_file_that_is_only_a_buffer_counts(start: Any, home: Home) -> None:
    editor = start()
    editor.initialize()
    new = home.workspace / "deep" / "AGENTS.md"
    assert editor.call("pi/rules/all")["files"] == []
    editor.open(new, "# Not saved yet\n")
    assert [file["uri"] for file in editor.call("pi/rules/all")["files"]] == [path_to_uri(str(new))]
    editor.open(home.workspace / ".pi" / "settings.json", json.dumps({"defaultModel": "claude-opus-4-5"}))
    editor.call("pi/trust/set", {"trusted": True})
    assert editor.call("pi/state")["model"]["id"] == "claude-opus-4-5"


def test_a_burst_of_edits_is_announced_once_or_twice(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": ""})
    editor = start()
    editor.initialize()
    editor.count()
    path = home.workspace / "AGENTS.md"
    editor.open(path)
    since = editor.seen
    for number in range(100):
        editor.change(path, f"# {number}\n")
    editor.event("context", since)
    assert sum(event["type"] == "resources_changed" for event in editor.events(since)) <= 5


@pytest.mark.parametrize("client_watches", [True, False])
def test_new_files_on_disk_are_in_the_next_answer_and_announced(start: Any, home: Home, client_watches: bool) -> None:
    write(home.workspace, {"a/b/x.py": ""})
    editor = start()
    editor.initialize(WATCHES if client_watches else MARKDOWN, trusted=True)
    editor.watch()
    editor.call("pi/rules/all")
    since = editor.seen
    write(
        home.workspace,
        {"AGENTS.md": "# New\n", "a/b/AGENTS.md": "# Nested\n", ".pi/skills/x/SKILL.md": SKILL.format("x")},
    )
    assert names(editor) == ["AGENTS.md"] and skills(editor) == ["x"]
    assert len(editor.call("pi/rules/all")["files"]) == 2
    if client_watches:
        asked = editor.wait(lambda message: message.get("method") == "client/registerCapability")
        assert "workspace/didChangeWatchedFiles" in json.dumps(asked)
        created(editor, home.workspace / "AGENTS.md", home.workspace / ".pi/skills/x/SKILL.md")
        editor.event("resources_changed", since, rules=True, skills=True)
    else:
        editor.event("resources_changed", since, rules=True)


def test_what_lies_outside_the_workspace_is_watched(start: Any, home: Home) -> None:
    editor = start()
    editor.initialize(WATCHES)
    editor.watch()
    for name, text, kind in (
        ("AGENTS.md", "# For all\n", "rules"),
        ("settings.json", "{}", "settings"),
        ("trust.json", "{}", "settings"),
        ("skills/y/SKILL.md", SKILL.format("y"), "skills"),
    ):
        since = editor.seen
        write(home.agent, {name: text})
        editor.event("resources_changed", since, **{kind: True})
    since = editor.seen
    write(home.folder, {"AGENTS.md": "# Above the workspace\n"})
    editor.event("resources_changed", since, rules=True)
    assert names(editor) == ["AGENTS.md", "AGENTS.md"]


def test_settings_of_the_client_are_fetched_again(start: Any, home: Home) -> None:
    told = [{"settings": {}}]
    editor = start(answers={"workspace/configuration": lambda _: [told[0]]})
    editor.initialize(bundled("visual-studio-code"))
    editor.call("pi/state")
    registered = {
        message["params"]["registrations"][0]["method"]
        for message in editor.messages
        if message.get("method") == "client/registerCapability"
    }
    assert registered >= {"workspace/didChangeConfiguration"}
    since = editor.seen
    told[0] = {"defaultModel": "claude-opus-4-5"}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    editor.event("resources_changed", since, settings=True)
    assert editor.call("pi/state")["model"]["id"] == "claude-opus-4-5"


def test_settings_are_taken_as_pushed_where_the_client_cannot_be_asked(start: Any) -> None:
    editor = start()
    editor.initialize()
    editor.notify("workspace/didChangeConfiguration", {"settings": {"pi": {"defaultModel": "claude-opus-4-5"}}})
    editor.event("resources_changed", settings=True)
    assert editor.call("pi/state")["model"]["id"] == "claude-opus-4-5"


def test_an_untrusted_workspace_brings_no_skills_and_no_settings_until_it_is_trusted(start: Any, home: Home) -> None:
    settings = json.dumps({"defaultModel": "claude-opus-4-5"})
    write(
        home.workspace,
        {".pi/skills/x/SKILL.md": SKILL.format("x"), ".pi/settings.json": settings, "AGENTS.md": "# R\n"},
    )
    editor = start()
    editor.initialize()
    assert editor.call("pi/state")["trusted"] is False
    assert skills(editor) == []
    assert editor.call("pi/skills")["skills"][0]["reason"] == "its project is not trusted"
    assert editor.call("pi/state")["model"]["id"] != "claude-opus-4-5"
    assert names(editor) == ["AGENTS.md"]  # rules load whatever the trust, as in Pi
    since = editor.seen
    assert editor.call("pi/trust/set", {"trusted": True, "remember": True}) == {"trusted": True}
    editor.event("resources_changed", since, skills=True, settings=True)
    assert skills(editor) == ["x"]
    assert editor.call("pi/state")["model"]["id"] == "claude-opus-4-5"
    assert json.loads((home.agent / "trust.json").read_text()) == {str(home.workspace): True}
    editor.call("pi/trust/set", {"trusted": False})
    assert skills(editor) == []


def test_E8_workspace_folders_come_and_go(start: Any, home: Home) -> None:
    second, third = home.folder / "second", home.folder / "third"
    write(home.workspace, {"AGENTS.md": "# 1\n"})
    write(second, {"x/AGENTS.md": "# 2\n"})
    write(third, {"AGENTS.md": "# 3\n"})

    def places() -> list[str]:
        folders = (Path(file["appliesTo"].removeprefix("file://")) for file in editor.call("pi/rules/all")["files"])
        return [str(folder.relative_to(home.folder)) for folder in folders]

    editor = start()
    editor.initialize(folders=[home.workspace, second])
    assert places() == ["work", "second/x"]
    since = editor.seen
    event = {
        "added": [{"uri": path_to_uri(str(third)), "name": "third"}],
        "removed": [{"uri": path_to_uri(str(second)), "name": "second"}],
    }
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert places() == ["work", "third"]
    editor.event("resources_changed", since, rules=True)
    removed = {"added": [], "removed": [{"uri": path_to_uri(str(home.workspace)), "name": "work"}]}
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": removed})
    assert editor.call("pi/state")["session"]["cwd"] == str(home.workspace)


@pytest.mark.parametrize("name", ["with blank", "ü – 日本", "per%cent", "hash#mark", "e\u0301"])
def test_E7_uris_of_any_path(start: Any, home: Home, name: str) -> None:
    folder = home.workspace / name
    write(folder, {"AGENTS.md": "# Odd\n"})
    editor = start()
    editor.initialize(folders=[folder])
    uri = path_to_uri(str(folder / "AGENTS.md"))
    assert [file["uri"] for file in editor.call("pi/rules")["files"]] == [uri]
    editor.open(folder / "AGENTS.md", "# Typed\n")
    assert editor.call("pi/rules")["files"][0]["title"] == "Typed"
    lower = uri.replace("%C3%BC", "%c3%bc").replace("file:///", "file://localhost/")
    assert editor.call("pi/rules", {"uri": lower})["files"][0]["uri"] == uri
    assert "Rules for" in (editor.hover(folder / "AGENTS.md") or "")


def test_R5_links_are_reported_once_and_a_loop_ends(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": "# R\n", "sub/AGENTS.md/inside.txt": "", "sub/deep/x": ""})
    os.symlink("AGENTS.md", home.workspace / "CLAUDE.md")
    os.symlink("nowhere", home.workspace / "sub/CLAUDE.md")
    os.symlink("..", home.workspace / "sub/deep/loop")
    editor = start()
    editor.initialize()
    files = editor.call("pi/rules", {"uri": path_to_uri(str(home.workspace / "sub"))})["files"]
    assert [(Path(file["uri"]).name, file.get("reason")) for file in files] == [
        ("AGENTS.md", None),
        ("CLAUDE.md", "shadowed"),
        ("AGENTS.md", "notAFile"),
        ("CLAUDE.md", "notAFile"),
    ]
    everywhere = [file["uri"] for file in editor.call("pi/rules/all")["files"]]
    assert len(everywhere) == len(set(everywhere))


def test_what_is_wrong_in_settings_is_logged_once(start: Any, home: Home) -> None:
    write(home.agent, {"settings.json": '{"compaction": {"reserveTokens": "x"}}'})
    editor = start(answers={"workspace/configuration": lambda _: [{"rules": {"nested": "sometimes"}}]})
    editor.initialize({"workspace": {"configuration": True}})
    assert editor.call("pi/context")["reserve"] == 16384
    editor.watch()
    since = editor.seen
    write(home.agent, {"settings.json": '{"compaction": {"reserveTokens": "y"}'})
    editor.event("resources_changed", since, settings=True)
    assert editor.call("pi/context")["reserve"] == 16384
    editor.end()
    for said in ("compaction.reserveTokens must be", "rules.nested must be", "its settings are not used"):
        assert editor.stderr.count(said) == 1, editor.stderr
