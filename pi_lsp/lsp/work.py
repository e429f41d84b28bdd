"""One command at work: what it is given, how long it lasts, and what it shows."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pi_lsp.base.json import as_object, as_str
from pi_lsp.base.paths import uri_to_path
from pi_lsp.lsp.language_server import PiServer
from pi_lsp.lsp.showing import Draft, Report

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window

R = TypeVar("R")

ASK, EXPLAIN = "pi.ask", "pi.explain"
ASK_PAGE, EXPLAIN_PAGE = "pi-ask.md", "pi-explain.md"
LENSES = {ASK_PAGE: (ASK, "Send"), EXPLAIN_PAGE: (EXPLAIN, "Explain")}
"""The pages to write on: the command that takes the text, and what its lens is called."""
INVITATION = '<!-- Write below this line. Then choose "{1}" above it, or save and run {0} again. -->\n\n'

_INVITATION = re.compile(r"\A\s*<!-- Write below this line\b.*?-->", re.DOTALL)


class Work:
    """One command at work."""

    def __init__(self, server: PiServer) -> None:
        self.screen = server.connection.screen
        self._server = server

    @property
    def window(self) -> "Window":
        """The window that the command is for."""
        return self._server.connection.window

    async def progress(self, title: str, work: Callable[[Report], Coroutine[Any, Any, R]]) -> R:
        """Do a piece of work under a progress. Raises CancelledError where the client went meanwhile: what the work
        made of its cancellation, nobody is there to be told.
        """
        result = await self.screen.progress(title, work)
        task = asyncio.current_task()
        if task and task.cancelling():
            raise asyncio.CancelledError
        return result

    def listen(self, hear: "Callable[[Event], object]") -> None:
        """Hear what happens in the window."""
        self._server.connection.listeners.append(hear)

    def ignore(self, hear: "Callable[[Event], object]") -> None:
        """Hear no more."""
        self._server.connection.listeners.remove(hear)

    def text_of(self, argument: Any, page: str | None = None) -> tuple[str, Draft | None]:
        """The text of an argument, and the draft that it was: itself, or what is written on the page that it names.

        Without an argument it is the last page of the file name `page`, where that is open or was written on.
        """
        draft = self.screen.drafts.get(page or "")
        named = as_str(as_object(_plain(argument)).get("page"))
        if named:
            text = self._server.workspace.get_text_document(named).source
            draft = draft if draft and draft.path == uri_to_path(named) else None
        elif text := as_str(argument).strip():
            return text, None
        elif draft is None or (text := self._written_on(draft)) is None:
            return "", None
        return _INVITATION.sub("", text).strip(), draft

    def _written_on(self, draft: Draft) -> str | None:
        """What stands on a page; None where it may be out of sight and nothing was written on it."""
        workspace = self.window.workspace
        try:
            text = workspace.files.read(draft.path).decode(errors="replace")
        except OSError:
            return None
        return text if draft.path in workspace.buffers or text != draft.text else None

    @contextmanager
    def passing_on(self, page: str, draft: Draft | None) -> Generator[None, None, None]:
        """Let go of a draft; where what is done within is refused, it is there again."""
        if draft:
            del self.screen.drafts[page]
        try:
            yield
        except Exception:
            if draft:
                self.screen.drafts.setdefault(page, draft)
            raise

    async def show(self, name: str, argument: str = "") -> None:
        """Open a page of the window."""
        from pi_lsp.lsp.command_pages import PAGES  # noqa: PLC0415  not on the way to the initialize reply

        await self.window.ready()
        await self.screen.page(name, argument, self.window.session_id, lambda: PAGES[name](self.window, argument))

    async def invite(self, name: str, text: str = "") -> None:
        """Open a page to write on."""
        await self.screen.invite(name, INVITATION.format(*LENSES[name]) + text)


def _plain(value: Any) -> Any:
    """An argument as JSON: pygls makes tuples with names of objects."""
    return value._asdict() if hasattr(value, "_asdict") else value
