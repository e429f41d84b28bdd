"""Watching a few folders for changes by others: the only place that knows watchdog.

Folders are watched without what is below them. Where the system refuses to watch one (no watches or file descriptors
left) or it does not exist yet, it is looked at every few seconds instead, so a change is late but never lost. What
changes behind a link inside a folder is not seen: watch the folder that the link points into as well.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver, ObservedWatch

Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size and time of change in ns."""
Snapshot: TypeAlias = dict[str, Stamp]
"""The entries of a folder by path."""

_log = logging.getLogger(__name__)
_CHANGES = (
    "FileCreated",
    "FileModified",
    "FileDeleted",
    "FileMoved",
    "DirCreated",
    "DirDeleted",
    "DirMoved",
)
"""The events that are changes. Not asked for: that a file was opened, read or closed, which we do all the time."""


class Watcher:
    """Tells which paths changed in a set of folders.

    `on_change` gets the paths of a burst at once, spelled with the folder as it was given; `on_failure` a sentence
    for the user, once a folder, when it cannot be watched and is polled. Both are called from a thread of the
    watcher's own, which starts with the first folders and ends with `close`.
    """

    def __init__(
        self,
        on_change: Callable[[frozenset[str]], None],
        on_failure: Callable[[str], None],
        *,
        quiet_ms: int = 100,
        poll_ms: int = 2000,
    ) -> None:
        self._inbox: _Inbox = queue.SimpleQueue()
        self._loop = _Loop(self._inbox, on_change, on_failure, quiet_ms / 1000, poll_ms / 1000)

    def watch(self, folders: Iterable[str]) -> None:
        """Watch these folders and no others. What changes from this call on is reported."""
        self._inbox.put(_Watch({folder: _snapshot(folder) for folder in folders}))
        if not self._loop.ident:
            self._loop.start()

    def close(self) -> None:
        """End all watching; after this nothing is reported and no thread is left. Once closed it stays closed."""
        self._inbox.put(None)
        if self._loop.is_alive() and threading.current_thread() is not self._loop:
            self._loop.join()


@dataclass(frozen=True, slots=True)
class _Watch:
    """The order to watch folders, with what was in them when it was given."""

    folders: dict[str, Snapshot]


@dataclass(slots=True)
class _Folder:
    path: str
    seen: Snapshot
    watch: "ObservedWatch | None" = None
    identity: tuple[int, int] | None = None
    """Device and inode of the folder that is watched: another one may come to stand at the path."""
    complained: bool = False


_Inbox: TypeAlias = "queue.SimpleQueue[_Watch | str | None]"


class _Loop(threading.Thread):
    """Owns all state: takes orders and changed paths out of the inbox, None to end."""

    def __init__(
        self,
        inbox: _Inbox,
        on_change: Callable[[frozenset[str]], None],
        on_failure: Callable[[str], None],
        quiet: float,
        poll: float,
    ) -> None:
        super().__init__(name="pi-lsp-watch", daemon=True)
        self._inbox = inbox
        self._on_change = on_change
        self._on_failure = on_failure
        self._quiet = quiet
        self._poll = poll
        self._folders: dict[str, _Folder] = {}
        self._changed: set[str] = set()
        self._observer: BaseObserver | None = None

    def run(self) -> None:
        try:
            self._work()
        finally:
            if self._observer:
                self._observer.stop()
                self._observer.join()

    def _work(self) -> None:
        next_look = time.monotonic() + self._poll
        report_at = float("inf")
        while True:
            with suppress(queue.Empty):
                match self._inbox.get(timeout=max(min(next_look, report_at) - time.monotonic(), 0)):
                    case None:
                        return
                    case str(path):
                        self._changed.add(path)
                    case _Watch(folders):
                        self._set_folders(folders)
            now = time.monotonic()
            if now >= next_look:
                for folder in self._folders.values():
                    self._look_at(folder)
                next_look = now + self._poll
            if now >= report_at:
                self._report()
            report_at = min(report_at, now + self._quiet) if self._changed else float("inf")

    def _report(self) -> None:
        changed, self._changed = frozenset(self._changed), set()
        try:
            self._on_change(changed)
        except Exception:
            _log.exception("a change of %d paths was not handled", len(changed))

    def _set_folders(self, wanted: dict[str, Snapshot]) -> None:
        for path in self._folders.keys() - wanted.keys():
            self._unwatch(self._folders.pop(path))
        for path in wanted.keys() - self._folders.keys():
            folder = self._folders[path] = _Folder(path, wanted[path])
            self._try_watching(folder)
            self._compare(folder)

    def _look_at(self, folder: _Folder) -> None:
        """Poll a folder that is not watched; notice that another one stands where the watched one stood."""
        if folder.watch and folder.identity == _identity(folder.path):
            return
        self._unwatch(folder)
        self._try_watching(folder)
        self._compare(folder)

    def _compare(self, folder: _Folder) -> None:
        now = _snapshot(folder.path)
        self._changed |= {path for path in now.keys() | folder.seen.keys() if now.get(path) != folder.seen.get(path)}
        folder.seen = now

    def _try_watching(self, folder: _Folder) -> None:
        identity = _identity(folder.path)
        if identity is None or any(other.watch and other.identity == identity for other in self._folders.values()):
            return
        try:
            folder.watch = self._schedule(folder.path)
            folder.identity = identity
        except OSError as error:
            if not folder.complained:
                folder.complained = True
                reason = error.strerror or str(error)
                self._on_failure(
                    f"{folder.path} cannot be watched ({reason}); it is looked at every {self._poll:g} s instead"
                )

    def _unwatch(self, folder: _Folder) -> None:
        if folder.watch and self._observer:
            with suppress(KeyError):
                self._observer.unschedule(folder.watch)
        folder.watch = None

    def _schedule(self, path: str) -> "ObservedWatch":
        """Raises OSError."""
        from watchdog import events  # noqa: PLC0415  heavy, and not needed by the command line
        from watchdog.observers import Observer  # noqa: PLC0415  likewise

        inbox, real = self._inbox, os.path.realpath(path)

        class Handler(events.FileSystemEventHandler):
            def dispatch(self, event: "FileSystemEvent") -> None:
                for changed in (os.fsdecode(event.src_path), os.fsdecode(event.dest_path)):
                    if os.path.dirname(changed) == real:
                        inbox.put(os.path.join(path, os.path.basename(changed)))

        if self._observer is None:
            observer = Observer()
            observer.start()
            self._observer = observer
        changes = [getattr(events, f"{name}Event") for name in _CHANGES]
        return self._observer.schedule(Handler(), real, recursive=False, event_filter=changes)


def _snapshot(folder: str) -> Snapshot:
    """What is in a folder; empty where it cannot be read."""
    found: Snapshot = {}
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                stat = entry.stat()
                found[entry.path] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


def _identity(folder: str) -> tuple[int, int] | None:
    with suppress(OSError, ValueError):
        stat = os.stat(folder)
        return (stat.st_dev, stat.st_ino)
    return None
