"""The client's settings, fetched again when it says that they changed; and a log of what is wrong in any settings."""

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from pi_lsp.lsp.language_server import PiServer

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window

logger = logging.getLogger(__name__)


def register(server: PiServer) -> None:
    """Listen to changes of settings."""
    told: set[str] = set()

    def log_problems(window: "Window") -> None:
        new = [problem for problem in window.now().problems if problem not in told]
        told.update(new)
        for problem in new:
            logger.warning("%s", problem)

    def hear(event: "Event") -> None:
        from pi_lsp.agent.events import ResourcesChanged  # noqa: PLC0415  the engine is there by now

        if isinstance(event, ResourcesChanged) and event.settings:
            log_problems(server.connection.window)

    async def begin(window: "Window") -> None:
        await window.ready()
        log_problems(window)

    server.connection.listeners.append(hear)
    server.connection.beside.append(begin)

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
