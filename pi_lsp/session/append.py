"""The only two ways in which anything is written to a session file: it is created whole, and it is appended to.

A record is on its way to the disk when these return (`write` has taken it): a killed process loses nothing, and a
sync for each record would only help against a power cut.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable
from typing import Literal

from pi_lsp.session.errors import FileReplacedError
from pi_lsp.session.source import Source

_BINARY = getattr(os, "O_BINARY", 0)


def append_record(path: str, record: bytes, expected: os.stat_result) -> None:
    """Append a record to the file that was open as `expected`, in one write, so that no other program's comes inside.

    Where the file does not end in a newline, one is written first, in the same write.

    Raises:
        FileReplacedError: another file has that name now.
        OSError: it could not be written, or only a part of it.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)
    except FileNotFoundError:
        raise FileReplacedError(path, "was deleted") from None
    try:
        now = os.fstat(file)
        if not os.path.samestat(now, expected):
            raise FileReplacedError(path, "was replaced")
        if now.st_size:
            os.lseek(file, -1, os.SEEK_END)
            if os.read(file, 1) != b"\n":
                record = b"\n" + record
        if os.write(file, record) != len(record):
            raise OSError(errno.ENOSPC, "only a part of the record could be written", path)
    finally:
        os.close(file)


def create_file(path: str, records: Iterable[bytes]) -> None:
    """Write a new file, its folder too where it is missing. Only an empty file may be there before.

    It appears with all its records: a process killed in the middle leaves no file that is no session. What it leaves
    then is hidden, and does not end in `.jsonl`.

    Raises:
        FileReplacedError: another program made that file.
        OSError: it could not be written; nothing is left behind.
    """
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    hidden = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        with open(hidden, "wb") as file:
            file.writelines(records)
        _put(hidden, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(hidden)


def _put(hidden: str, path: str) -> None:
    """Give a file its name, unless something stands there: what a rename would not see."""
    try:
        os.link(hidden, path)
    except FileExistsError:
        if not is_empty_file(path):
            raise FileReplacedError(path, "was written by another program") from None
        _copy(hidden, path, "ab")
    except OSError:  # a file system without hard links
        _copy(hidden, path, "xb")


def _copy(hidden: str, path: str, mode: Literal["ab", "xb"]) -> None:
    try:
        with open(hidden, "rb") as source, open(path, mode) as target:
            shutil.copyfileobj(source, target)
    except FileExistsError:
        raise FileReplacedError(path, "was written by another program") from None
    except BaseException:
        with contextlib.suppress(OSError):
            if mode == "xb":
                os.unlink(path)
            else:
                os.truncate(path, 0)
        raise


def is_empty_file(path: str) -> bool:
    """Whether a regular file without content stands there. Raises OSError where that cannot be told.

    Files of the kernel have a size of 0 whatever can be read from them.
    """
    return os.path.isfile(path) and os.path.getsize(path) == 0 and not Source(path).read(0, 1)
