"""However a window ends, its session is left as it was."""

import json
import signal
from collections.abc import Callable

import pytest

from tests.support.editor import Editor, Home, entry, session_lines, write


@pytest.mark.parametrize("end", ["exit", "no input", "terminated", "killed"])
def test_S3_nothing_is_appended_at_exit(home: Home, start: Callable[..., Editor], end: str) -> None:
    write(home.sessions, {"s.jsonl": session_lines(home.workspace, ("user", "one"), ("assistant", "two"))})
    path = home.sessions / "s.jsonl"
    editor = start()
    editor.initialize(session={"file": str(path)})
    assert editor.call("pi/state")["session"]["leafId"] == "e2"
    with path.open("a") as file:  # the window's leaf is behind now
        file.write(json.dumps(entry("f", "e1", "user", "from elsewhere")) + "\n")
    before = path.read_bytes()
    match end:
        case "exit":
            assert editor.end() == 0
        case "no input":
            assert editor.process.stdin
            editor.process.stdin.close()
        case "terminated":
            editor.process.send_signal(signal.SIGTERM)
        case _:
            editor.process.kill()
    editor.ended()
    assert path.read_bytes() == before
    assert [each.name for each in home.sessions.iterdir()] == ["s.jsonl"]
