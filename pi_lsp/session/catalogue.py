"""Which sessions there are: read from the head and the tail of each file, and remembered while it does not change.

A session file may be gigabytes long, so none is read whole unless it is small; what its head and tail do not tell is
left out.
"""

import os
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

import msgspec

from pi_lsp.base import paths
from pi_lsp.base.json import JsonObject, as_int, as_object, as_str, decode, objects
from pi_lsp.base.text import JS_SPACE, one_line
from pi_lsp.session.errors import InvalidSessionError
from pi_lsp.session.index import Index, parse_lines, read_header, read_values
from pi_lsp.session.lines import Read
from pi_lsp.session.messages import role_of, text_of
from pi_lsp.session.migrate import VERSION, version_of
from pi_lsp.session.source import Source
from pi_lsp.session.store import continuation
from pi_lsp.session.times import from_milliseconds, to_milliseconds

PART_BYTES = 64 << 10
"""So much is read of each end of a file; one of twice that is read whole."""
MAX_HEAD_BYTES = 1 << 20
"""So much of the head is searched for the header and the first user message."""


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A session as a list shows it. What is not known without reading the whole file is None."""

    id: str
    file: str
    cwd: str
    modified: str
    """When the last user or assistant message was written, else when the file was."""
    bytes: int
    name: str | None = None
    first_message: str | None = None
    """A preview of the first user message, on one line."""
    entries: int | None = None
    parent_session: str | None = None
    """The path of the session that this one was made from."""
    continued_in: str | None = None
    """For a file of version 1 or 2: the path of the version 3 file in which it goes on."""


class BrokenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file among the sessions that is none or cannot be read, or a folder of sessions that cannot."""

    file: str
    reason: str


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions of one or more folders, newest first, and what else stands among them."""

    sessions: list[SessionInfo]
    problems: list[BrokenFile]


class _Stamp(NamedTuple):
    size: int
    mtime_ns: int


class Catalogue:
    """Lists sessions, and reads a file again only when its size or time has changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, SessionInfo | BrokenFile]] = {}

    def in_folder(self, folder: str) -> Listing:
        """The sessions of one folder; none where it does not exist."""
        return self._listing([folder])

    def everywhere(self, sessions_dir: str) -> Listing:
        """The sessions of all folders in `<agent folder>/sessions`."""
        try:
            names = _names(sessions_dir)
        except OSError as error:
            return Listing(sessions=[], problems=[_broken(sessions_dir, error)])
        return self._listing(os.path.join(sessions_dir, name) for name in names)

    def _listing(self, folders: Iterable[str]) -> Listing:
        found = [info for folder in folders for info in self._infos(folder)]
        sessions = [info for info in found if isinstance(info, SessionInfo)]
        return Listing(
            sessions=sorted(sessions, key=attrgetter("modified", "file"), reverse=True),
            problems=[info for info in found if isinstance(info, BrokenFile)],
        )

    def _infos(self, folder: str) -> Iterator[SessionInfo | BrokenFile]:
        try:
            files = _session_files(folder)
        except OSError as error:
            yield _broken(folder, error)
        else:
            yield from map(self._look, files)

    def _look(self, file: str) -> SessionInfo | BrokenFile:
        try:
            status = os.stat(file)
        except OSError as error:
            return _broken(file, error)
        stamp = _Stamp(status.st_size, status.st_mtime_ns)
        known = self._known.get(file)
        if known is None or known[0] != stamp:
            known = self._known[file] = stamp, describe(file)
        info = known[1]
        if isinstance(info, SessionInfo) and info.continued_in and not os.path.exists(info.continued_in):
            return msgspec.structs.replace(info, continued_in=None)
        return info


def describe(file: str) -> SessionInfo | BrokenFile:
    """What the head and the tail of a file tell of its session. `continued_in` need not exist."""
    try:
        source = Source(file)
        status = source.stat()
        whole = status.st_size <= 2 * PART_BYTES
        index = Index(source.read if whole else _head_of(source))
        header = read_header(index, file).header
        head = list(objects(read_values(index)) if whole else _head_entries(index))
        tail = head if whole else _read_tail(source, status.st_size - PART_BYTES)
    except InvalidSessionError as error:
        return BrokenFile(file=file, reason=str(error))
    except OSError as error:
        return _broken(file, error)
    times = [time for entry in tail if (time := _activity(entry)) is not None]
    parent = header.get("parentSession")
    return SessionInfo(
        id=as_str(header.get("id")),
        file=file,
        cwd=as_str(header.get("cwd")),
        modified=from_milliseconds(max(times, default=status.st_mtime_ns // 1_000_000)) or "",
        bytes=status.st_size,
        name=_name([*head, *tail]),
        first_message=next((text for entry in head if (text := _user_text(entry))), None),
        entries=len({as_str(entry.get("id")) for entry in head} - {""}) if whole else None,
        parent_session=parent if isinstance(parent, str) else None,
        continued_in=continuation(file, header)[1] if version_of(header) < VERSION else None,
    )


def newest(folder: str, cwd: str | None = None) -> str | None:
    """The session file of a folder that was written last; `cwd`: the last one of that working directory."""
    try:
        files = _session_files(folder)
    except OSError:
        return None
    for file in sorted(files, key=_written, reverse=True):
        try:
            header = read_header(Index(_head_of(Source(file))), file).header
        except (InvalidSessionError, OSError):
            continue
        if cwd is None or paths.absolute(as_str(header.get("cwd"))) == paths.absolute(cwd):
            return file
    return None


def _head_of(source: Source) -> Read:
    """Reads the first `MAX_HEAD_BYTES`, in small parts."""
    return lambda offset, length: source.read(offset, max(0, min(length, PART_BYTES, MAX_HEAD_BYTES - offset)))


def _head_entries(index: Index) -> Iterator[JsonObject]:
    """The entries of the first `PART_BYTES`, and on to the first user message."""
    asked = False
    for _, value in index.records(decode):
        entry = as_object(value)
        yield entry
        asked = asked or bool(_user_text(entry))
        if asked and index.position >= PART_BYTES:
            return


def _read_tail(source: Source, start: int) -> list[JsonObject]:
    """The entries that begin behind `start` (an entry that begins right there included)."""
    _, _, lines = source.read(start - 1, PART_BYTES + 1).partition(b"\n")
    return list(objects(parse_lines(lines)))


def _user_text(entry: JsonObject) -> str:
    """The begin of a user message's text, on one line; empty for anything else."""
    message = as_object(entry.get("message"))
    return one_line(text_of(message, " ")) if role_of(message) == "user" else ""


def _activity(entry: JsonObject) -> int | None:
    """When a user or assistant message was written, in ms; None for anything else."""
    message = as_object(entry.get("message"))
    if role_of(message) not in ("user", "assistant"):
        return None
    written = message.get("timestamp")
    is_time = isinstance(written, int | float) and from_milliseconds(written) is not None
    return as_int(written) if is_time else to_milliseconds(as_str(entry.get("timestamp")))


def _name(entries: Iterable[JsonObject]) -> str | None:
    names = [as_str(entry.get("name")) for entry in entries if entry.get("type") == "session_info"]
    return (names[-1].strip(JS_SPACE) if names else "") or None


def _written(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _broken(file: str, error: OSError) -> BrokenFile:
    return BrokenFile(file=file, reason=error.strerror or str(error))


def _session_files(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in _names(folder) if name.endswith(".jsonl")]


def _names(folder: str) -> list[str]:
    """What stands in a folder; nothing where there is none. Raises OSError where it cannot be looked into."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
