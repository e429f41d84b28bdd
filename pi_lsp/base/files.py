"""All reading goes through `Files`: the disk, with the editor's open buffers laid over it.

Paths are absolute strings, compared as strings and never resolved behind the caller's back: Pi tells files apart by
their path text, and a rule file that is a link is reported under the name it was found by.
"""

import errno
import os
import stat
from collections.abc import Mapping
from typing import Literal, Protocol

Kind = Literal["file", "dir", "other"]

MAX_BYTES = 16 << 20
"""No larger file is read: nothing that is written for a model, whose window holds some 4 MB of text, is larger."""

_PART_BYTES = 1 << 20
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Files(Protocol):
    """What the engine may ask of a file system."""

    def read(self, path: str) -> bytes:
        """The content. Raises OSError."""
        ...

    def kind(self, path: str) -> Kind | None:
        """What stands at the path, links followed; None where nothing does (a dangling link, a loop)."""
        ...

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted by their bytes; empty where it cannot be read."""
        ...

    def realpath(self, path: str) -> str:
        """The path with every link resolved, as far as it exists."""
        ...

    def is_link(self, path: str) -> bool:
        """Whether the path itself is a symbolic link."""
        ...


class Disk:
    """The disk as it is."""

    def read(self, path: str) -> bytes:
        """The content of a regular file; a pipe or a device might never end. Raises OSError."""
        try:
            file = os.open(path, _READ_FLAGS)
        except ValueError as error:  # a NUL in the path
            raise OSError(errno.EINVAL, str(error)) from None
        try:
            return _read(file)
        finally:
            os.close(file)

    def kind(self, path: str) -> Kind | None:
        """What stands at the path, links followed."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISREG(mode):
            return "file"
        return "dir" if stat.S_ISDIR(mode) else "other"

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted by their bytes."""
        try:
            names = os.listdir(path)
            return sorted(names) if "".join(names).isascii() else sorted(names, key=os.fsencode)
        except (OSError, ValueError):
            return []

    def realpath(self, path: str) -> str:
        """The path with every link resolved."""
        try:
            return os.path.realpath(path)
        except ValueError:  # a NUL in the path
            return path

    def is_link(self, path: str) -> bool:
        """Whether the path itself is a symbolic link."""
        return os.path.islink(path)


def _read(file: int) -> bytes:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if status.st_size <= MAX_BYTES and len(content := _whole(file, status.st_size)) <= MAX_BYTES:
        return content
    raise OSError(errno.EFBIG, f"it is larger than {MAX_BYTES >> 20} MiB")


def _whole(file: int, size: int) -> bytes:
    """The content of a file that says it has this size; of one that never ends, a bit more than `MAX_BYTES`."""
    content = os.read(file, size + 1)
    if len(content) == size:
        return content
    parts, left = [content], MAX_BYTES - len(content)  # it grows, or the kernel makes it up while it is read
    while left >= 0 and (part := os.read(file, _PART_BYTES)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


class Overlay:
    """Files with the texts of open buffers laid over them.

    A buffer whose file is not on disk yet counts as a file of its folder. `buffers` is read at every call, so the
    owner may go on changing it, while another thread reads here too.
    """

    def __init__(self, below: Files, buffers: Mapping[str, str]) -> None:
        self._below = below
        self._buffers = buffers

    def read(self, path: str) -> bytes:
        """The buffer's text as UTF-8, or the content below. Raises OSError."""
        text = self._buffers.get(path)
        return self._below.read(path) if text is None else text.encode("utf-8", "surrogatepass")

    def kind(self, path: str) -> Kind | None:
        """A buffer is a file; else what stands below."""
        return "file" if path in self._buffers else self._below.kind(path)

    def names(self, path: str) -> list[str]:
        """The names below and those of buffers in this folder, sorted by their bytes."""
        names = self._below.names(path)
        new = {os.path.basename(name) for name in list(self._buffers) if os.path.dirname(name) == path}
        return sorted({*names, *new}, key=os.fsencode) if new - set(names) else names

    def realpath(self, path: str) -> str:
        """The path with every link resolved."""
        return self._below.realpath(path)

    def is_link(self, path: str) -> bool:
        """Whether the path itself is a symbolic link."""
        return self._below.is_link(path)
