"""A session that this process writes: where its leaf is, and when and how entries get to its file.

A new session is kept in memory until its first user or assistant message, as in Pi 1.6.0; then everything is written
at once. From there on an entry is in the tree only when it is in the file.
"""

import os
import uuid
from collections.abc import Iterable, Sequence
from itertools import chain

from pi_lsp.base.json import JsonObject, as_str, to_utf8
from pi_lsp.session.append import create_file, is_empty_file
from pi_lsp.session.codec import encode_line
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError, InvalidSessionError, StaleTipError
from pi_lsp.session.location import check_id, file_name, new_entry_id, new_session_id
from pi_lsp.session.log import SessionLog
from pi_lsp.session.messages import role_of
from pi_lsp.session.migrate import VERSION
from pi_lsp.session.source import StoredEntry
from pi_lsp.session.times import now, to_milliseconds
from pi_lsp.session.tree import Tree

_FIELDS_FIRST = ("custom", "custom_message")
_CONTINUATIONS = uuid.UUID("6f6d9d2e-5f0b-4e0e-9d57-0a3f4d1b7c55")


class Session:
    """One session, saved or not yet. `leaf_id` is the entry that the next one will follow; None for a new root."""

    def __init__(
        self, header: JsonObject, path: str | None, *, log: SessionLog | None = None, entries: Sequence[Entry] = ()
    ) -> None:
        """A session with the entries of `log`, or with `entries` that are not written yet.

        `path` is where it will be written; None: never.
        """
        self.header = header
        self.path = path and os.path.abspath(path)
        self._log = log
        self._unsaved: list[Entry] = list(entries)
        self._untold: list[Entry] = []
        """What other programs appended and `follow` has not told yet."""
        self._refused = 0
        """So many of them an `append` was refused for."""
        self.tree: Tree[Entry] = log.tree if log else Tree(entries)
        self.leaf_id: str | None = self.tree.leaf_id
        self.running = False
        """A turn goes on: it ends on its own branch, whatever others append meanwhile (`follow` tells of it)."""

    @classmethod
    def new(
        cls,
        folder: str | None,
        cwd: str,
        *,
        session_id: str | None = None,
        parent_session: str | None = None,
        entries: Sequence[Entry] = (),
    ) -> "Session":
        """A session for a working directory, to be written into `folder` (None: never).

        Raises:
            SessionIdError: the id cannot be part of a file name.
        """
        if session_id is not None:
            check_id(session_id)
        header = new_header(session_id or new_session_id(), cwd, parent_session)
        return cls(header, folder and os.path.join(folder, _name_of(header)), entries=entries)

    @classmethod
    def open(cls, path: str, cwd: str) -> "Session":
        """The session of a file, its leaf at the last entry; an empty file is a new session of `cwd`.

        A file of version 1 or 2 is continued in another one (`continuation`), from the first entry that is added.

        Raises:
            InvalidSessionError: the file is no session.
            OSError: it cannot be read.
        """
        if is_empty_file(path):
            return cls(new_header(new_session_id(), cwd), path)
        log = SessionLog.open(path)
        if not log.is_old:
            return cls(log.header, path, log=log)
        header, new_path = continuation(path, log.header)
        if not os.path.exists(new_path) or is_empty_file(new_path):
            return cls(header, new_path, entries=log.entries)
        log = SessionLog.open(new_path)
        if log.is_old:
            raise InvalidSessionError(new_path, 1, "it goes on from an older file, and should be of version 3 itself")
        return cls(log.header, new_path, log=log)

    @property
    def is_saved(self) -> bool:
        """Whether there is a file."""
        return self._log is not None

    @property
    def log(self) -> SessionLog | None:
        """The file; None where nothing is written yet."""
        return self._log

    def move(self, leaf_id: str | None) -> None:
        """Let the next entry follow this one. Nothing is written. Raises EntryNotFoundError."""
        if leaf_id is not None and leaf_id not in self.tree:
            raise EntryNotFoundError(leaf_id)
        self.leaf_id = leaf_id

    def follow(self) -> list[Entry]:
        """What other programs appended since this was last asked; the leaf stays where it is.

        Raises:
            FileReplacedError: the file is not the one that was opened.
        """
        self._take_in()
        told, self._untold, self._refused = self._untold, [], 0
        return told

    def append(
        self,
        fields: JsonObject,
        *,
        entry_id: str | None = None,
        timestamp: str | None = None,
    ) -> Entry:
        """Add an entry behind the leaf and make it the leaf. `fields` are its type and what is its own.

        Raises:
            StaleTipError: another program appended since `follow` was last called, and the session is not `running`.
                The same entries do not refuse a second call.
            FileReplacedError: the file is not the one that was opened.
            OSError: it could not be written. In all these cases the session is as it was.
        """
        self._take_in()
        if (foreign := self._untold[self._refused :]) and not self.running:
            self._refused = len(self._untold)
            raise StaleTipError(foreign)
        body = _with_head(fields, entry_id or self.new_entry_id(), self.leaf_id, timestamp or now())
        entry = self._write(body)
        self.leaf_id = entry.id
        return entry

    def save(self) -> None:
        """Write the file now if the session has a user or assistant message. Raises as `append`."""
        if self.path and not self._log and any(map(_is_conversation, self._unsaved)):
            self._create(self.path, self._unsaved)

    def new_entry_id(self) -> str:
        """An id that no entry has."""
        return new_entry_id(self.tree)

    def _take_in(self) -> None:
        if self._log:
            self._untold += self._log.follow()

    def _write(self, body: JsonObject) -> Entry:
        if self._log:
            entry, between = self._log.append(body)
            self._untold += between
            return entry
        entry = Entry.of(body)
        entries = [*self._unsaved, entry]
        if self.path and any(map(_is_conversation, entries)):
            self._create(self.path, entries)
            return self.tree.get(entry.id) or entry
        self._unsaved = entries
        self.tree.add(entry)
        return entry

    def _create(self, path: str, entries: Iterable[Entry]) -> None:
        create_file(path, chain([encode_line(self.header)], map(_record, entries)))
        self._log = SessionLog.open(path)
        self.tree = self._log.tree
        self._unsaved = []


