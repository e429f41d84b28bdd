"""Spill files: what a hostile session must not make us read."""

import os
import tempfile
from pathlib import Path

import pytest

from pi_lsp.context import explain_spill
from pi_lsp.context.explain_spill import read_spill, spill_of


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_spill_file_is_read(temp: Path) -> None:
    (temp / "pi-bash-1a2b.log").write_text("all of it")
    assert read_spill(str(temp / "pi-bash-1a2b.log")) == "all of it"
    (temp / "pi-lsp-1.log").write_bytes(b"\xff")
    assert read_spill(str(temp / "pi-lsp-1.log")) == "\ufffd"


def test_no_more_is_read_than_the_limit(temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_spill, "MAX_BYTES", 5)
    (temp / "pi-bash-1.log").write_text("0123456789")
    assert read_spill(str(temp / "pi-bash-1.log")) == "01234"


@pytest.mark.parametrize("name", ["secret.log", "pi-bash-1.txt", "pi-bash-.log", "xpi-bash-1.log", "pi-bash-a b.log"])
def test_other_names_are_not_opened(temp: Path, name: str) -> None:
    (temp / name).write_text("secret")
    assert read_spill(str(temp / name)) is None


def test_other_folders_are_not_opened(temp: Path) -> None:
    for folder in (temp / "below", temp.parent):
        folder.mkdir(exist_ok=True)
        (folder / "pi-bash-1.log").write_text("secret")
        assert read_spill(str(folder / "pi-bash-1.log")) is None
    assert read_spill(str(temp / "below" / ".." / "pi-bash-2.log")) is None
    assert read_spill("/etc/passwd") is None
    assert read_spill("pi-bash-1.log") is None
    assert read_spill(str(temp / "pi-bash-\0.log")) is None
    assert read_spill("") is None


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_or_a_pipe_of_the_right_name_is_not_read(temp: Path) -> None:
    (temp.parent / "secret").write_text("secret")
    (temp / "pi-bash-1.log").symlink_to(temp.parent / "secret")
    os.mkfifo(temp / "pi-bash-2.log")
    (temp / "pi-bash-3.log").mkdir()
    assert [read_spill(str(temp / f"pi-bash-{n}.log")) for n in (1, 2, 3)] == [None, None, None]


def test_where_a_message_names_its_spill_file() -> None:
    notice = "end\n\n[Showing lines 3-9 of 9. Full output: /tmp/pi-bash-a.log]"
    content = [{"type": "text", "text": notice}]
    assert spill_of({"role": "toolResult", "content": content}) == "/tmp/pi-bash-a.log"
    assert spill_of({"role": "toolResult", "details": {"fullOutputPath": "/t/pi-bash-b.log"}}) == "/t/pi-bash-b.log"
    assert spill_of({"role": "bashExecution", "fullOutputPath": "/t/pi-lsp-c.log"}) == "/t/pi-lsp-c.log"
    assert spill_of({"role": "user", "content": content}) is None
    assert spill_of({"role": "bashExecution", "fullOutputPath": "/etc/passwd"}) is None
    assert spill_of({"role": "bashExecution", "fullOutputPath": 7}) is None
