"""Which session a window begins with, and what may be opened."""

import json
from typing import Any

import pytest

from pi_lsp.base.paths import path_to_uri
from tests.support.editor import Home, bundled, entry, session_lines, write
from tests.support.rpc import RpcError

TALK = [("user", "Fix the harbour bug"), ("assistant", "I will look"), ("user", "Never push"), ("assistant", "Done")]


def test_a_new_session_is_not_written(start: Any, home: Home) -> None:
    editor = start()
    editor.initialize()
    first = editor.call("pi/state")["session"]
    since = editor.seen
    opened = editor.call("pi/session/new", {"name": "Second"})["state"]["session"]
    assert opened["name"] == "Second" and opened["id"] != first["id"]
    assert editor.event("session_changed", since)["state"]["session"]["id"] == opened["id"]
    (home.folder / "elsewhere").mkdir()
    moved = editor.call("pi/session/new", {"cwd": str(home.folder / "elsewhere")})["state"]["session"]
    assert moved["cwd"] == str(home.folder / "elsewhere")
    assert list(home.agent.rglob("*.jsonl")) == []


@pytest.mark.parametrize("name", ["notes.md", "notes.jsonl"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no session at all\n",
        b"\x00\x01\x02" * 100,
        b'{"type":"message","id":"a"}\n',
        b"# Notes\n\n- milk\n",
        b"[1,2]\n",
    ],
)
def test_S9_what_is_no_session_is_refused_and_left_as_it_is(start: Any, home: Home, content: bytes, name: str) -> None:
    path = home.folder / name
    path.write_bytes(content)
    editor = start()
    editor.initialize()
    before = editor.call("pi/state")["session"]["id"]
    if content or name == "notes.md":
        with pytest.raises(RpcError) as refused:
            editor.call("pi/session/open", {"file": path_to_uri(str(path))})
        assert refused.value.data == {"reason": "invalidSession"}
        assert str(path) in str(refused.value) and "open another one" in str(refused.value)
        assert editor.call("pi/state")["session"]["id"] == before
    else:
        editor.call("pi/session/open", {"file": str(path)})  # an empty file is a session that has not begun
    editor.call("pi/context")
    assert path.read_bytes() == content


def test_S13_S14_a_broken_session_is_read_as_far_as_it_goes_and_left_as_it_is(start: Any, home: Home) -> None:
    good = session_lines(home.workspace, *TALK).encode()
    loop = json.dumps(entry("c1", "c2", "user", "x")) + "\n" + json.dumps(entry("c2", "c1", "user", "y")) + "\n"
    own = json.dumps(entry("d1", "d1", "user", "its own parent")) + "\n"
    torn = json.dumps(entry("t1", "e4", "user", "torn")).encode()[:40]
    content = (
        good
        + b"garbage\n\x00\x00\n"
        + loop.encode()
        + own.encode()
        + torn
        + b"\n"
        + json.dumps(entry("z", "e4", "user", "last")).encode()
    )
    write(home.sessions, {"broken.jsonl": content})
    editor = start()
    editor.initialize(session={"file": str(home.sessions / "broken.jsonl")})
    assert editor.call("pi/state")["session"]["leafId"] == "z"
    ids = {node["id"] for node in editor.call("pi/tree", {"filter": "all"})["nodes"]}
    assert ids >= {"e1", "e2", "e3", "e4", "z", "c1", "c2", "d1"}
    assert [message["entryId"] for message in editor.call("pi/context")["messages"]] == ["e1", "e2", "e3", "e4", "z"]
    for leaf in ("c1", "c2", "d1"):
        assert editor.call("pi/context", {"leafId": leaf})["messages"]
    assert (home.sessions / "broken.jsonl").read_bytes() == content


def test_continue_leaves_a_session_alone_that_may_be_in_use(start: Any, home: Home) -> None:
    write(home.sessions, {"a.jsonl": session_lines(home.workspace, *TALK)})
    editor = start()
    editor.initialize()
    assert editor.call("pi/state")["session"]["entries"] == 0
    shown = editor.wait(lambda message: message.get("method") == "window/showMessage")
    assert str(home.sessions / "a.jsonl") in shown["params"]["message"]


@pytest.mark.parametrize("pressed", [True, False])
def test_the_session_that_was_left_alone_is_a_button_away(start: Any, home: Home, pressed: bool) -> None:
    write(home.sessions, {"a.jsonl": session_lines(home.workspace, *TALK)})
    asked: list[Any] = []

    def choose(params: Any) -> Any:
        asked.append(params)
        return params["actions"][0] if pressed else None

    editor = start(answers={"window/showMessageRequest": choose})
    editor.initialize(bundled("visual-studio-code"))
    editor.wait(lambda message: message.get("method") == "window/showMessageRequest")
    if pressed:
        state = editor.event("session_changed")["state"]
        assert (state["session"]["file"], state["session"]["entries"]) == (str(home.sessions / "a.jsonl"), 4)
    assert editor.call("pi/state")["session"]["entries"] == (4 if pressed else 0)
    [params] = asked
    assert "in use elsewhere" in params["message"]
    assert params["actions"] == [{"title": "Open It"}]
    assert not any(message.get("method") == "window/showMessage" for message in editor.messages)


def test_a_session_that_can_no_longer_be_opened_says_so(start: Any, home: Home) -> None:
    write(home.sessions, {"a.jsonl": session_lines(home.workspace, *TALK)})

    def press(params: Any) -> Any:
        (home.sessions / "a.jsonl").write_text("no session any more\n")
        return params["actions"][0]

    editor = start(answers={"window/showMessageRequest": press})
    editor.initialize(bundled("visual-studio-code"))
    shown = editor.wait(lambda message: message.get("method") == "window/showMessage")["params"]
    assert (shown["type"], "not a Pi session" in shown["message"]) == (1, True)
    assert editor.call("pi/state")["session"]["entries"] == 0


def test_a_client_that_refuses_the_button_gets_the_sentence(start: Any, home: Home) -> None:
    write(home.sessions, {"a.jsonl": session_lines(home.workspace, *TALK)})
    editor = start()  # it answers no such request
    editor.initialize(bundled("visual-studio-code"))
    shown = editor.wait(lambda message: message.get("method") == "window/showMessage")["params"]
    assert str(home.sessions / "a.jsonl") in shown["message"]
