"""The server of one editor window over stdio."""

import logging
import sys
from json import JSONDecodeError
from typing import Any, cast

from pygls.lsp.server import LanguageServer

from pi_lsp import __version__
from pi_lsp.lsp import stdio
from pi_lsp.lsp.protocol import PiProtocol, make_converter

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

    @property
    def rpc(self) -> PiProtocol:
        """The protocol of this connection."""
        return cast("PiProtocol", self.protocol)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what failed outside a request; a body that is no JSON is answered as such."""
        if isinstance(error, JSONDecodeError | UnicodeDecodeError):
            self.rpc.answer_unreadable(error)
        logger.error("%s: %s", getattr(source, "__name__", source), error)


def serve() -> int:
    """Serve standard input and output until the client leaves.

    Returns:
        The exit code: 0 after `shutdown`, 1 when the client left without it (as LSP asks).
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # pygls logs a traceback for every request that is refused; what matters of it, our protocol logs itself.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    reader, writer = stdio.claim()
    server = PiServer()
    server.start_io(reader, writer)
    return 0 if server.rpc.was_shut_down else 1
