"""Spill files: where a tool put the whole of an output that was too long to be stored.

The path of such a file stands in the session, and a session may come from anybody. So nothing is opened but a
regular file of the name that Pi (or we) give such files, directly in the system's folder for temporary files.
"""

import os
import re
import stat
import tempfile
from collections.abc import Iterator

from pi_lsp.base.json import as_object, as_str
from pi_lsp.session.messages import Message, role_of, texts_of

MAX_BYTES = 8 << 20
"""So much of one file is read."""

MARKS = (b"pi-bash-", b"pi-lsp-")
"""One of these stands in the line of every entry that names a spill file."""

_NAME = re.compile(r"pi-(?:bash|lsp)-[\w.-]+\.log", re.ASCII)
_NOTICE = re.compile(r"Full output: ([^\r\n\]]+)\]")
_NOTICE_UNITS = 1000
"""The notice is the end of the text."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def spill_of(message: Message) -> str | None:
    """The path of the spill file that a stored message names; it is not looked at."""
    return next((path for path in _named(message) if _NAME.fullmatch(os.path.basename(path))), None)


def read_spill(path: str) -> str | None:
    """The begin of a spill file; None where it is gone, or is not what a spill file can be."""
    folder, name = os.path.split(path)
    try:
        if not _NAME.fullmatch(name) or not os.path.samefile(folder, tempfile.gettempdir()):
            return None
        # No link leads out of the folder: none is left in it, and the name itself must be a file's.
        target = os.path.join(os.path.realpath(folder), name)
        if not stat.S_ISREG(os.lstat(target).st_mode):
            return None
        file = os.open(target, _FLAGS)
        try:
            return _read(file).decode(errors="replace") if stat.S_ISREG(os.fstat(file).st_mode) else None
        finally:
            os.close(file)
    except (OSError, ValueError):
        return None


def _read(file: int) -> bytes:
    parts: list[bytes] = []
    left = MAX_BYTES
    while left and (part := os.read(file, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _named(message: Message) -> Iterator[str]:
    match role_of(message):
        case "bashExecution":
            yield as_str(message.get("fullOutputPath"))
        case "toolResult":
            yield as_str(as_object(message.get("details")).get("fullOutputPath"))
            for text in texts_of(message):
                yield from _NOTICE.findall(text[-_NOTICE_UNITS:])
        case _:
            pass
