"""A small LSP client of the pi/ methods: a server of ours as a child process over stdio, as an editor starts it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.protocol import LanguageServerProtocol

from pi_lsp import __version__
from pi_lsp.api.errors import RefusedError
from pi_lsp.base.json import JsonObject, as_object
from pi_lsp.base.paths import path_to_uri
from pi_lsp.base.wire import Wire
from pi_lsp.lsp.protocol import make_converter

# pygls leaves much untyped.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

ANSWER_S = 120.0
"""So long an answer is waited for: a session may be gigabytes long."""
LEAVE_S = 5.0
"""So long the server may take to end, before it is killed."""
STDERR_BYTES = 4096
"""So much of what the server says on standard error is kept, for the message when it dies."""


class ServerError(Exception):
    """The server did not answer, or answered with an error; the message says which."""


class _Protocol(LanguageServerProtocol):
    """Reads a message whole: pygls would take nested objects with a `jsonrpc` key for messages of their own."""

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        return data

    def handle_message(self, message: Any) -> None:
        super().handle_message(cast("Any", super().structure_message(message)))


class Client:
    """One connection. Make it by `start`."""

    def __init__(self) -> None:
        self._rpc = LanguageClient("pi-lsp", __version__, _Protocol, make_converter)
        self._stderr = b""
        self.messages: list[str] = []
        """What the server said by `window/showMessage`."""

        def show(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        def tell(params: JsonObject) -> None:
            self.on_event(as_object(params.get("event")))

        self.on_event: Callable[[JsonObject], object] = lambda _: None
        """What is called with each event of `pi/event`, in their order."""
        self._rpc.feature(types.WINDOW_SHOW_MESSAGE)(show)
        self._rpc.feature("pi/event")(tell)

    @classmethod
    @asynccontextmanager
    async def start(cls, command: Sequence[str], environ: Mapping[str, str]) -> AsyncGenerator[Self, None]:
        """Start a server and talk to it; it has ended when this is left, however it is left.

        Raises:
            OSError: the command cannot be run.
        """
        client = cls()
        await client._rpc.start_io(*command, env={**environ})
        server = client._rpc._server  # pyright: ignore[reportPrivateUsage]  pygls has no public way to it
        if server is None:
            raise ServerError("the server could not be started")
        listening = asyncio.create_task(client._listen(server))
        try:
            yield client
        finally:
            await client._leave(server)
            await listening

    async def initialize(self, folder: str, options: JsonObject) -> types.InitializeResult:
        """Open a window on a folder. `options` as protocol.md has them."""
        result = await self._request(
            types.INITIALIZE,
            types.InitializeParams(
                client_info=types.ClientInfo("pi-lsp demo", __version__),
                capabilities=types.ClientCapabilities(
                    text_document=types.TextDocumentClientCapabilities(
                        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown])
                    ),
                    experimental={"pi": {"events": True}},
                ),
                workspace_folders=[types.WorkspaceFolder(path_to_uri(folder), Path(folder).name)],
                initialization_options=options,
            ),
        )
        self._rpc.protocol.notify(types.INITIALIZED, types.InitializedParams())
        return result

    async def ask(self, method: str, params: Wire) -> Any:
        """The result of a pi/ method, as plain JSON.

        Raises:
            RefusedError: the server refuses, and says why.
            ServerError: there was no answer, or an error.
        """
        return await self._request(method, msgspec.to_builtins(params))

    def configure(self, settings: JsonObject) -> None:
        """Push settings: the client's section `pi`, whole. They count for requests that are sent later."""
        params = types.DidChangeConfigurationParams({"pi": settings})
        self._rpc.protocol.notify(types.WORKSPACE_DID_CHANGE_CONFIGURATION, params)

    async def hover(self, path: str, line: int, character: int) -> str | None:
        """Open a file and hover over a place (from 0, in UTF-16 units): the Markdown text, None where there is none.

        Raises ServerError, and OSError where the file cannot be read.
        """
        text = await asyncio.to_thread(Path(path).read_text, "utf-8", "replace")
        document = types.TextDocumentItem(path_to_uri(path), types.LanguageKind.Markdown, 1, text)
        self._rpc.protocol.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(document))
        identifier = types.TextDocumentIdentifier(document.uri)
        place = types.Position(line, character)
        hover = await self._request(types.TEXT_DOCUMENT_HOVER, types.HoverParams(identifier, place))
        self._rpc.protocol.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(identifier))
        return hover.contents.value if hover and isinstance(hover.contents, types.MarkupContent) else None

    async def _request(self, method: str, params: Any) -> Any:
        try:
            return await asyncio.wait_for(self._rpc.protocol.send_request_async(method, params), ANSWER_S)
        except JsonRpcException as error:
            reason = error.data.get("reason") if isinstance(error.data, dict) else None
            if error.code == types.LSPErrorCodes.RequestFailed and reason:
                raise RefusedError(reason, error.message) from None
            raise ServerError(f"{method}: {error.message}") from None
        except TimeoutError:
            raise ServerError(f"{method}: no answer within {ANSWER_S:.0f} s") from None
        except (RuntimeError, OSError) as error:  # the server is gone
            said = self._stderr.decode(errors="replace").strip()
            raise ServerError(f"{method}: {error}{': ' + said if said else ''}") from None

    async def _listen(self, server: asyncio.subprocess.Process) -> None:
        """Read standard error, so that the server never waits for us."""
        while server.stderr and (part := await server.stderr.read(STDERR_BYTES)):
            self._stderr = (self._stderr + part)[-STDERR_BYTES:]

    async def _leave(self, server: asyncio.subprocess.Process) -> None:
        """End the server as LSP asks; kill it where it does not go."""
        with suppress(ServerError, RefusedError, asyncio.TimeoutError):
            if server.returncode is not None:
                raise ServerError("it has ended already")
            await asyncio.wait_for(self._request(types.SHUTDOWN, None), LEAVE_S)
            self._rpc.protocol.notify(types.EXIT)
            await asyncio.wait_for(server.wait(), LEAVE_S)
        if server.returncode is None:
            with suppress(ProcessLookupError):
                server.kill()
        await self._rpc.stop()
