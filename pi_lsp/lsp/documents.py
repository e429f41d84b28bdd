"""Open documents become buffers of the workspace, so that rules and skills are read as they are typed."""

from lsprotocol import types

from pi_lsp.base.paths import uri_to_path
from pi_lsp.lsp.language_server import PiServer


def register(server: PiServer) -> None:
    """Keep the buffers in step with the editor."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        _update(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: types.DidChangeTextDocumentParams) -> None:
        _update(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _(params: types.DidCloseTextDocumentParams) -> None:
        path = uri_to_path(params.text_document.uri)
        if path is not None:
            server.connection.window.close_buffer(path)


def _update(server: PiServer, uri: str) -> None:
    path = uri_to_path(uri)
    if path is not None:
        server.connection.window.set_buffer(path, server.workspace.get_text_document(uri).source)
