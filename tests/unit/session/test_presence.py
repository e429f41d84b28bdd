"""The marks of open sessions: one for each window, so that a session is in use until the last of them leaves it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_lsp.session import presence
from pi_lsp.session.presence import is_open_elsewhere, mark


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of temporary files of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path


def test_a_session_is_in_use_until_the_last_window_leaves_it(tmp_path: Path) -> None:
    path = str(tmp_path / "s.jsonl")
    first, second = mark(path), mark(path)
    first.release()
    assert is_open_elsewhere(path)
    assert not is_open_elsewhere(str(tmp_path / "other.jsonl"))
    second.release()
    assert not is_open_elsewhere(path)


def test_no_mark_is_left_behind(folder: Path) -> None:
    path = str(folder / "s.jsonl")
    with mark(path), mark(path):
        assert len([*folder.rglob("*.lock")]) == 2
    assert [*folder.rglob("*.lock")] == []


def test_what_a_dead_process_has_left_goes_with_the_next_look(folder: Path) -> None:
    path = str(folder / "s.jsonl")
    mark(path).release()
    [marks] = [one for one in folder.iterdir() if one.is_dir()]
    left = marks / f"{presence._marks_of(path)}dead.lock"  # pyright: ignore[reportPrivateUsage]
    left.touch()
    assert not is_open_elsewhere(path)
    assert left.exists()  # it may be one that is being made
    os.utime(left, (0, 0))
    assert not is_open_elsewhere(path)
    assert not left.exists()


def test_a_link_leads_to_the_same_mark(folder: Path) -> None:
    (folder / "link.jsonl").symlink_to(folder / "s.jsonl")
    with mark(str(folder / "s.jsonl")):
        assert is_open_elsewhere(str(folder / "link.jsonl"))


def test_where_no_mark_can_be_made_the_session_opens_without_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "file"))
    with mark(str(folder / "s.jsonl")):
        assert not is_open_elsewhere(str(folder / "s.jsonl"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners of this kind")
def test_the_folder_of_the_marks_is_this_users_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, user = str(folder / "s.jsonl"), os.getuid()
    with mark(path):
        assert (folder / f"pi-lsp-{user}").stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(os, "getuid", lambda: user + 1)  # the folders of this test are somebody else's now
    (folder / f"pi-lsp-{user + 1}").symlink_to(folder / f"pi-lsp-{user}")
    before = sorted(folder.rglob("*"))
    with mark(path):
        assert not is_open_elsewhere(path)
        assert sorted(folder.rglob("*")) == before
