"""Which sessions are open in a window of ours: advisory marks between our own processes.

A mark is a locked file in a folder of the machine's temporary files, never beside the session. The operating system
releases it with the process, so nothing has to be cleaned up. Pi does not know of the marks.
"""

import hashlib
import os
import tempfile
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from filelock import BaseFileLock


class Presence:
    """The mark of one open session; `release` it when the window goes over to another."""

    def __init__(self, lock: "BaseFileLock | None") -> None:
        self._lock = lock

    def release(self) -> None:
        """Take the mark away."""
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def mark(path: str) -> Presence | None:
    """Mark a session file as open here; None where another process of ours has it open.

    Where marks cannot be made (no temporary folder), the session is opened without one.
    """
    import filelock  # noqa: PLC0415  20 ms that a start without a session does not pay

    try:
        lock = filelock.FileLock(_mark_path(path), blocking=False, thread_local=False)
        lock.acquire()
    except filelock.Timeout:
        return None
    except OSError:
        return Presence(None)
    return Presence(lock)


def is_open_elsewhere(path: str) -> bool:
    """Whether another process of ours, or another window object of this one, holds the mark of a session file."""
    if not os.path.exists(_mark_path(path)):
        return False
    presence = mark(path)
    if presence is None:
        return True
    presence.release()
    return False


def _mark_path(path: str) -> str:
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]
    return os.path.join(_folder(), f"{name}.lock")


def _folder() -> str:
    """A folder of this user alone: somebody else's folder of that name would let them lock us out."""
    owner = getattr(os, "getuid", lambda: "")()
    folder = os.path.join(tempfile.gettempdir(), f"pi-lsp-{owner}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and os.stat(folder).st_uid != owner:
            raise PermissionError
    except OSError:
        return os.path.join(tempfile.gettempdir(), "pi-lsp-unusable", "nowhere")
    return folder