def new_header(session_id: str, cwd: str, parent_session: str | None = None) -> JsonObject:
    """The header of a new session. `parent_session` is the path of the session that it came from."""
    header: JsonObject = {"type": "session", "version": VERSION, "id": session_id, "timestamp": now(), "cwd": cwd}
    return header if parent_session is None else {**header, "parentSession": parent_session}


def continuation(path: str, old: JsonObject) -> tuple[JsonObject, str]:
    """The header and the path of the file in which a session of version 1 or 2, of that header, goes on.

    Name and id follow from the old session's, so that there is one such file and it is found without searching.
    """
    session_id = str(uuid.uuid5(_CONTINUATIONS, to_utf8(as_str(old.get("id"))).decode()))
    begun = as_str(old.get("timestamp"))
    name = file_name(begun if to_milliseconds(begun) is not None else "1970-01-01T00:00:00.000Z", session_id)
    header = new_header(session_id, as_str(old.get("cwd")), os.path.abspath(path))
    return header, os.path.join(os.path.dirname(path), name)


def _name_of(header: JsonObject) -> str:
    return file_name(as_str(header.get("timestamp")), as_str(header.get("id")))


def _with_head(fields: JsonObject, entry_id: str, parent_id: str | None, timestamp: str) -> JsonObject:
    """A whole entry, its keys in the order in which Pi writes them."""
    head: JsonObject = {"id": entry_id, "parentId": parent_id, "timestamp": timestamp}
    if fields.get("type") in _FIELDS_FIRST:
        return {**fields, **head}
    return {"type": fields.get("type"), **head, **fields}


def _record(entry: Entry) -> bytes:
    return entry.line + b"\n" if isinstance(entry, StoredEntry) else encode_line(entry.body)


def _is_conversation(entry: Entry) -> bool:
    return entry.type == "message" and role_of(entry.message) in ("user", "assistant")
