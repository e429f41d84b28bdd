import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_lsp.base.watch import Watcher
from tests.support.waiting import wait_until

POLL_MS = 100


class Heard:
    """What a watcher told, and waiting for it."""

    def __init__(self) -> None:
        self.bursts: list[frozenset[str]] = []
        self.failures: list[str] = []
        self.threads: set[str] = set()

    def changed(self, paths: frozenset[str]) -> None:
        self.threads.add(threading.current_thread().name)
        self.bursts.append(paths)

    @property
    def paths(self) -> set[str]:
        return set().union(*self.bursts)

    def wait(self, condition: Callable[[], bool]) -> None:
        wait_until(condition, lambda: (self.bursts, self.failures))

    def wait_for(self, *paths: Path) -> None:
        self.wait(lambda: {str(path) for path in paths} <= self.paths)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def watcher(heard: Heard) -> Iterator[Watcher]:
    watcher = Watcher(heard.changed, heard.failures.append, quiet_ms=50, poll_ms=POLL_MS)
    yield watcher
    watcher.close()


def ready(watcher: Watcher, heard: Heard, folder: Path) -> None:
    """Watch a folder until a change in it is heard natively."""
    watcher.watch([str(folder)])
    heard_until(heard, folder, "ready")
    heard.bursts.clear()


def heard_until(heard: Heard, folder: Path, name: str = "last") -> set[str]:
    """What else was heard when one more change in the folder is: the system tells changes in their order."""
    marker = folder / name
    marker.touch()
    heard.wait_for(marker)
    return heard.paths - {str(marker), str(folder / "ready")}


def test_created_written_renamed_and_deleted_files_are_heard(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    ready(watcher, heard, tmp_path)
    file, other = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    for change in (lambda: file.write_text("a"), lambda: file.write_text("b"), lambda: file.rename(other)):
        heard.bursts.clear()
        change()
        heard.wait_for(file)
    heard.wait_for(other)
    heard.bursts.clear()
    other.unlink()
    heard.wait_for(other)
    assert heard.failures == []
    assert heard.threads == {"pi-lsp-watch"}


def test_a_change_right_after_the_call_is_heard(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    watcher.watch([str(tmp_path)])
    (tmp_path / "x").write_text("at once")
    heard.wait_for(tmp_path / "x")


def test_a_burst_is_told_at_once(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    ready(watcher, heard, tmp_path)
    for number in range(200):
        (tmp_path / f"f{number}").write_text("x")
    heard.wait_for(*(tmp_path / f"f{number}" for number in range(200)))
    assert len(heard.bursts) < 20


def test_reading_is_no_change(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("a")
    ready(watcher, heard, tmp_path)
    file.read_text()
    os.listdir(tmp_path)
    assert heard_until(heard, tmp_path) == set()


def test_what_lies_deeper_is_not_watched(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    deep = tmp_path / "node_modules" / "a"
    deep.mkdir(parents=True)
    ready(watcher, heard, tmp_path)
    (deep / "x").write_text("x")
    assert heard_until(heard, tmp_path) == set()


def test_a_folder_that_comes_later_is_heard_and_then_watched(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    folder = tmp_path / "later"
    watcher.watch([str(folder)])
    time.sleep(0.1)
    folder.mkdir()
    (folder / "x").write_text("x")
    heard.wait_for(folder / "x")
    (folder / "y").write_text("y")
    heard.wait_for(folder / "y")
    assert heard.failures == []


def test_another_folder_at_the_same_path_is_watched(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    ready(watcher, heard, folder)
    folder.rename(tmp_path / "old")
    folder.mkdir()
    (folder / "new").write_text("x")
    heard.wait_for(folder / "new")
    (folder / "again").write_text("x")
    heard.wait_for(folder / "again")


def test_paths_are_spelled_with_the_folder_as_given(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    ready(watcher, heard, link)
    (link / "ä b").write_text("x")
    heard.wait_for(link / "ä b")
    assert all(path.startswith(f"{link}/") for path in heard.paths)


def test_two_names_of_one_folder_are_both_told(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    watcher.watch([str(tmp_path / "link"), str(tmp_path / "real")])
    (tmp_path / "real" / "x").write_text("x")
    heard.wait_for(tmp_path / "real" / "x", tmp_path / "link" / "x")


def test_a_folder_that_is_no_longer_wanted_is_left_alone(watcher: Watcher, heard: Heard, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    ready(watcher, heard, first)
    watcher.watch([str(second)])
    heard_until(heard, second)
    (first / "y").write_text("y")
    assert str(first / "y") not in heard_until(heard, second, "after")


def test_a_callback_that_raises_does_not_end_the_watching(tmp_path: Path) -> None:
    heard = Heard()

    def fail_once(paths: frozenset[str]) -> None:
        heard.changed(paths)
        if len(heard.bursts) == 1:
            raise RuntimeError("broken")

    watcher = Watcher(fail_once, heard.failures.append, quiet_ms=20, poll_ms=POLL_MS)
    watcher.watch([str(tmp_path)])
    (tmp_path / "x").write_text("x")
    heard.wait_for(tmp_path / "x")
    (tmp_path / "y").write_text("x")
    heard.wait_for(tmp_path / "y")
    watcher.close()


def test_close_leaves_no_thread_and_nothing_is_told_after_it(heard: Heard, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    watcher = Watcher(heard.changed, heard.failures.append, quiet_ms=10, poll_ms=POLL_MS)
    ready(watcher, heard, tmp_path)
    watcher.close()
    assert set(threading.enumerate()) <= before
    (tmp_path / "x").write_text("x")
    watcher.watch([str(tmp_path)])
    watcher.close()
    assert set(threading.enumerate()) <= before
    assert str(tmp_path / "x") not in heard.paths


def test_close_without_watching() -> None:
    Watcher(lambda _: None, lambda _: None).close()


def test_close_from_the_callback(tmp_path: Path) -> None:
    closed = threading.Event()

    def close(_: frozenset[str]) -> None:
        watcher.close()
        closed.set()

    watcher = Watcher(close, lambda _: None, quiet_ms=10)
    watcher.watch([str(tmp_path)])
    (tmp_path / "x").write_text("x")
    assert closed.wait(10)


NO_DESCRIPTORS = """
import os, resource, sys, time
from pi_lsp.base.watch import Watcher
import watchdog.observers, watchdog.events
folder = sys.argv[1]
failures, changes = [], []
watcher = Watcher(changes.append, failures.append, quiet_ms=20, poll_ms=50)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))), 4096))
watcher.watch([folder])
end = time.monotonic() + 10
while not failures and time.monotonic() < end:
    time.sleep(0.01)
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
open(os.path.join(folder, "x"), "w").close()
while not changes and time.monotonic() < end:
    time.sleep(0.01)
watcher.close()
print(failures, changes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
def test_E4_without_file_descriptors_it_says_so_and_polls(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", NO_DESCRIPTORS, str(tmp_path)], capture_output=True, text=True, timeout=30, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"['{tmp_path} cannot be watched (")
    assert "it is looked at every 0.05 s instead']" in run.stdout
    assert f"frozenset({{'{tmp_path}/x'}})" in run.stdout
