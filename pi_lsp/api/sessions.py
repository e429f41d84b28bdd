"""`pi/session/list`, `open`, `new`: which sessions there are, and which one the window has."""

import asyncio
import os

from pi_lsp.agent.opening import open_session as opened
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.places import path_of
from pi_lsp.api.refusals import refusals
from pi_lsp.api.state import State, state
from pi_lsp.base.wire import Wire
from pi_lsp.session.catalogue import SessionInfo
from pi_lsp.session.presence import is_open_elsewhere

DEFAULT_LIMIT = 100


class ListParams(Wire, frozen=True, kw_only=True):
    """`all`: of every working directory; `query`: words that stand in name, first message, folder or id."""

    all: bool = False
    query: str | None = None
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


class ListedSession(Wire, frozen=True, kw_only=True):
    """A session. What is not known without reading the whole file is left out."""

    id: str
    file: str
    name: str | None = None
    cwd: str
    first_message: str | None = None
    modified: str
    entries: int | None = None
    bytes: int
    current: bool
    open_elsewhere: bool
    continued_in: str | None = None


class SessionList(Wire, frozen=True, kw_only=True):
    """Sessions, newest first. `next` is the cursor of the next page; `problems` names files that are no sessions."""

    sessions: list[ListedSession]
    next: str | None = None
    problems: tuple[str, ...] = ()


class OpenParams(Wire, frozen=True, kw_only=True):
    """The path of a session file, or the id of one that `pi/session/list` knows."""

    file: str | None = None
    id: str | None = None


class NewParams(Wire, frozen=True, kw_only=True):
    """The new session's name, and its working directory where that is not the window's."""

    name: str | None = None
    cwd: str | None = None


class Opened(Wire, frozen=True, kw_only=True):
    """The window's state with its new session."""

    state: State
    editor_text: str | None = None


async def list_sessions(window: Window, params: ListParams) -> SessionList:
    """The sessions of the working directory, or all of them."""
    conversation_file = await window.in_session(lambda conversation: conversation.session.path)
    listing = await asyncio.to_thread(window.list_sessions, everywhere=params.all)
    found = [info for info in listing.sessions if _matches(info, params.query)]
    start = _after(found, params.cursor)
    page = found[start : start + max(params.limit, 0)]
    more = start + len(page) < len(found)
    return SessionList(
        sessions=[_listed(info, conversation_file) for info in page],
        next=page[-1].file if more and page else None,
        problems=tuple(f"{broken.file}: {broken.reason}" for broken in listing.problems),
    )


async def open_session(window: Window, params: OpenParams) -> Opened:
    """Go over to another session.

    Raises:
        ParamsError: neither a file nor an id is named, or not by a path or a file URI.
        RefusedError: there is no such session, it cannot be read, or something else is going on.
    """
    await window.ready()
    if params.file is not None:
        path = path_of("file", params.file)
    elif params.id is not None:
        path = await asyncio.to_thread(_file_of, window, params.id)
    else:
        raise ParamsError("expected `file` or `id`")
    with refusals():
        await window.operations.run("switching", lambda: _open(window, path))
    return Opened(state=await state(window, None))


async def new_session(window: Window, params: NewParams) -> Opened:
    """Begin a session. It is written at its first message.

    Raises:
        ParamsError: `cwd` is no path and no file URI.
        RefusedError: `cwd` is no folder, or something else is going on.
    """
    await window.ready()
    cwd = window.cwd
    if params.cwd is not None:
        cwd = path_of("cwd", params.cwd)
        if window.workspace.files.kind(cwd) != "dir":
            raise RefusedError("notFound", f"{cwd} is not a folder")
    with refusals():
        await window.operations.run("switching", lambda: _begin(window, cwd, params.name))
    return Opened(state=await state(window, None))


async def _open(window: Window, path: str) -> None:
    try:
        await window.replace_session(lambda _: opened(path, window.place))
    except OSError as error:
        why = f"{path}: {error.strerror}" if error.strerror else str(error)
        raise RefusedError("notFound", f"{why}. There is no session to open; choose another file.") from error


async def _begin(window: Window, cwd: str | None, name: str | None) -> None:
    window.cwd = cwd
    await window.replace_session(lambda _: window.begin_session(name))


def _listed(info: SessionInfo, current: str | None) -> ListedSession:
    is_current = current is not None and os.path.realpath(info.file) == os.path.realpath(current)
    return ListedSession(
        id=info.id,
        file=info.file,
        name=info.name,
        cwd=info.cwd,
        first_message=info.first_message,
        modified=info.modified,
        entries=info.entries,
        bytes=info.bytes,
        current=is_current,
        open_elsewhere=not is_current and is_open_elsewhere(info.file),
        continued_in=info.continued_in,
    )


def _matches(info: SessionInfo, query: str | None) -> bool:
    text = " ".join(filter(None, [info.name, info.first_message, info.cwd, info.id])).lower()
    return all(word in text for word in (query or "").lower().split())


def _after(found: list[SessionInfo], cursor: str | None) -> int:
    """The place behind the session that a cursor names; the start where it is gone."""
    return next((place + 1 for place, info in enumerate(found) if info.file == cursor), 0)


def _file_of(window: Window, session_id: str) -> str:
    for everywhere in (False, True):
        for info in window.list_sessions(everywhere=everywhere).sessions:
            if info.id == session_id:
                return info.file
    raise RefusedError("notFound", f"no session has the id {session_id}")
