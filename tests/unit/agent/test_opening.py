import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_lsp.agent.opening import open_first
from pi_lsp.session.location import session_dir
from pi_lsp.session.presence import is_open_elsewhere, mark

OLD = time.time() - 3600


def session_file(agent: Path, cwd: Path, name: str = "s1", age_s: float = 3600) -> Path:
    folder = Path(session_dir(str(cwd), str(agent), environ={}))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    header = {"type": "session", "version": 3, "id": name, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": str(cwd)}
    path.write_text(json.dumps(header) + "\n")
    written = time.time() - age_s
    os.utime(path, (written, written))
    return path


def test_continue_takes_the_newest_session(tmp_path: Path) -> None:
    session_file(tmp_path / "agent", tmp_path, "older", 7200)
    newer = session_file(tmp_path / "agent", tmp_path, "newer", 3600)

    opening = open_first("continue", str(tmp_path), str(tmp_path / "agent"), None)

    assert opening.session.path == str(newer)
    assert opening.offered is None


def test_a_session_that_was_just_written_is_offered_and_a_new_one_begun(tmp_path: Path) -> None:
    recent = session_file(tmp_path / "agent", tmp_path, age_s=60)

    opening = open_first("continue", str(tmp_path), str(tmp_path / "agent"), None)

    assert opening.offered == str(recent)
    assert not opening.session.is_saved
    assert opening.session.path != str(recent)


def test_a_session_open_in_another_process_is_offered(tmp_path: Path) -> None:
    path = session_file(tmp_path / "agent", tmp_path)
    program = (
        "import sys; from pi_lsp.session.presence import mark; held = mark(sys.argv[1]); print('held', flush=True);"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout and other.stdout.readline() == b"held\n"
        assert is_open_elsewhere(str(path))
        opening = open_first("continue", str(tmp_path), str(tmp_path / "agent"), None)
        assert opening.offered == str(path)
        other.communicate()
    # The operating system took the mark away with the process.
    assert not is_open_elsewhere(str(path))


def test_the_mark_is_no_file_beside_the_session(tmp_path: Path) -> None:
    path = session_file(tmp_path / "agent", tmp_path)
    before = sorted(path.parent.iterdir())
    presence = mark(str(path))
    assert presence is not None
    assert sorted(path.parent.iterdir()) == before
    presence.release()


def test_new_begins_a_session_without_writing_anything(tmp_path: Path) -> None:
    session_file(tmp_path / "agent", tmp_path)
    before = sorted(tmp_path.rglob("*"))

    opening = open_first("new", str(tmp_path), str(tmp_path / "agent"), None)

    assert not opening.session.is_saved
    assert sorted(tmp_path.rglob("*")) == before


def test_S9_a_file_that_is_no_session_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b"not a session\n")

    opening = open_first(str(path), str(tmp_path), str(tmp_path / "agent"), None)

    assert opening.problem and "notes.jsonl, line 1" in opening.problem
    assert path.read_bytes() == b"not a session\n"
    assert opening.session.path != str(path)


def test_without_a_folder_no_session_is_ever_written(tmp_path: Path) -> None:
    opening = open_first("continue", None, str(tmp_path / "agent"), None)
    assert opening.session.path is None


def test_in_a_folder_that_is_shared_only_sessions_of_the_working_directory_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = session_file(tmp_path / "agent", tmp_path, age_s=7200)
    shared = own.rename(tmp_path / own.name).parent
    other = shared / "other.jsonl"
    header = {"type": "session", "version": 3, "id": "o", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/elsewhere"}
    other.write_text(json.dumps(header) + "\n")
    os.utime(other, (OLD, OLD))
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(shared))

    opening = open_first("continue", str(tmp_path), str(tmp_path / "agent"), None)

    assert opening.session.path == str(shared / own.name)


def test_an_empty_file_that_is_not_called_like_a_session_is_none(tmp_path: Path) -> None:
    for name in ("notes.md", "empty.jsonl"):
        (tmp_path / name).write_text("")
    refused = open_first(str(tmp_path / "notes.md"), str(tmp_path), str(tmp_path / "agent"), None)
    assert "does not end in .jsonl" in (refused.problem or "")
    assert refused.session.path != str(tmp_path / "notes.md")
    opening = open_first(str(tmp_path / "empty.jsonl"), str(tmp_path), str(tmp_path / "agent"), None)
    assert (opening.problem, opening.session.path) == (None, str(tmp_path / "empty.jsonl"))


@pytest.mark.parametrize("name", ["a\0b.jsonl", "\0", "x" * 5000 + ".jsonl", "\ud800.jsonl", ""])
def test_a_name_that_no_file_has_gives_a_new_session_and_says_why(tmp_path: Path, name: str) -> None:
    opening = open_first(str(tmp_path / name), str(tmp_path), str(tmp_path / "agent"), None)
    assert opening.problem
    assert not opening.session.is_saved
