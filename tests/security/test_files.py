"""Files of a repository that are not what they should be: links, pipes, devices, giants, bombs."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.base.files import MAX_BYTES
from tests.security.alive import survives
from tests.support.chats import Api
from tests.support.editor import Editor, Home, write
from tests.support.rpc import RpcError

READ_BY_SERVER = (
    "AGENTS.md",
    ".gitignore",
    ".ignore",
    ".git/info/exclude",
    ".pi/settings.json",
    ".pi/SYSTEM.md",
    ".pi/APPEND_SYSTEM.md",
    ".pi/skills/x/SKILL.md",
    ".pi/skills/.gitignore",
    ".pi/prompts/x.md",
    ".pi/skills/y",
    ".pi/lsp/x.py",
    ".agents/skills/x/SKILL.md",
)
"""Every file that the server looks for in a workspace."""


@pytest.fixture
def editor(start: Callable[..., Editor]) -> Editor:
    return start()


def place(home: Home, name: str) -> Path:
    path = home.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def spoil(home: Home, name: str, target: str) -> None:
    path = place(home, name)
    match target:
        case "pipe":
            os.mkfifo(path)
        case "itself":
            path.symlink_to(path)
        case "nowhere":
            path.symlink_to(home.folder / "nowhere")
        case _:
            path.symlink_to(target)


@pytest.mark.parametrize("target", ["pipe", "/dev/zero", "/proc/self/pagemap", "/", "itself", "nowhere"])
def test_what_is_no_file_is_not_waited_for(home: Home, editor: Editor, target: str) -> None:
    for name in READ_BY_SERVER:
        spoil(home, name, target)
    begun = time.monotonic()
    with survives(editor):
        editor.initialize(trusted=True)
        editor.hover(home.workspace / "AGENTS.md")
    assert time.monotonic() - begun < 20
    [found] = [file for file in editor.call("pi/rules")["files"] if file["uri"].endswith("work/AGENTS.md")]
    assert not found.get("loaded")
    assert found["reason"] == ("unreadable" if target.startswith("/proc") else "notAFile")


def test_files_of_200_mb_are_not_read(home: Home, editor: Editor) -> None:
    for name in READ_BY_SERVER:
        if name not in (".pi/lsp/x.py", ".pi/skills/y"):
            with place(home, name).open("wb") as file:
                file.truncate(200 << 20)
    with survives(editor):
        editor.initialize(trusted=True)
        editor.hover(home.workspace / "AGENTS.md")
    [found] = [file for file in editor.call("pi/rules")["files"] if file["uri"].endswith("work/AGENTS.md")]
    assert (found["reason"], found["detail"]) == ("unreadable", f"it is larger than {MAX_BYTES >> 20} MiB")
    assert all("larger than" in skill["reason"] for skill in editor.call("pi/skills")["skills"])


def test_a_line_of_5_mb_is_read_and_hovered_over(home: Home, editor: Editor) -> None:
    line = "`a/b` [x](y) " * 400_000
    write(home.workspace, {"AGENTS.md": line, ".pi/skills/x/SKILL.md": f"---\ndescription: {line}\n---\n"})
    write(home.workspace, {".gitignore": "a" * 5_000_000, ".pi/prompts/x.md": line})
    with survives(editor):
        editor.initialize(trusted=True)
        begun = time.monotonic()
        said = editor.hover(home.workspace / "AGENTS.md", 0, 2_500_000)
        assert said
        assert len(said) < 10_000
        assert time.monotonic() - begun < 5


BOMB = "\n".join(
    ["a: &a [x, x, x, x, x, x, x, x, x]"]
    + [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdefghi", "bcdefghij", strict=True)]
)


YAML = [
    BOMB,
    "description: &a [*a]",
    "a: " + "[" * 30_000,
    "a: " + "{a: " * 10_000,
    "- " * 20_000 + "x",
    "? " * 20_000,
    "description: !!python/object/apply:os.system ['touch owned']",
    "description: " + "!<" * 10_000,
    "&a " * 5_000 + "x",
    "description: \ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    "description: |\n" + " " * 60_000,
    "\t\0\x01: \x7f",
    "description: 'a\n" * 5_000,
]


def test_yaml_that_is_made_to_hurt(home: Home, editor: Editor) -> None:
    for number, yaml in enumerate(YAML):
        text = f"---\n{yaml}\n---\nbody\n"
        write(home.workspace, {f".pi/skills/{number}/SKILL.md": text, f".pi/prompts/{number}.md": text})
        write(home.workspace, {f"{number}/AGENTS.md": text})
    begun = time.monotonic()
    with survives(editor):
        editor.initialize(trusted=True)
        for number in range(len(YAML)):
            editor.hover(home.workspace / f".pi/skills/{number}/SKILL.md")
    assert time.monotonic() - begun < 20
    assert not (home.workspace / "owned").exists()


PATTERNS = [
    "(" * 10_000,
    "[" * 10_000,
    "**/" * 5_000,
    "*a" * 3_000,
    "!" * 10_000,
    "\\" * 10_001,
    "/\n" * 100_000,
    "[a-\n[]\n[!\n",
    "\n".join(f"a{n}/*b" for n in range(5_000)),
]


def test_ignore_files_that_are_made_to_hurt(home: Home, editor: Editor) -> None:
    for number, patterns in enumerate(PATTERNS):
        write(home.workspace, {f"{number}/.gitignore": patterns, f"{number}/{'a' * 200}/AGENTS.md": "x"})
        write(home.workspace, {f".pi/skills/{number}/.ignore": patterns})
        write(home.workspace, {f".pi/skills/{number}/{'a' * 200}/SKILL.md": "---\ndescription: x\n---\n"})
    with survives(editor):  # what one of them could cost is more than anybody's patience
        editor.initialize(trusted=True)


SETTINGS = [
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"compaction": ' + "[1," * 500,
    '{"a": ' * 900 + "1" + "}" * 900,
    '{"a": 1e999, "skills": ["\\u0000", 5, "\\ud800"], "packages": [{"source": "\\ud800"}, "\\u0000"]}',
    '{"sessionDir": "\\u0000"}',
    '{"sessionDir": "\\ud800"}',
    '{"sessionDir": "file://host/x", "prompts": ["/dev/zero", "/"], "retry": []}',
    "\0",
    "null",
]


def test_settings_that_are_made_to_hurt(home: Home, editor: Editor) -> None:
    editor.initialize(trusted=True)
    for text in SETTINGS:
        write(home.workspace, {".pi/settings.json": text})
        write(home.agent, {"auth.json": text, "models.json": text, "trust.json": text})
        with survives(editor):
            editor.call("pi/model/list")


def test_folders_that_lead_into_each_other(home: Home, editor: Editor) -> None:
    for name in ("loop", ".pi/skills/loop", ".agents/skills/loop", ".pi/prompts/loop"):
        place(home, name).symlink_to(home.workspace)
    deep = home.workspace
    for _ in range(300):
        deep = deep / "d"
        deep.mkdir()
    (deep / "AGENTS.md").write_text("deep")
    with survives(editor):
        editor.initialize(trusted=True)
    files = editor.call("pi/rules/all")["files"]
    assert sum(file["uri"].endswith("/d/AGENTS.md") for file in files) == 1


def test_names_that_no_text_can_hold(home: Home, editor: Editor) -> None:
    for name in (b"\xff\xfe", b"a\nb", b"\x1b[2J", "\N{RIGHT-TO-LEFT OVERRIDE}x".encode(), b"<img src=x>`"):
        folder = os.path.join(os.fsencode(home.workspace), name)
        os.mkdir(folder)
        with open(os.path.join(folder, b"AGENTS.md"), "wb") as file:
            file.write(b"x")
    with survives(editor):
        editor.initialize(trusted=True)
        for file in editor.call("pi/rules/all")["files"]:
            editor.call("pi/rules", {"uri": file["uri"]})
            editor.call(
                "textDocument/hover", {"textDocument": {"uri": file["uri"]}, "position": {"line": 0, "character": 0}}
            )


def test_a_reference_to_what_is_no_text_is_refused(home: Home, api: Api, editor: Editor) -> None:
    os.mkfifo(home.workspace / "pipe")
    (home.workspace / "zero").symlink_to("/dev/zero")
    (home.workspace / "folder").mkdir()
    (home.workspace / "huge").write_bytes(b"")
    os.truncate(home.workspace / "huge", 4 << 30)
    (home.workspace / "binary").write_bytes(bytes(range(256)))
    editor.initialize()
    editor.call("pi/auth/set", {"provider": "anthropic", "apiKey": "k"})
    for name in ("pipe", "zero", "folder", "huge", "gone", "binary", "\0", "\ud800"):
        with pytest.raises(RpcError) as refused:
            editor.call("pi/chat", {"text": "look", "references": [{"uri": f"file://{home.workspace}/{name}"}]})
        assert refused.value.code == -32602, name
        assert [error.partition(":")[0] for error in refused.value.data["errors"]] == ["references[0]"]
    assert not api.server.requests
    with survives(editor):
        pass
