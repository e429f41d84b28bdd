"""The server of one editor window over stdio."""

import logging
import sys
from json import JSONDecodeError
from typing import Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pi_lsp import __version__
from pi_lsp.api.names import METHOD_NAMES, VERSION
from pi_lsp.base.memory import collect_rarely
from pi_lsp.lsp import commands, configuration, documents, folders, hover, stdio, watching
from pi_lsp.lsp.lifecycle import Connection
from pi_lsp.lsp.protocol import PiProtocol, make_converter
from pi_lsp.lsp.showing import SCHEME

logger = logging.getLogger(__name__)

WORKERS = 2
"""Threads of pygls: one waits for standard input; our own work runs in asyncio's."""


class PiServer(LanguageServer):
    """pygls' server with our protocol; errors go to the log, never to a pop-up."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  pygls leaves *args untyped
            "pi-lsp",
            __version__,
            protocol_cls=PiProtocol,
            converter_factory=make_converter,
            max_workers=WORKERS,
        )
        self.connection = Connection(self)
        self.rpc.custom_handler = self._custom_handler
        self.rpc.amend = self._amend
        register(self)

    @property
    def rpc(self) -> PiProtocol:
        """The protocol of this connection."""
        return cast("PiProtocol", self.protocol)

    @property
    def position_encoding(self) -> str:
        """The unit of columns that was agreed on."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16

    @property
    def shows_markdown(self) -> bool:
        """Whether the client renders Markdown in hovers."""
        document = self.client_capabilities.text_document
        formats = (document and document.hover and document.hover.content_format) or ()
        return types.MarkupKind.Markdown in formats

    async def register_with_client(self, method: str, options: Any) -> bool:
        """Ask the client to send a notification that it sends to those who asked; whether it will."""
        registration = types.Registration(id=method, method=method, register_options=options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except Exception as error:
            logger.warning("the client refused to register %s: %s", method, error)
            return False
        return True

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what failed outside a request; a body that is no JSON is answered as such."""
        if isinstance(error, JSONDecodeError | UnicodeDecodeError | RecursionError):
            self.rpc.answer_unreadable(error)
        logger.error("%s: %s", getattr(source, "__name__", source), error)

    def _custom_handler(self, name: str) -> Any:
        """The handler of a pi/ method; what answers them is imported with the first one."""
        if name not in METHOD_NAMES:
            return None
        from pi_lsp.api.methods import METHODS  # noqa: PLC0415  not on the way to the initialize reply
        from pi_lsp.lsp.methods import handler  # noqa: PLC0415

        self.connection.count_tokens()
        method = next(method for method in METHODS if method.name == name)
        return handler(method, lambda: self.connection.window)

    def _amend(self, capabilities: types.ServerCapabilities) -> None:
        capabilities.experimental = {"pi": {"version": VERSION, "methods": list(METHOD_NAMES)}}
        if self.connection.client is not None:
            # VS Code's client registers every command that it hears of: ours have commands of those names.
            capabilities.execute_command_provider = None
            capabilities.code_lens_provider = None
        elif capabilities.workspace:
            content = types.TextDocumentContentOptions(schemes=[SCHEME])
            capabilities.workspace.text_document_content = content


def register(server: PiServer) -> None:
    """Register what the server answers, besides the pi/ methods."""
    connection = server.connection

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        connection.initialize(params)

    @server.feature(types.INITIALIZED)
    def _(_params: types.InitializedParams) -> None:
        connection.begin()

    @server.feature(types.SHUTDOWN)
    async def _(_params: None) -> None:
        await connection.end()

    for feature in (documents, hover, watching, folders, configuration, commands):
        feature.register(server)


def serve() -> int:
    """Serve standard input and output until the client leaves.

    Returns:
        The exit code: 0 after `shutdown`, 1 when the client left without it (as LSP asks).
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # pygls logs a traceback for every request that is refused; what matters of it, our protocol logs itself.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    collect_rarely()
    reader, writer = stdio.claim()
    server = PiServer()
    server.start_io(reader, writer)
    server.connection.close()  # where the client left without `shutdown`
    return 0 if server.rpc.was_shut_down else 1
