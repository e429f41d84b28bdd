"""The server of one editor window over stdio: all features put together."""

import logging
import sys
from typing import Any

from lsprotocol import types

from pi_lsp.api.names import METHOD_NAMES
from pi_lsp.base.memory import collect_rarely
from pi_lsp.lsp import commands, configuration, documents, events, folders, hover, stdio, watching
from pi_lsp.lsp.language_server import PiServer

SWITCH_S = 0.0002
"""So soon a thread that computes makes room for one that waits, as the event loop does at each file that it reads: it
is not to wait for Python's 5 ms a hundred times while a vocabulary or the SDK is loaded."""

FEATURES = (documents, hover, watching, folders, configuration, events, commands)


def make_server() -> PiServer:
    """A server that answers, not connected yet."""
    server = PiServer()
    connection = server.connection
    server.rpc.custom_handler = lambda name: _method_handler(server, name)

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        connection.initialize(params)

    @server.feature(types.INITIALIZED)
    def _(_params: types.InitializedParams) -> None:
        connection.begin()

    @server.feature(types.SHUTDOWN)
    async def _(_params: None) -> None:
        await connection.end()

    for feature in FEATURES:
        feature.register(server)
    return server


def serve() -> int:
    """Serve standard input and output until the client leaves.

    Returns:
        The exit code: 0 after `shutdown`, 1 when the client left without it (as LSP asks).
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # pygls logs a traceback for every request that is refused; what matters of it, our protocol logs itself.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    collect_rarely()
    sys.setswitchinterval(SWITCH_S)
    reader, writer = stdio.claim()
    server = make_server()
    outlet = stdio.Outlet(writer)
    server.serve(stdio.Inlet(reader, outlet), outlet)
    server.connection.close()  # where the client left without `shutdown`
    outlet.close()
    return 0 if server.rpc.was_shut_down else 1


def _method_handler(server: PiServer, name: str) -> Any:
    """The handler of a pi/ method, None for other names; what answers is loaded with the first one."""
    if name not in METHOD_NAMES:
        return None
    connection = server.connection

    async def handle(params: Any) -> Any:
        await connection.load_engine()
        connection.count_tokens()
        from pi_lsp.lsp.methods import answer_named  # noqa: PLC0415  there by now

        return await answer_named(name, connection.window, params, connection.screen)

    return handle
