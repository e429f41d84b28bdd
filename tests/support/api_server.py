"""A strict local server that speaks the Messages API over real HTTP.

It refuses what the API is known to refuse, enforces the window, computes what was readable from its cache, signs
thinking, and fails as the API does. Tests queue `Reply` values; without one it says how many messages it got.

By itself: `python -m tests.support.api_server --port 0 --script replies.json`, a JSON list of replies' fields; the
first line it prints is its address.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pi_lsp.context.model import Model
from pi_lsp.llm.models import models
from tests.support.api_server_cache import Cache
from tests.support.api_server_http import HttpRequest, begin_chunks, read_request, send_bytes, send_chunk, send_json
from tests.support.api_server_replies import Event, Reply, encode_event, events_of, message_of
from tests.support.api_server_rules import (
    TYPES,
    RefusalError,
    Signatures,
    check_body,
    check_headers,
    error_body,
    read_body,
)


class _CutError(Exception):
    """The script breaks the connection."""


@dataclass
class Recorded:
    """One request and what became of it."""

    raw: bytes
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)
    status: int = 0
    rule: str | None = None
    """The rule it broke."""
    usage: dict[str, Any] = field(default_factory=dict)
    sent: list[tuple[str, float]] = field(default_factory=list)
    """The name of each event and `time.perf_counter()` before it was sent."""
    gone: bool = False
    """The client went before the end."""


class ApiServer:
    """The server. `url` is for the client's `base_url`; `requests` are those it got, in order."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        window: int | None = None,
        find_model: Callable[[str], Model | None] = lambda name: models().get(name),
        unchecked_agent: str | None = None,
    ) -> None:
        """A server with an empty cache.

        Args:
            api_key: the only one that is taken; None takes any.
            window: tokens that a request may have, in place of the model's own.
            find_model: the models it has.
            unchecked_agent: the user agent, by its beginning, of a program whose requests are not ours to judge.
        """
        self.replies: list[Reply] = []
        self.requests: list[Recorded] = []
        self._api_key = api_key
        self.window = window
        self._find_model = find_model
        self._unchecked_agent = unchecked_agent
        self._cache = Cache()
        self._signatures = Signatures()
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        assert self._server
        return self._server.sockets[0].getsockname()[1]

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """One for each connection that is open."""
        return set(self._handlers)

    @property
    def refusals(self) -> list[str]:
        """The rules that were broken."""
        return [request.rule for request in self.requests if request.rule]

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=64 * 1024)

    async def stop(self) -> None:
        assert self._server
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    async def serve_forever(self) -> None:
        assert self._server
        await self._server.serve_forever()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._handlers.add(task)
        try:
            while request := await read_request(reader):
                await self._answer(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, _CutError):
            pass  # cancelled by `stop`: asyncio would report it as an error of this task
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            self._handlers.discard(task)

    async def _answer(self, http: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (http.method, http.path) != ("POST", "/v1/messages"):
            await send_json(writer, 404, error_body("not_found_error", "Not found"))
            return
        record = Recorded(raw=http.body, headers=dict(http.headers))
        self.requests.append(record)
        try:
            check_headers(http.headers, self._api_key)
            record.body = read_body(http.body)
            if not self._is_unchecked(record):
                check_body(record.body, self._find_model, self.window)
                self._signatures.check(record.body)
        except RefusalError as refusal:
            record.status, record.rule = refusal.status, refusal.rule
            await send_json(writer, refusal.status, refusal.body(), {"request-id": "req_test"})
            return
        reply = self.replies.pop(0) if self.replies else Reply(text=f"I got {len(record.body['messages'])} messages.")
        try:
            await self._reply(reply, record, reader, writer)
        except ConnectionError:
            record.gone = True
            raise

    def _is_unchecked(self, record: Recorded) -> bool:
        agent = self._unchecked_agent
        return agent is not None and record.headers.get("user-agent", "").startswith(agent)

    async def _reply(
        self, reply: Reply, record: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        record.status = reply.status
        if reply.wait_s:
            await self._wait(reply.wait_s, record, reader)
        headers = {"request-id": "req_test", **reply.headers}
        if reply.status != 200:
            body = json.dumps(error_body(TYPES.get(reply.status, "api_error"), reply.error))
            text = body if reply.body is None else reply.body
            await send_bytes(writer, reply.status, text.encode(), {"content-type": "application/json", **headers})
            return
        if reply.body is not None:
            await send_bytes(writer, 200, reply.body.encode(), {"content-type": "text/html", **headers})
            return
        message = message_of(reply, record.body, self._cache.usage(record.body), self._signatures)
        record.usage = message["usage"]
        if not record.body.get("stream"):
            await send_json(writer, 200, message, headers)
            return
        await begin_chunks(writer, {"content-type": "text/event-stream; charset=utf-8", **headers})
        if reply.raw:
            await send_chunk(writer, reply.raw.encode("utf-8", "surrogateescape"))
        elif reply.raw is None:
            await self._stream(reply, events_of(reply, message), record, reader, writer)
        await send_chunk(writer, b"")

    async def _stream(
        self,
        reply: Reply,
        events: list[Event],
        record: Recorded,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:

        for number, event in enumerate(events):
            if number == reply.end_after:
                return
            if number == reply.cut_after:
                writer.transport.abort()
                raise _CutError
            if number == reply.error_after:
                failure = error_body(reply.error_type, "Overloaded" if "overl" in reply.error_type else reply.error)
                await send_chunk(writer, encode_event(("error", failure)))
                return
            if number == reply.stall_after:
                await self._wait(None, record, reader)
            if reply.delay_s:
                await self._wait(reply.delay_s, record, reader)
            record.sent.append((event[0], time.perf_counter()))
            await send_chunk(writer, encode_event(event))

    async def _wait(self, seconds: float | None, record: Recorded, reader: asyncio.StreamReader) -> None:
        """Wait, or until the client is gone."""
        try:
            async with asyncio.timeout(seconds):
                # A client that waits for its answer sends nothing more.
                await reader.read(1)
        except TimeoutError:
            return
        record.gone = True
        raise ConnectionAbortedError


async def _serve(server: ApiServer, port: int) -> None:
    await server.start(port)
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description="A strict local server that speaks the Messages API.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="a JSON file: the list of replies")
    parser.add_argument("--key", help="the only API key that is taken")
    parser.add_argument("--window", type=int, help="tokens that a request may have")
    arguments = parser.parse_args()
    server = ApiServer(api_key=arguments.key, window=arguments.window)
    if arguments.script:
        server.replies = [Reply(**reply) for reply in json.loads(arguments.script.read_text("utf-8"))]
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(server, arguments.port))


if __name__ == "__main__":
    main()
