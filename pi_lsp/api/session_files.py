"""`pi/session/fork`, `clone`, `rename`, `delete`: what is done with whole sessions."""

import asyncio
import os
from collections.abc import Callable, Iterator

from pi_lsp.agent.committing import commit
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import SessionChanged
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.places import path_of
from pi_lsp.api.refusals import refusals
from pi_lsp.api.sessions import Opened
from pi_lsp.api.state import state
from pi_lsp.base.paths import is_within
from pi_lsp.base.wire import Wire
from pi_lsp.session.actions import append_at_tip, append_name
from pi_lsp.session.entries import Entry
from pi_lsp.session.fork import fork
from pi_lsp.session.log import SessionLog
from pi_lsp.session.messages import role_of, text_of
from pi_lsp.session.presence import is_open_elsewhere
from pi_lsp.session.store import Session


class ForkParams(Wire, frozen=True, kw_only=True):
    """The user's message that shall be said anew, in a session of its own."""

    entry_id: str


class RenameParams(Wire, frozen=True, kw_only=True):
    """The session's name; an empty one takes it away."""

    name: str


class RenameResult(Wire, frozen=True, kw_only=True):
    """The result of `pi/session/rename`: nothing."""


class DeleteParams(Wire, frozen=True, kw_only=True):
    """The path or URI of a session file."""

    file: str


class DeleteResult(Wire, frozen=True, kw_only=True):
    """The result of `pi/session/delete`: nothing."""


async def fork_session(window: Window, params: ForkParams) -> Opened:
    """Go on in a new session that has what stands before a message of the user; its text comes back.

    Raises RefusedError for another entry, for a session that is not written, and while something is going on.
    """

    def make(conversation: Conversation) -> tuple[Session, str | None]:
        entry = conversation.entry(params.entry_id)
        if entry.type != "message" or role_of(message := entry.message) != "user":
            raise RefusedError("notFound", f"{entry.id} is no message of the user; fork from one of those")
        before = conversation.session.tree.parent(entry)
        return fork(_written(conversation), before.id if before else None), text_of(message, "")

    return await _go_over(window, make)


async def clone_session(window: Window, _params: object) -> Opened:
    """Go on in a copy of the path to the leaf. Raises RefusedError as `fork_session`."""
    return await _go_over(window, lambda conversation: (fork(_written(conversation), conversation.leaf_id), None))


async def rename_session(window: Window, params: RenameParams) -> RenameResult:
    """Name the session; also while something is going on. The name stands at the file's tip."""

    def append(conversation: Conversation) -> Iterator[Entry]:
        yield append_at_tip(conversation.session, lambda session: append_name(session, params.name))

    with refusals():
        await commit(window, append)
    window.emit(SessionChanged())
    return RenameResult()


async def delete_session(window: Window, params: DeleteParams) -> DeleteResult:
    """Move a session file to the trash.

    Raises RefusedError for the window's own, one in use, and what is no session in one of the folders for sessions.
    """
    path = path_of("file", params.file)
    current = await window.in_session(lambda conversation: conversation.session.path)
    with refusals():
        await asyncio.to_thread(_to_trash, path, current, window)
    return DeleteResult()


def _to_trash(path: str, current: str | None, window: Window) -> None:
    import send2trash  # noqa: PLC0415  hardly ever needed

    if current and os.path.realpath(current) == os.path.realpath(path):
        raise RefusedError("busy", "this is the window's own session: open another one first")
    if not os.path.isfile(path):
        raise RefusedError("notFound", f"{path} does not exist")
    folder = os.path.realpath(os.path.dirname(path))
    if not any(is_within(os.path.realpath(allowed), folder) for allowed in window.session_folders()):
        raise RefusedError("notFound", f"{path} lies in no folder for sessions: delete it yourself")
    SessionLog.open(path)  # nothing but a session is deleted
    if is_open_elsewhere(path):
        raise RefusedError("busy", f"{path} is open in another window")
    try:
        send2trash.send2trash(path)
    except OSError as error:
        raise RefusedError("readOnly", f"{path} could not be moved to the trash: {error}") from error


def _written(conversation: Conversation) -> Session:
    if not conversation.session.is_saved:
        raise RefusedError("notFound", "this session is not written yet: say something first")
    return conversation.session


async def _go_over(window: Window, make: Callable[[Conversation], tuple[Session, str | None]]) -> Opened:
    editor_text: str | None = None

    def go_over(conversation: Conversation) -> Session:
        nonlocal editor_text
        session, editor_text = make(conversation)
        return session

    with refusals():
        await window.operations.run("switching", lambda: window.replace_session(go_over))
    return Opened(state=await state(window, None), editor_text=editor_text)
