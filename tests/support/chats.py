"""Windows that talk to the strict local API, over real HTTP and the real SDK."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import Event
from pi_lsp.agent.window import Window
from pi_lsp.api import chat as api
from pi_lsp.api.chat import ChatParams, ChatResult
from pi_lsp.base.json import JsonObject
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of, text_of
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.waiting import wait_until
from tests.support.windows import AT_ONCE, Place

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


class Talk:
    """A window, its model, and everything it was told."""

    def __init__(self, window: Window, server: ApiServer, place: Place) -> None:
        self.window = window
        self.server = server
        self.place = place
        self.events: list[Event] = []
        window.emit = self.events.append

    async def say(self, text: str, **fields: Any) -> ChatResult:
        return await api.chat(self.window, ChatParams(text=text, **fields))

    def begin(self, text: str, **fields: Any) -> "asyncio.Task[ChatResult]":
        """Say something without waiting for the end."""
        return asyncio.create_task(self.say(text, **fields))

    async def path(self) -> list[Entry]:
        return await self.window.in_session(lambda conversation: conversation.path(conversation.leaf_id))

    async def said(self) -> list[tuple[str, str]]:
        """Role and text of the messages on the path, without the system's."""
        messages = [entry.message for entry in await self.path() if entry.type == "message"]
        return [(role_of(message), text_of(message)) for message in messages if role_of(message) != "system"]

    def told(self, *kinds: type) -> list[Any]:
        """The events of these kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def stored(self) -> str:
        """The session file."""
        return self.place.session.read_text()


@asynccontextmanager
async def talking(
    root: Path, *, entries: list[dict[str, Any]] | None = None, settings: JsonObject | None = None, **server: Any
) -> AsyncIterator[Talk]:
    """A window on a new session, or on one with these entries. The server has refused nothing at the end."""
    place = Place(root, sample=False)
    if entries:
        place.write_session(entries)
    else:
        place.session.write_text("")
    with pytest.MonkeyPatch.context() as patch:
        for name in KEYS:
            patch.delenv(name, raising=False)
        async with ApiServer(**server) as running:
            patch.setenv("ANTHROPIC_BASE_URL", running.url)
            async with place.window(settings={**AT_ONCE, **(settings or {})}) as window:
                talk = Talk(window, running, place)
                yield talk
                await window.aclose()
    assert [rule for rule in running.refusals if rule != "context"] == []


class Api:
    """The strict API in a thread of its own, for servers that are processes."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.server = ApiServer()
        self._do(self.server.start())

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def will(self, *replies: Reply) -> None:
        self.server.replies[:] = replies

    def until(self, check: Callable[[], object]) -> None:
        wait_until(check)

    def stop(self) -> None:
        self._do(self.server.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        assert self.server.refusals == []
