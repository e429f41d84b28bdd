"""pygls' server as the features know it: our protocol, what the client can do, and the one connection."""

import asyncio
import logging
from json import JSONDecodeError
from threading import Event
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from pi_lsp import __version__
from pi_lsp.api.names import METHOD_NAMES, VERSION
from pi_lsp.lsp.lifecycle import Connection
from pi_lsp.lsp.protocol import PiProtocol, make_converter
from pi_lsp.lsp.showing import SCHEME

if TYPE_CHECKING:
    from pi_lsp.lsp.stdio import Inlet, Outlet

logger = logging.getLogger(__name__)


class PiServer(LanguageServer):
    """pygls' server with our protocol; errors go to the log, never to a pop-up."""

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  pygls leaves *args untyped
            "pi-lsp",
            __version__,
            protocol_cls=PiProtocol,
            converter_factory=make_converter,
        )
        self.connection = Connection(self)
        self.rpc.amend = self._amend

    def serve(self, inlet: "Inlet", outlet: "Outlet") -> None:
        """Serve one client until it leaves: as `start_io`, whose reader is a thread and whose streams block."""
        self.protocol.set_writer(StdoutWriter(cast("BinaryIO", outlet)))
        try:
            asyncio.run(run_async(Event(), inlet, self.protocol, logger, self.report_server_error))
        except (BrokenPipeError, KeyboardInterrupt, SystemExit) as end:
            logger.info("the connection ends: %r", end)
        finally:
            self.shutdown()

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
        """Log what failed; a body that is no JSON is answered as such, and a request that is refused was answered."""
        if isinstance(error, JSONDecodeError | UnicodeDecodeError | RecursionError):
            self.rpc.answer_unreadable(error)
        elif isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            logger.info("%s: %s", getattr(source, "__name__", source), error)
            return
        logger.error("%s: %s", getattr(source, "__name__", source), error)

    def _amend(self, capabilities: types.ServerCapabilities) -> None:
        capabilities.experimental = {"pi": {"version": VERSION, "methods": list(METHOD_NAMES)}}
        if self.connection.client is not None:
            # VS Code's client registers every command that it hears of: ours have commands of those names.
            capabilities.execute_command_provider = None
            capabilities.code_lens_provider = None
        elif capabilities.workspace:
            content = types.TextDocumentContentOptions(schemes=[SCHEME])
            capabilities.workspace.text_document_content = content
