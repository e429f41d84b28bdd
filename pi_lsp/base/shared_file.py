"""Writing small files that Pi writes too: one writer at a time, and never half a file on the disk."""

import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

_TRIES = 10
_PAUSE_S = 0.02
_STALE_S = 10.0


class FileLockedError(OSError):
    """Another process held the lock all the time that we waited."""


@contextmanager
def locked(path: str) -> Generator[None]:
    """Hold Pi's lock on a file: the folder `<path>.lock` (the format of npm's proper-lockfile).

    Waits at most 0.2 s. A lock that nobody has touched for 10 s was left behind by a dead process and is taken over.

    Raises:
        FileLockedError: somebody else holds it.
        OSError: the folder cannot be made.
    """
    lock = path + ".lock"
    for last in (False,) * (_TRIES - 1) + (True,):
        try:
            os.mkdir(lock)
            break
        except FileExistsError:
            if _is_stale(lock):
                with suppress(OSError):
                    os.rmdir(lock)
            elif last:
                raise FileLockedError(f"{path} is being written by another program; try again") from None
            else:
                time.sleep(_PAUSE_S)
    else:
        raise FileLockedError(f"{lock} cannot be removed; remove it by hand if no Pi is running")
    try:
        yield
    finally:
        with suppress(OSError):
            os.rmdir(lock)


def replace(path: str, data: bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part; a link stays a link.

    Raises:
        OSError: it cannot be written; the old content is still there.
    """
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if os.path.exists(path):
            shutil.copymode(path, temporary)
        else:
            os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _is_stale(lock: str) -> bool:
    try:
        return time.time() - os.stat(lock).st_mtime > _STALE_S
    except OSError:
        return False


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
