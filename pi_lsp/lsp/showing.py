"""What an editor without a client of ours can show: messages, choices, progress, pages."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pi_lsp.base.paths import path_to_uri

# pygls leaves the futures of its tokens untyped.
# pyright: reportUnknownMemberType=false

R = TypeVar("R")
Report: TypeAlias = Callable[[str], object]

SCHEME = "pi"
FOLDER_PREFIX = "pi-lsp-pages-"
MOST_CHOICES = 10
LONGEST_CHOICE = 60
"""Characters of a choice."""


class Screen:
    """The client's windows. What it cannot do is done with a message."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._folder: str | None = None

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
        titles = [f"{place + 1}. {choice[:LONGEST_CHOICE]}" for place, choice in enumerate(choices[:MOST_CHOICES])]
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

    async def page(self, name: str, argument: str, session_id: str, text: Callable[[], Awaitable[str]]) -> None:
        """Open a page: as a document of ours where the client asks for its text, else as a file."""
        if self._takes_content:
            uri = f"{SCHEME}:/{name}/{session_id}" + (f"?{quote(argument)}" if argument else "")
            await self._refresh(uri)
            await self.open(uri)
        else:
            await self.open(await asyncio.to_thread(self.write, f"pi-{name}.md", await text()))

    def write(self, name: str, text: str) -> str:
        """Write a file of that name into a folder that goes when the server does; gives its URI."""
        import tempfile  # noqa: PLC0415  not on the way to the initialize reply

        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
        path = Path(self._folder, name)
        path.write_text(text, encoding="utf-8")
        return path_to_uri(str(path))

    async def open(self, uri: str) -> None:
        """Let the client open a document."""
        window = self._server.client_capabilities.window
        if window and window.show_document and window.show_document.support:
            await self._server.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True))
        else:
            self.message(f"Open {uri}")

    def close(self) -> None:
        """Take the files away."""
        import shutil  # noqa: PLC0415  not on the way to the initialize reply

        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

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


def is_page(path: str) -> bool:
    """Whether a file is one that `Screen.write` made."""
    return os.path.basename(os.path.dirname(path)).startswith(FOLDER_PREFIX)
