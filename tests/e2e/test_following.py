"""The session's file as others write it: followed live, and told by events."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.editor import Home, entry, session_lines, write


def append(path: Path, *entries: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in entries)


@pytest.fixture
def session(home: Home) -> Path:
    write(home.sessions, {"s.jsonl": session_lines(home.workspace, ("user", "Hello"), ("assistant", "Hi"))})
    return home.sessions / "s.jsonl"


def test_what_a_terminal_appends_is_followed_live(start: Any, session: Path) -> None:
    editor = start()
    editor.initialize(session={"file": str(session)})
    editor.count()
    since = editor.seen
    append(session, entry("e3", "e2", "user", "From the terminal"))
    assert editor.event("foreign_append", since) == {"type": "foreign_append", "count": 1, "leafMoved": True}
    told = editor.event("entry_appended", since)
    assert (told["parentId"], told["leafId"]) == ("e2", "e3") and told["entry"]["preview"] == "From the terminal"
    assert editor.event("context", since)["tokens"] > 0
    assert editor.call("pi/state")["session"]["leafId"] == "e3"


def test_S1_a_window_on_another_branch_stays_there_and_is_told(start: Any, home: Home, session: Path) -> None:
    editor = start()
    editor.initialize(session={"file": str(session)})
    editor.call("pi/state")
    append(session, entry("e3", "e2", "user", "goes on"))
    assert editor.call("pi/state")["session"]["leafId"] == "e3"  # with or without the watcher
    append(session, entry("x1", "e1", "user", "a branch of the other one"))
    assert editor.event("foreign_append", leafMoved=False)["count"] == 1
    assert editor.call("pi/state")["session"]["leafId"] == "e3"


def test_a_half_written_line_is_told_when_it_is_whole(start: Any, session: Path) -> None:
    editor = start()
    editor.initialize(session={"file": str(session)})
    editor.call("pi/state")
    line = json.dumps(entry("e3", "e2", "user", "in two writes")) + "\n"
    with session.open("a") as file:
        file.write(line[:60])
        file.flush()
        assert editor.call("pi/state")["session"]["entries"] == 2
        since = editor.seen
        file.write(line[60:])
    assert editor.event("foreign_append", since)["count"] == 1


def test_another_session_is_followed_after_it_was_opened(start: Any, home: Home, session: Path) -> None:
    other = home.folder / "elsewhere" / "other.jsonl"
    write(other.parent, {other.name: session_lines(home.workspace, ("user", "Other"), session_id="other")})
    editor = start()
    editor.initialize(session={"file": str(session)})
    editor.call("pi/session/open", {"file": str(other)})
    since = editor.seen
    append(other, entry("e2", "e1", "assistant", "more"))
    assert editor.event("foreign_append", since)["leafMoved"] is True


UNWATCHABLE = """
import sys
from watchdog.observers import Observer
def schedule(*args, **kwargs):
    raise OSError(28, "No space left on device")
Observer.schedule = schedule
from pi_lsp.lsp import server
sys.exit(server.serve())
"""


def test_E4_where_watching_does_not_work_the_user_is_told_once_and_nothing_is_lost(start: Any, session: Path) -> None:
    editor = start(command=(sys.executable, "-c", UNWATCHABLE))
    editor.initialize(session={"file": str(session)})
    shown = editor.wait(lambda message: message.get("method") == "window/showMessage")["params"]
    assert shown["type"] == 2 and "cannot be watched (No space left on device)" in shown["message"]
    editor.watch()
    since = editor.seen
    append(session, entry("e3", "e2", "user", "late, but not lost"))
    assert editor.event("foreign_append", since)["count"] == 1
    assert sum(message.get("method") == "window/showMessage" for message in editor.messages) == 1


def test_events_are_numbered_and_name_their_session(start: Any, session: Path) -> None:
    editor = start()
    editor.initialize(session={"file": str(session)})
    editor.count()
    editor.call("pi/session/new")
    editor.event("session_changed")
    append(session, entry("e3", "e2", "user", "not followed any more"))
    told = [message["params"] for message in editor.messages if message.get("method") == "pi/event"]
    assert [params["seq"] for params in told] == list(range(1, len(told) + 1))
    assert told[-1]["sessionId"] == editor.call("pi/state")["session"]["id"]


def test_a_client_that_wants_no_events_gets_none(start: Any, home: Home) -> None:
    write(home.workspace, {"AGENTS.md": ""})
    editor = start()
    editor.initialize(pi={})
    editor.open(home.workspace / "AGENTS.md")
    editor.call("pi/session/new")
    editor.call("pi/state")
    assert editor.events() == []
