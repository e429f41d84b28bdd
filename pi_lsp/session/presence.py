"""Which sessions are open in a window of ours: advisory marks between our own processes.

A mark is a locked file in a folder of the machine's temporary files, never beside the session. Each window makes one
of its own, so a session that several have open is in use until the last of them leaves it. The operating system
releases a mark with its process. Pi does not know of the marks.
"""

import errno
import hashlib
import os
import secrets
import tempfile
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from filelock import BaseFileLock


_SUFFIX = ".lock"
_TRIES = 5
_LEFT_BEHIND_S = 60.0


class Presence:
    """The mark of one open session; `release` it when the window goes over to another."""

    def __init__(self, lock: "BaseFileLock | None") -> None:
        self._lock = lock

    def release(self) -> None:
        """Take the mark away."""
        if self._lock:
            with suppress(OSError):
                os.unlink(self._lock.lock_file)
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def mark(path: str) -> Presence:
    """Mark a session file as open here.

    Where marks cannot be made (no temporary folder), the session is opened without one.
    """
    import filelock  # noqa: PLC0415  20 ms that a start without a session does not pay

    for _ in range(_TRIES):
        name = f"{_marks_of(path)}{secrets.token_hex(8)}{_SUFFIX}"
        try:
            lock = filelock.FileLock(os.path.join(_folder(), name), blocking=False, thread_local=False)
            lock.acquire()
        except filelock.Timeout:  # somebody looked at it in this very moment
            continue
        except OSError:
            break
        return Presence(lock)
    return Presence(None)


def is_open_elsewhere(path: str) -> bool:
    """Whether another process of ours, or another window object of this one, holds a mark of a session file."""
    marks = _marks_of(path)
    try:
        folder = _folder()
        names = os.listdir(folder)
    except OSError:
        return False
    return any(_is_held(os.path.join(folder, name)) for name in names if name.startswith(marks))


def _is_held(file: str) -> bool:
    """Whether a mark is held; one that a dead process has left is taken away."""
    import filelock  # noqa: PLC0415  see above

    try:
        lock = filelock.FileLock(file, blocking=False, thread_local=False)
        lock.acquire()
    except filelock.Timeout:
        return True
    except OSError:
        return False
    with suppress(OSError):
        if time.time() - os.stat(file).st_mtime > _LEFT_BEHIND_S:  # not one that is being made
            os.unlink(file)
    lock.release()
    return False


def _marks_of(path: str) -> str:
    """What the names of all marks of a session file begin with."""
    return f"{hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]}."


def _folder() -> str:
    """A folder of this user alone: somebody else's folder of that name would let them lock us out.

    Raises:
        OSError: there is none; whoever locks a file would make a folder that is missing, so no other is named.
    """
    owner = getattr(os, "getuid", lambda: "")()
    folder = os.path.join(tempfile.gettempdir(), f"pi-lsp-{owner}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and os.lstat(folder).st_uid != owner:
        raise PermissionError(errno.EPERM, "it belongs to somebody else", folder)
    return folder
