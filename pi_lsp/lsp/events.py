"""`pi/event`: what happens in the window, told to a client that wants to know, in the order in which it happened.

Warnings are shown by a message, too, whatever the client knows of us.
"""

from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types

from pi_lsp.lsp.language_server import PiServer

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window
    from pi_lsp.lsp.event_sender import EventSender


def register(server: PiServer) -> None:
    """Tell the events to a client that wants them, and warnings to everyone."""
    connection = server.connection

    @cache
    def sender() -> "EventSender":
        from pi_lsp.lsp.event_sender import EventSender  # noqa: PLC0415  not on the way to the initialize reply

        made = EventSender(server.rpc)
        server.rpc.before_answer = made.flush
        return made

    def hear(event: "Event") -> None:
        from pi_lsp.agent.events import Warned  # noqa: PLC0415  the engine is there by now

        if isinstance(event, Warned):
            connection.screen.message(f"pi: {event.message}", types.MessageType.Warning)
        if connection.wants_events:
            sender().put(connection.window, event)

    async def send(_: "Window") -> None:
        if connection.wants_events:
            await sender().run()

    connection.listeners.append(hear)
    connection.beside.append(send)
