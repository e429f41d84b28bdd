"""A record goes into the file that was opened, in one write, or nowhere."""

import os

import pytest

from pi_lsp.session.append import append_record
from pi_lsp.session.errors import FileReplacedError
from tests.unit.session.samples import HEADER, line, message, write

RECORD = line(message("new", None))


def test_a_file_that_is_another_one_by_the_time_of_the_write_is_left_alone(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER)
    expected = os.stat(path)
    os.rename(path, tmp_path / "before.jsonl")
    with pytest.raises(FileReplacedError, match="was deleted"):
        append_record(path, RECORD, expected)
    assert not os.path.exists(path)
    write(tmp_path / "s.jsonl", HEADER)
    with pytest.raises(FileReplacedError, match="was replaced"):
        append_record(path, RECORD, expected)
    assert (tmp_path / "s.jsonl").read_bytes() == (tmp_path / "before.jsonl").read_bytes() == line(HEADER)


@pytest.mark.parametrize("before", [b"", b"{}\n", b"{}", b'{"type":"mess'])
def test_the_newline_that_was_missing_is_in_the_same_write(tmp_path, monkeypatch, before):
    path = tmp_path / "s.jsonl"
    path.write_bytes(before)
    written, write_ = [], os.write
    monkeypatch.setattr(os, "write", lambda file, data: written.append(data) or write_(file, data))
    append_record(str(path), RECORD, os.stat(path))
    assert written == [RECORD if before.endswith(b"\n") or not before else b"\n" + RECORD]
    assert path.read_bytes() == before + written[0]


def test_the_file_is_closed_whatever_happens(tmp_path, monkeypatch):
    path = write(tmp_path / "s.jsonl", HEADER)
    opened, closed, open_, close = [], [], os.open, os.close
    monkeypatch.setattr(os, "open", lambda *args: opened.append(open_(*args)) or opened[-1])
    monkeypatch.setattr(os, "close", lambda file: closed.append(file) or close(file))
    append_record(path, RECORD, os.stat(path))
    with pytest.raises(FileReplacedError):
        append_record(path, RECORD, os.stat(tmp_path))
    assert len(opened) == 2
    assert closed == opened
