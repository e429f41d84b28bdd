"""Workspace folders that are added and removed while the window is open."""

from lsprotocol import types

from pi_lsp.base.paths import uri_to_path
from pi_lsp.lsp.language_server import PiServer


def register(server: PiServer) -> None:
    """Keep the window's folders those of the client."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _(params: types.DidChangeWorkspaceFoldersParams) -> None:
        removed = {uri_to_path(folder.uri) for folder in params.event.removed}
        added = (uri_to_path(folder.uri) for folder in params.event.added)
        window = server.connection.window
        kept = (folder for folder in window.workspace.folders if folder not in removed)
        window.set_folders([*kept, *filter(None, added)])
