"""The client's settings, fetched again when it says that they changed."""

from lsprotocol import types

from pi_lsp.lsp.language_server import PiServer


def register(server: PiServer) -> None:
    """Listen to changes of settings."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def _(params: types.DidChangeConfigurationParams) -> None:
        window = server.connection.window
        await window.ready()  # the settings of the start come first
        window.set_client_settings(await server.connection.fetch_settings(pushed=params.settings))

    server.connection.beside.append(lambda _: _ask_to_be_told(server))


async def _ask_to_be_told(server: PiServer) -> None:
    """Ask the client to say when its section `pi` changes."""
    workspace = server.client_capabilities.workspace
    configuration = workspace and workspace.did_change_configuration
    if configuration and configuration.dynamic_registration:
        options = types.DidChangeConfigurationRegistrationOptions(section="pi")
        await server.register_with_client(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
