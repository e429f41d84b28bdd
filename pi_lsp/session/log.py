"""A session file: indexed in one pass, its entries read on demand, followed while others append to it.

Reading never changes the file. What is remembered of an entry is its head and its place, so texts and images stay on
disk until somebody asks for them.
"""

import os
from collections.abc import Iterator
from typing import Final

from pi_lsp.base.json import JsonObject
from pi_lsp.session.append import append_record
from pi_lsp.session.codec import decode_head, encode_line
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import FileReplacedError
from pi_lsp.session.index import Index, Problem, read_header, read_values
from pi_lsp.session.migrate import VERSION, entries_of, version_of
from pi_lsp.session.source import Source, StoredEntry
from pi_lsp.session.tree import Tree


class SessionLog:
    """One session file, as far as it has been read. One thread at a time; bodies of entries may be read in any."""

    def __init__(self, path: str) -> None:
        """Open a file and index it; `open` says more."""
        self.path: Final = path
        self.tree: Final = Tree[Entry]()
        self._source: Final = Source(path)
        self._index: Final = Index(self._source.read)
        self._header_line, self.header = read_header(self._index, path)
        if self.is_old:
            for entry in entries_of([self.header, *read_values(self._index)]):
                self.tree.add(entry)
        else:
            self._add_new()

    @classmethod
    def open(cls, path: str) -> "SessionLog":
        """Open a file and index it.

        Raises:
            InvalidSessionError: its first record is no session header.
            OSError: it cannot be read, or is no regular file.
        """
        return cls(path)

    @property
    def is_old(self) -> bool:
        """Whether the file is of version 1 or 2: its entries are migrated in memory, and nothing is appended to it."""
        return version_of(self.header) < VERSION

    @property
    def entries(self) -> list[Entry]:
        """All entries, in file order."""
        return list(self.tree)

    @property
    def problems(self) -> list[Problem]:
        """The lines that were skipped (the first 1,000), and the last one where it is incomplete."""
        return self._index.problems

    def follow(self) -> list[Entry]:
        """Take in what was appended since; an incomplete record waits for its rest.

        Raises:
            FileReplacedError: the file was deleted, cut short or rewritten. Open it again.
        """
        self._check_same_file()
        return [] if self.is_old else self._add_new()

    def append(self, body: JsonObject) -> tuple[Entry, list[Entry]]:
        """Append one entry in one write, then read it back from the file, where it must stand.

        Returns:
            The entry, and those that other programs appended since the file was last read.

        Raises:
            FileReplacedError: as `follow`.
            OSError: it could not be written. A part of it may be in the file; whoever reads it skips the part.
        """
        self._check_same_file()
        for _ in range(2):  # again where another program's incomplete record swallowed ours
            append_record(self.path, encode_line(body), self._source.stat())
            seen = self.follow()
            own = next((entry for entry in seen if entry.id == body.get("id")), None)
            if own is not None:
                return own, [entry for entry in seen if entry is not own]
        raise OSError(f"{self.path}: the record that was appended cannot be read back")

    def _check_same_file(self) -> None:
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            raise FileReplacedError(self.path, "was deleted") from None
        header, size = self._header_line, now.st_size
        if not os.path.samestat(now, self._source.stat()):
            raise FileReplacedError(self.path, "was replaced")
        if size < self._index.position or self._source.read(header.offset, header.length) != header.data:
            raise FileReplacedError(self.path, "was rewritten")
        if self.is_old and size != self._index.position:
            raise FileReplacedError(self.path, "was changed")

    def _add_new(self) -> list[Entry]:
        """Index from where the last reading stopped."""
        return self.tree.extend(self._new_entries())

    def _new_entries(self) -> Iterator[Entry]:
        known, source = self.tree.by_id, self._source
        for line, head in self._index.records(decode_head):
            if head.type == "session":  # a second header says nothing
                continue
            if head.parent_id and (parent := known.get(head.parent_id)):
                head.parent_id = parent.id  # equal texts are kept once
            yield StoredEntry(head, source, line.offset, line.length)
