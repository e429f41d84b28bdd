"""Which session a window begins with (protocol.md, Start)."""

import os
import time

import msgspec

from pi_lsp.session.append import is_empty_file
from pi_lsp.session.catalogue import newest
from pi_lsp.session.errors import InvalidSessionError
from pi_lsp.session.location import default_session_dir, session_dir
from pi_lsp.session.presence import is_open_elsewhere
from pi_lsp.session.store import Session

RECENT_S = 600
"""A session that was written so lately by a program we do not know may still be in use there."""

SUFFIX = ".jsonl"
"""What the name of a session file ends with."""


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The session a window begins with."""

    session: Session
    offered: str | None = None
    """The path of the newest session, where it was left alone since somebody may be using it."""
    problem: str | None = None
    """Why the session that was asked for could not be opened; a new one was begun."""


def open_session(path: str, place: str) -> Session:
    """Open a session file. An empty one is a session that has not begun, if it is called like one.

    Raises:
        InvalidSessionError: it is none; it is left as it is.
        OSError: it cannot be read, or is no regular file.
    """
    if not path.endswith(SUFFIX) and is_empty_file(path):
        raise InvalidSessionError(path, 1, f"it is empty, and its name does not end in {SUFFIX}")
    return Session.open(path, place)


def folder_for(cwd: str, agent_dir: str, setting: str | None) -> str:
    """The folder of the sessions of a working directory."""
    return session_dir(cwd, agent_dir, setting=setting)


def open_first(wish: str, cwd: str | None, agent_dir: str, setting: str | None) -> Opening:
    """Open what `initialize` asked for: `continue`, `new`, or the path of a file.

    Whatever goes wrong, the window gets a session; a new one is written at its first message, and never where there
    is no working directory.
    """
    if cwd is None and wish in ("continue", "new"):
        return Opening(session=Session.new(None, agent_dir))
    place = cwd or agent_dir
    folder = folder_for(place, agent_dir, setting) if cwd else None
    path = wish
    if wish in ("continue", "new"):
        is_shared = folder != default_session_dir(place, agent_dir)
        found = newest(folder, cwd if is_shared else None) if folder and wish == "continue" else None
        if found is None:
            return Opening(session=Session.new(folder, place))
        if is_open_elsewhere(found) or _age_s(found) < RECENT_S:
            return Opening(session=Session.new(folder, place), offered=found)
        path = found
    try:
        return Opening(session=open_session(path, place))
    except (OSError, ValueError) as error:  # also what no file can be called
        return Opening(session=Session.new(folder, place), problem=str(error))


def _age_s(path: str) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return RECENT_S
