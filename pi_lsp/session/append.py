"""The only two ways in which anything is written to a session file: it is created whole, and it is appended to.

A record is on its way to the disk when these return (`write` has taken it): a killed process loses nothing, and a
sync for each record would only help against a power cut.
"""

import contextlib
import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

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

    Raises:
        FileReplacedError: another program made that file.
        OSError: it could not be written; nothing is left behind.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with _open_new(path) as file:
        try:
            file.writelines(records)
            file.flush()
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise


def _open_new(path: str) -> BinaryIO:
    try:
        return open(path, "xb")
    except FileExistsError:
        if not is_empty_file(path):
            raise FileReplacedError(path, "was written by another program") from None
        return open(path, "ab")


def is_empty_file(path: str) -> bool:
    """Whether a regular file without content stands there. Raises OSError where that cannot be told.

    Files of the kernel have a size of 0 whatever can be read from them.
    """
    return os.path.isfile(path) and os.path.getsize(path) == 0 and not Source(path).read(0, 1)
