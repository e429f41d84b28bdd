"""All reading goes through `Files`: the disk, with the editor's open buffers laid over it.

Paths are absolute strings, compared as strings and never resolved behind the caller's back: Pi tells files apart by
their path text, and a rule file that is a link is reported under the name it was found by.
"""

import os
import stat
from collections.abc import Mapping
from typing import Literal, Protocol

Kind = Literal["file", "dir", "other"]


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
        """The content. Raises OSError."""
        try:
            with open(path, "rb", buffering=0) as file:  # read whole, so a buffer would only cost time
                return file.read()
        except ValueError as error:  # a NUL in the path
            raise OSError(str(error)) from None

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
