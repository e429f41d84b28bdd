"""What an editor without a client of ours can show: messages, choices, progress, pages."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pi_lsp.base.paths import is_within, path_to_uri, uri_to_path
from pi_lsp.base.text import one_line

# pygls leaves the futures of its tokens untyped.
# pyright: reportUnknownMemberType=false

R = TypeVar("R")
Report: TypeAlias = Callable[[str], object]

SCHEME = "pi"
FOLDER_PREFIX = "pi-lsp-pages-"
MOST_CHOICES = 10
LONGEST_CHOICE = 60
"""UTF-16 units of a choice."""


class Shown(NamedTuple):
    """The text of a page, and the line (from 0) that is looked at first."""

    text: str
    line: int = 0


class Draft(NamedTuple):
    """A page to write on, as it was when it was opened."""

    path: str
    text: str


class Screen:
    """The client's windows. What it cannot do is done with a message."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._folder: str | None = None
        self._written: dict[str, tuple[str, str]] = {}
        self.drafts: dict[str, Draft] = {}
        """The pages that were opened last to write on, by their names; those that were passed on are gone."""

    def message(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Tell a sentence."""
        self._server.window_show_message(types.ShowMessageParams(type=kind, message=text))

    async def offer(self, text: str, button: str, *, otherwise: str) -> bool:
        """Tell a sentence with a button, and say whether it was pressed; `otherwise` where the client shows none."""
        window = self._server.client_capabilities.window
        if not window or not window.show_message:
            self.message(otherwise)
            return False
        actions = [types.MessageActionItem(button)]
        params = types.ShowMessageRequestParams(type=types.MessageType.Info, message=text, actions=actions)
        try:
            answer = await self._server.window_show_message_request_async(params)
        except JsonRpcException:
            self.message(otherwise)
            return False
        return bool(answer and answer.title == button)

    async def choose(self, question: str, choices: Sequence[str]) -> int | None:
        """Which of at most ten choices is taken; None: none."""
        titles: list[str] = []
        for choice in choices[:MOST_CHOICES]:  # not numbered: clients that show a list number it themselves
            titles.append(_another(one_line(choice, LONGEST_CHOICE) or "(without text)", titles))
        answer = await self._server.window_show_message_request_async(
            types.ShowMessageRequestParams(
                type=types.MessageType.Info,
                message=question,
                actions=[types.MessageActionItem(title) for title in titles],
            )
        )
        return titles.index(answer.title) if answer and answer.title in titles else None

    async def progress(
        self, title: str, work: Callable[[Report], Coroutine[Any, Any, R]], *, token: int | str | None = None
    ) -> R:
        """Do a piece of work under a progress that can be cancelled; the work is then cancelled, too.

        `token` is the client's own, given with a request; without one a progress is begun where the client shows any.
        """
        progress = self._server.work_done_progress
        if token is None:
            window = self._server.client_capabilities.window
            if not window or not window.work_done_progress:
                return await work(lambda _: None)
            token = str(uuid4())
            await progress.create_async(token)
        elif token in progress.tokens:  # another request has it, and is not answered yet
            return await work(lambda _: None)
        task = asyncio.create_task(
            work(lambda text: progress.report(token, types.WorkDoneProgressReport(message=text)))
        )
        cancelled: Future[None] = Future()
        cancelled.add_done_callback(lambda _: task.cancel())
        progress.tokens[token] = cancelled
        progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
        try:
            return await task
        finally:
            progress.end(token, types.WorkDoneProgressEnd())
            progress.tokens.pop(token, None)  # pygls keeps them for ever

    async def page(
        self, name: str, argument: str, session_id: str, make: Callable[[], Coroutine[Any, Any, Shown]]
    ) -> None:
        """Open a page: as a document of ours where the client asks for its text, else as a file."""
        if self._takes_content:
            uri = f"{SCHEME}:/{name}/{session_id}" + (f"?{quote(argument)}" if argument else "")
            await self._refresh(uri)
            await self.open(uri)
            return
        shown = await make()
        text, uri = self._written.get(name, ("", ""))
        if text != shown.text:
            uri = await asyncio.to_thread(self.write, f"pi-{name}.md", shown.text)
            self._written[name] = shown.text, uri
        await self.open(uri, shown.line)

    async def invite(self, name: str, text: str) -> None:
        """Open a page to write on, of that file name and with that text, at its end."""
        uri = await asyncio.to_thread(self.write, name, text)
        self.drafts[name] = Draft(uri_to_path(uri) or "", text)
        await self.open(uri, text.removesuffix("\n").count("\n"))

    def write(self, name: str, text: str) -> str:
        """Write a file of that name into a folder that goes when the server does; gives its URI.

        Each is a new one: a client need not look again at a file that it has open (Neovim does not), and what was
        written on a page stays there.
        """
        import tempfile  # noqa: PLC0415  not on the way to the initialize reply

        if self._folder is None:
            # Without links, as clients give the path back.
            self._folder = os.path.realpath(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        path = Path(tempfile.mkdtemp(prefix="", dir=self._folder), name)
        path.write_text(text, encoding="utf-8")
        return path_to_uri(str(path))

    def has_written(self, path: str) -> bool:
        """Whether a file is a page of ours, and not of another server."""
        return self._folder is not None and is_within(self._folder, path)

    async def open(self, uri: str, line: int = 0) -> None:
        """Let the client open a document, at a line that it has; tell its name where that fails."""
        if not await self._opens(uri, line):
            self.message(f"Open {uri}")

    def close(self) -> None:
        """Take the files away."""
        import shutil  # noqa: PLC0415  not on the way to the initialize reply

        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _opens(self, uri: str, line: int) -> bool:
        window = self._server.client_capabilities.window
        if not window or not window.show_document or not window.show_document.support:
            return False
        start = types.Position(line, 0)
        selection = types.Range(start, start) if line else None
        params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=selection)
        try:
            return (await self._server.window_show_document_async(params)).success
        except JsonRpcException:
            return False

    @property
    def _takes_content(self) -> bool:
        workspace = self._server.client_capabilities.workspace
        return bool(workspace and workspace.text_document_content)

    async def _refresh(self, uri: str) -> None:
        try:
            await self._server.workspace_text_document_content_refresh_async(
                types.TextDocumentContentRefreshParams(uri)
            )
        except Exception:  # it is not open yet, or the client cannot
            return


def _another(title: str, titles: Sequence[str]) -> str:
    """The title, numbered where there is such a one already: the answer is told by its title alone."""
    numbered = (f"{title} ({number})" for number in range(2, MOST_CHOICES + 2))
    return next(one for one in (title, *numbered) if one not in titles)
