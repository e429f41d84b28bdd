"""One scripted model for both programs: the strict local API in a thread, and a home whose files lead to it."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from tests.support.api_server import ApiServer
from tests.support.editor import Home
from tests.support.waiting import PATIENCE_S

MODEL = "claude-sonnet-4-5"
OTHER_MODEL = "claude-haiku-4-5"


def use_local_api(home: Home, url: str, **settings: object) -> None:
    """Let Pi and pi-lsp ask the local server in this home: its `models.json` and `settings.json`."""
    provider = {"baseUrl": url, "apiKey": "local"}
    (home.agent / "models.json").write_text(json.dumps({"providers": {"anthropic": provider}}))
    own = {"defaultProvider": "anthropic", "defaultModel": MODEL, "defaultThinkingLevel": "off", **settings}
    (home.agent / "settings.json").write_text(json.dumps(own))


@contextmanager
def local_api() -> Iterator[ApiServer]:
    """The server in a thread of its own, for tests that wait for processes. Its lists may be used from any thread."""
    loop, started = asyncio.new_event_loop(), Future[ApiServer]()

    async def run(server: ApiServer, stop: asyncio.Event) -> None:
        async with server:
            started.set_result(server)
            await stop.wait()

    stop = asyncio.Event()
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(run(ApiServer(unchecked_agent="pi/"), stop)), daemon=True
    )
    thread.start()
    try:
        yield started.result(PATIENCE_S)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)
        loop.close()
