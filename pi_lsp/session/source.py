"""A session file held open for reading, and entries whose bodies stay in it until they are asked for."""

import os
import stat
import sys
import threading
import weakref

from pi_lsp.base.json import JsonError, JsonObject, decode_object
from pi_lsp.session.codec import Head
from pi_lsp.session.entries import Entry

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Source:
    """Reads at any place of a file, from any thread. The file is closed when nobody holds the source any more."""

    def __init__(self, path: str) -> None:
        """Open a regular file. Raises OSError."""
        self.path = path
        self._file = os.open(path, _READ_FLAGS)
        weakref.finalize(self, os.close, self._file)
        if not stat.S_ISREG(self.stat().st_mode):
            raise OSError(f"{path} is not a regular file")
        self._lock = threading.Lock()

    def stat(self) -> os.stat_result:
        """The state of the open file, which may have another name by now, or none."""
        return os.fstat(self._file)

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset` on; none at the end of the file."""
        if sys.platform != "win32":
            return os.pread(self._file, length, offset)
        with self._lock:
            os.lseek(self._file, offset, os.SEEK_SET)
            return os.read(self._file, length)


class StoredEntry(Entry):
    """An entry in a file: its body is read and decoded at every access, and kept by nobody."""

    __slots__ = ("_offset", "_source", "length")

    def __init__(self, head: Head, source: Source, offset: int, length: int) -> None:
        self.type = sys.intern(head.type)  # there are few types: each text is kept once
        self.id = head.id
        self.parent_id = head.parent_id
        self.timestamp = head.timestamp
        self._source = source
        self._offset = offset
        self.length = length
        """Bytes of its line, without the newline."""

    @property
    def line(self) -> bytes:
        """The record as it stands in the file, without the newline."""
        return self._source.read(self._offset, self.length)

    @property
    def body(self) -> JsonObject:
        """The whole object as stored. Where the file was cut short since, only what the tree knows."""
        try:
            return decode_object(self._source.read(self._offset, self.length))
        except (JsonError, OSError):
            return {"type": self.type, "id": self.id, "parentId": self.parent_id, "timestamp": self.timestamp}
