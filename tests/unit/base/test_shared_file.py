import os
import threading
import time
from pathlib import Path

import pytest

from pi_lsp.base.shared_file import FileLockedError, locked, replace


def test_the_lock_is_a_folder_beside_the_file_and_goes_away(tmp_path: Path) -> None:
    path = str(tmp_path / "trust.json")
    with locked(path):
        assert os.path.isdir(path + ".lock")
    assert os.listdir(tmp_path) == []


def test_the_lock_goes_away_when_the_writer_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(str(tmp_path / "x")):
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []


def test_a_held_lock_is_waited_for_and_then_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    with locked(path):
        start = time.monotonic()
        with pytest.raises(FileLockedError, match="x is being written"), locked(path):
            pass
        assert time.monotonic() - start > 0.15
        assert os.path.isdir(path + ".lock")


def test_a_lock_that_is_released_meanwhile_is_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    os.mkdir(path + ".lock")
    timer = threading.Timer(0.06, os.rmdir, [path + ".lock"])
    timer.start()
    with locked(path):
        assert os.path.isdir(path + ".lock")
    timer.join()


def test_a_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    os.mkdir(path + ".lock")
    os.utime(path + ".lock", (time.time() - 11, time.time() - 11))
    with locked(path):
        assert os.path.isdir(path + ".lock")
    assert os.listdir(tmp_path) == []


def test_a_stale_lock_that_cannot_be_removed_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    os.makedirs(path + ".lock/full")
    os.utime(path + ".lock", (time.time() - 11, time.time() - 11))
    with pytest.raises(FileLockedError, match=r"x\.lock cannot be removed"), locked(path):
        pass


def test_replace_keeps_mode_and_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to("real.json")
    replace(str(link), b"new")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("new", 0o600)
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real.json"]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    replace(str(tmp_path / "new"), b"x")
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


def test_a_failed_write_leaves_the_old_content_and_no_rubbish(tmp_path: Path) -> None:
    folder = tmp_path / "is-a-folder"
    folder.mkdir()
    with pytest.raises(OSError):
        replace(str(folder), b"x")
    assert os.listdir(tmp_path) == ["is-a-folder"]


def test_a_reader_never_sees_a_part(tmp_path: Path) -> None:
    path = tmp_path / "x"
    contents = [b"a" * 200_000, b"b" * 100_000]
    path.write_bytes(contents[0])
    done = threading.Event()
    seen: set[bytes] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(60):
        replace(str(path), contents[number % 2])
    done.set()
    reader.join()
    assert seen <= set(contents)
