"""Session files that somebody else wrote: read as far as they go, never run, never trusted, left as they are."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri
from pi_lsp.session.store import continuation
from tests.security.alive import alive
from tests.support.api_server_replies import Reply
from tests.support.chats import Api
from tests.support.editor import Editor, Home, entry, session_lines, write
from tests.support.rpc import RpcError

GARBAGE: tuple[Any, ...] = (None, True, -1, 1e308, "\ud800", "x\0", [], [[]], {}, {"type": "text"}, [{"type": "text"}])
FIELDS = ("role", "content", "usage", "timestamp", "stopReason", "toolCallId", "provider", "model", "api", "details")
KINDS = ("message", "compaction", "branch_summary", "label", "session_info", "custom", "custom_message")
KINDS_OF_CHANGE = ("context_edit", "model_change", "thinking_level_change")


def header(home: Home, **fields: Any) -> dict[str, Any]:
    known = {"type": "session", "version": 3, "id": "hostile", "timestamp": "", "cwd": str(home.workspace)}
    return {**known, **fields}


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def wrong_types() -> Iterable[dict[str, Any]]:
    """Entries in which every field has every wrong type, each on the path of the next."""
    parent = None
    for n, garbage in enumerate(GARBAGE):
        for field in FIELDS:
            made = entry(f"{field}{n}", parent, "assistant" if n % 2 else "toolResult", "text")
            made["message"][field] = garbage
            yield made
            parent = made["id"]
        for kind in (*KINDS, *KINDS_OF_CHANGE):
            fields = ("summary", "firstKeptEntryId", "fromId", "targetId", "label", "name", "content", "customType")
            yield {
                "type": kind,
                "id": f"{kind}{n}",
                "parentId": parent,
                "timestamp": garbage,
                **dict.fromkeys(fields, garbage),
            }
            parent = f"{kind}{n}"
    yield {"type": ["x"], "id": "odd", "parentId": parent}
    yield entry("\u202e\n\x1b[2J`<b>", "odd", "user", "\u202eevil\x1b]8;;command:x\x07\0")


def contents(home: Home) -> dict[str, bytes]:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    some = session_lines(home.workspace, ("user", "one"), ("assistant", "two")).encode()
    image = entry("i", "e2", "user", "x")
    image["message"]["content"] = [
        {"type": "image", "data": data, "mimeType": "image/png"} for data in ("!", "A" * 9_000_000)
    ]
    return {
        "deep": some + b'{"type":"message","id":"d","parentId":"e2","timestamp":"","message":' + deep.encode() + b"}\n",
        "deepest": some + b"[" * 2_000_000 + b"\n",
        "types": lines(header(home), *wrong_types()),
        "cycles": lines(
            header(home), entry("a", "b", "user", "a"), entry("b", "a", "user", "b"), entry("c", "c", "user", "c")
        ),
        "same": lines(header(home), *(entry("a", "a", "user", str(n)) for n in range(100))),
        "surrogates": some + b'{"type":"label","id":"l","parentId":"e2","targetId":"e1","label":"\\ud800"}\n'
        b'{"type":"session_info","id":"n","parentId":"l","name":"\\ud800\\u0000\\u202e"}\n'
        b'{"type":"message","id":"m","parentId":"n","message":{"role":"user","content":"\\ud800 \xff\xfe"}}\n',
        "long": some + lines(entry("z", "e2", "user", "x" * (50 << 20))),
        "images": some + lines(image),
        "binary": some + bytes(range(256)) * 1000,
        "elsewhere": lines(header(home, cwd="/etc"), entry("a", None, "user", "hi")),
        "nowhere": lines(header(home, cwd="\0\ud800", id="../../x\0", timestamp=5), entry("a", None, "user", "hi")),
        "versions": lines(header(home, version=1e300), entry("a", None, "user", "hi")),
        "odd": lines(header(home, version=1, id="\ud800"), {"type": "message", "message": {"role": "user"}}),
        "old": lines(
            header(home, version=-5, id="/../../../x", timestamp="/../../x"), {"type": "message", "message": 5}
        ),
    }


def test_hostile_sessions_are_read_as_far_as_they_go(home: Home, start: Callable[..., Editor]) -> None:
    files = contents(home)
    write(home.sessions, {f"{name}.jsonl": content for name, content in files.items()})
    editor = start()
    editor.initialize()
    assert len(editor.call("pi/session/list", {"all": True})["sessions"]) >= len(files) - 1
    for name, content in files.items():
        path = home.sessions / f"{name}.jsonl"
        editor.call("pi/session/open", {"file": str(path)})
        for filter_ in ("default", "all", "labeled"):
            tree = editor.call("pi/tree", {"filter": filter_})
        editor.call("pi/session/entries", {"limit": 20})
        editor.call("pi/context", {"full": name != "long"})
        with suppress(RpcError):  # nothing to compact
            editor.call("pi/compact/preview")
        for query in ("e", "x"):
            editor.call("pi/explain", {"query": query, "limit": 3})
        for node in tree["nodes"][:20]:
            editor.call("pi/explain", {"entryId": node["id"]})
        if name not in ("long", "odd", "old"):
            assert path.read_bytes() == content
        editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
        assert editor.call("pi/chat", {"text": "hi"})["stopReason"] == "done", name
        assert name in ("odd", "old") or path.read_bytes().startswith(content)
    assert {path.parent for path in home.folder.rglob("*.jsonl")} == {home.sessions}
    write(home.sessions, {"fresh.jsonl": session_lines(home.workspace, ("user", "one"))})
    editor.call("pi/session/open", {"file": str(home.sessions / "fresh.jsonl")})
    assert "Traceback" not in editor.stderr
    editor.call("pi/state")


def test_a_request_from_a_hostile_session_is_valid(home: Home, api: Api, start: Callable[..., Editor]) -> None:
    files = contents(home)
    write(home.sessions, {f"{name}.jsonl": files[name] for name in ("types", "cycles", "surrogates", "images")})
    editor = start()
    editor.initialize()
    editor.call("pi/auth/set", {"provider": "anthropic", "apiKey": "k"})
    for name in ("types", "cycles", "surrogates", "images"):
        editor.call("pi/session/open", {"file": str(home.sessions / f"{name}.jsonl")})
        editor.call("pi/model/set", {"provider": "anthropic", "id": "claude-sonnet-4-5"})
        api.will(Reply(text="ok"))
        assert editor.call("pi/chat", {"text": "hi"})["stopReason"] == "done", name
    alive(editor)


@pytest.mark.parametrize("place", ["home", "temporary", "link"])
def test_a_session_cannot_make_the_server_read_a_secret(home: Home, start: Callable[..., Editor], place: str) -> None:
    secret = home.home / ".ssh" / "pi-bash-1.log"
    write(home.home, {".ssh/pi-bash-1.log": "PRIVATE-KEY-4711"})
    named = secret
    if place != "home":
        handle, name = tempfile.mkstemp(prefix="pi-bash-", suffix=".log")
        os.close(handle)
        named = Path(name)
        named.unlink()
        if place == "link":
            named.symlink_to(secret)
        else:
            named = named.parent / ".." / str(secret)[1:]
    bash = {"type": "message", "id": "b", "parentId": "e1", "timestamp": "2026-05-04T08:12:12.619Z"}
    bash["message"] = {
        "role": "bashExecution",
        "command": "x",
        "output": "",
        "fullOutputPath": str(named),
        "truncated": True,
    }
    tool = entry("t", "b", "toolResult", f"x [Full output: {named}]")
    write(home.sessions, {"s.jsonl": session_lines(home.workspace, ("user", "x")).encode() + lines(bash, tool)})
    try:
        editor = start()
        editor.initialize(session={"file": str(home.sessions / "s.jsonl")})
        assert editor.call("pi/explain", {"query": "PRIVATE-KEY-4711"})["hits"] == []
        assert "PRIVATE-KEY-4711" not in json.dumps(editor.messages)
    finally:
        if named.is_symlink():
            named.unlink()


def test_old_sessions_that_go_on_in_each_other(home: Home, start: Callable[..., Editor]) -> None:
    def old(session_id: str) -> dict[str, Any]:
        return header(home, version=1, id=session_id, timestamp="2026-01-01T00:00:00.000Z")

    home.sessions.mkdir(parents=True)
    first, second = (Path(continuation(str(home.sessions / "x.jsonl"), old(each))[1]) for each in "ab")
    first.write_bytes(lines(old("b")))
    second.write_bytes(lines(old("a")))
    editor = start()
    editor.initialize()
    for path in (first, second):
        with pytest.raises(RpcError) as refused:
            editor.call("pi/session/open", {"file": path_to_uri(str(path))})
        assert refused.value.data == {"reason": "invalidSession"}
    editor.call("pi/session/list")
    alive(editor)


def test_the_newest_session_is_a_trap(home: Home, start: Callable[..., Editor]) -> None:
    """The server opens it by itself at its start."""
    home.sessions.mkdir(parents=True)
    os.mkfifo(home.sessions / "9.jsonl")
    (home.sessions / "8.jsonl").symlink_to("/dev/zero")
    (home.sessions / "7.jsonl").symlink_to("7.jsonl")
    (home.sessions / "6.jsonl").mkdir()
    (home.sessions / "5.jsonl").write_bytes(b"\0" * (64 << 20))
    editor = start()
    editor.initialize()
    assert editor.call("pi/session/list")["problems"]
    alive(editor)


@pytest.mark.parametrize("method", ["pi/session/open", "pi/session/delete"])
def test_what_is_no_session_is_neither_opened_nor_deleted(
    home: Home, start: Callable[..., Editor], method: str
) -> None:
    write(home.home, {".bashrc": "export A=1\n", "list.jsonl": '{"type":"message"}\n'})
    write(home.workspace, {"mine.jsonl": "{}\n"})
    os.mkfifo(home.sessions.parent.parent / "pipe.jsonl")
    names = (
        home.home / ".bashrc",
        home.home / "list.jsonl",
        home.workspace / "mine.jsonl",
        home.agent / "pipe.jsonl",
        home.workspace,
        *map(Path, ("/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem", "/proc/kmsg", "/etc/passwd", "/", "")),
    )
    texts = [
        *map(str, names),
        *(path_to_uri(str(name)) for name in names),
        "\0",
        "~",
        "../..",
        "http://x/y",
        "file://h/x",
    ]
    editor = start()
    editor.initialize()
    for text in texts:
        answer = editor.answer(editor.ask(method, {"file": text}))
        assert answer.get("error", {}).get("code") in (-32602, -32803), (text, answer)
    for session_id in ("../../x", "/etc/passwd", "*", "", "\0", "\ud800"):
        with pytest.raises(RpcError):
            editor.call("pi/session/open", {"id": session_id})
    assert (home.home / ".bashrc").read_text() == "export A=1\n"
    assert Path("/etc/passwd").exists()
    alive(editor)


def test_a_session_outside_the_folders_for_sessions_is_not_deleted(home: Home, start: Callable[..., Editor]) -> None:
    text = session_lines(home.workspace, ("user", "x"))
    write(home.workspace, {"s.jsonl": text})
    write(home.sessions, {"t.jsonl": text})
    (home.sessions / "out").symlink_to(home.workspace)
    editor = start()
    editor.initialize(session="new")
    for path in (
        home.workspace / "s.jsonl",
        home.sessions / "out" / "s.jsonl",
        home.sessions / ".." / ".." / "x.jsonl",
    ):
        with pytest.raises(RpcError) as refused:
            editor.call("pi/session/delete", {"file": str(path)})
        assert refused.value.data == {"reason": "notFound"}
    assert (home.workspace / "s.jsonl").read_text() == text
    assert editor.call("pi/session/delete", {"file": str(home.sessions / "t.jsonl")}) == {}
    assert not (home.sessions / "t.jsonl").exists()
