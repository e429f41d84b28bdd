"""A session file appears whole, or not at all."""

import errno
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

import pytest

from pi_lsp.session.append import create_file
from pi_lsp.session.errors import FileReplacedError

RECORDS = [b'{"type":"session"}\n', b"x" * 100_000]


@pytest.fixture(params=["links", "no links"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a session will be, on a file system with hard links and on one without."""
    if request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)
    return tmp_path / "sessions" / "s.jsonl"


def refuse(source: str, target: str) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "exists", target)
    raise PermissionError(errno.EPERM, "no hard links here", target)


def test_nobody_sees_a_part_of_a_new_session(file: Path):
    def records() -> Generator[bytes]:
        for record in RECORDS:
            assert not file.exists()
            yield record

    create_file(str(file), records())
    assert file.read_bytes() == b"".join(RECORDS)
    assert os.listdir(file.parent) == [file.name]


def test_a_record_that_cannot_be_made_leaves_nothing(file: Path):
    def records() -> Generator[bytes]:
        yield RECORDS[0]
        raise ValueError

    with pytest.raises(ValueError):
        create_file(str(file), records())
    assert os.listdir(file.parent) == []


def test_a_file_that_another_program_made_meanwhile_stays_as_it_is(file: Path):
    def records() -> Generator[bytes]:
        yield RECORDS[0]
        file.write_bytes(b"theirs\n")

    with pytest.raises(FileReplacedError):
        create_file(str(file), records())
    assert file.read_bytes() == b"theirs\n"
    assert os.listdir(file.parent) == [file.name]


def test_an_empty_file_is_filled(file: Path):
    file.parent.mkdir()
    file.touch()
    inode = file.stat().st_ino
    create_file(str(file), RECORDS)
    assert file.read_bytes() == b"".join(RECORDS)
    assert file.stat().st_ino == inode, "whoever watches or holds it sees the session"
    assert os.listdir(file.parent) == [file.name]


def test_what_a_killed_process_left_behind_is_in_nobodys_way(file: Path):
    file.parent.mkdir()
    (file.parent / f".{file.name}.{os.getpid()}").write_bytes(b"half a rec")
    create_file(str(file), RECORDS)
    assert file.read_bytes() == b"".join(RECORDS)
    assert os.listdir(file.parent) == [file.name]


def test_a_full_disk_leaves_what_was_there(file: Path, monkeypatch: pytest.MonkeyPatch):
    def full(source: BinaryIO, target: BinaryIO) -> None:
        target.write(source.read(10))
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    monkeypatch.setattr(os, "link", refuse)
    for empty in (False, True):
        if empty:
            file.touch()
        with pytest.raises(OSError, match="full"):
            create_file(str(file), RECORDS)
        assert [path.read_bytes() for path in file.parent.iterdir()] == [b""] * empty
