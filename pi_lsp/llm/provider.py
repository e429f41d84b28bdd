"""The provider that reaches real models: Anthropic's servers, gateways and local servers that speak its API."""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncGenerator, Callable, Hashable, Sequence
from contextlib import aclosing, suppress
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from pi_lsp.base.text import one_line
from pi_lsp.context.estimate import estimate_context
from pi_lsp.context.finisher import KEPT_BYTES
from pi_lsp.llm.access import Access, Endpoint, NoKey
from pi_lsp.llm.answer import Answer, Delta
from pi_lsp.llm.body import request_body
from pi_lsp.llm.contract import ChatRequest, Stream
from pi_lsp.llm.events import EventReader
from pi_lsp.llm.failure import Failure, RequestError
from pi_lsp.llm.limits import output_limit
from pi_lsp.llm.provider_retry import ServerDelayError, delay_ms, is_retryable_status
from pi_lsp.llm.repeating import Repeating
from pi_lsp.llm.replay import refuses_thinking, signatures, without_thinking
from pi_lsp.resources.settings import ProviderRetrySettings
from pi_lsp.session.messages import Message

if TYPE_CHECKING:
    from pi_lsp.llm.anthropic import Connection, Response

logger = logging.getLogger(__name__)

STALL_S = 300.0
"""So long no byte may come before a request counts as stalled; Pi 1.6.0's HTTP client waits as long."""

_SDK = "pi_lsp.llm.anthropic"
_DRAIN_S = 0.5
_WITHOUT_THINKING = "The server refused thinking of earlier answers; the request was made again without it."


class AnthropicProvider:
    """Asks models that speak the Messages API. Owns one connection for each address and key."""

    def __init__(
        self, access: Access, *, settings: Callable[[], ProviderRetrySettings] = ProviderRetrySettings
    ) -> None:
        """`settings` are asked at every request."""
        self._access = access
        self._settings = settings
        self._connections: dict[Hashable, Connection] = {}
        self._connecting = asyncio.Lock()
        self._repeating = Repeating()
        self._refused: set[str] = set()
        """The signatures of thinking that a server will not take back."""

    def open(self, request: ChatRequest) -> Stream:
        """Ask for an answer."""
        answer = Answer(request.model)
        return Stream(answer, self._ask(request, answer))

    async def aclose(self) -> None:
        """Close all connections."""
        connections = list(self._connections.values())
        self._connections.clear()
        for connection in connections:
            await connection.aclose()

    async def _ask(self, request: ChatRequest, answer: Answer) -> AsyncGenerator[Delta, None]:
        endpoint = self._access.endpoint(request.model)
        if isinstance(endpoint, NoKey):
            answer.fail(endpoint.reason, Failure(kind="key"))
            return
        try:
            connection = await self._connect(endpoint)
            response = await self._respond(connection, endpoint, request, answer)
            try:
                async with aclosing(_read(response, answer)) as deltas:
                    async for delta in deltas:
                        yield delta
            finally:
                await response.aclose()
        except RequestError as error:
            answer.fail(str(error), error.failure)
        except Exception as error:  # a fault of ours or of a library is a failed answer, too
            logger.exception("the request to %s failed", request.model.id)
            answer.fail(f"{type(error).__name__}: {error}", Failure(kind="unexpected"))

    async def _connect(self, endpoint: Endpoint) -> "Connection":
        identity = (endpoint.base_url, endpoint.key.secret, endpoint.key.bearer, *endpoint.headers.items())
        async with self._connecting:
            if identity not in self._connections:
                self._connections[identity] = await asyncio.to_thread(_new_connection, endpoint)
            return self._connections[identity]

    async def _respond(
        self, connection: "Connection", endpoint: Endpoint, request: ChatRequest, answer: Answer
    ) -> "Response":
        """The response to a request, made again without thinking where that was refused."""
        try:
            return await self._post(connection, endpoint, request, answer)
        except RequestError as error:
            thinking = signatures(request.messages) - self._refused
            if error.failure.status != 400 or not thinking or not refuses_thinking(str(error)):
                raise
            self._refused |= thinking
        answer.notes.append(_WITHOUT_THINKING)
        return await self._post(connection, endpoint, request, answer)

    async def _post(
        self, connection: "Connection", endpoint: Endpoint, request: ChatRequest, answer: Answer
    ) -> "Response":
        """The response to a request, made again as often as the settings say."""
        settings = self._settings()
        content = self._content(request)
        session = {endpoint.session_header: request.session_id} if endpoint.session_header and request.cache else {}
        stall_s = settings.timeout_ms / 1000 if settings.timeout_ms else STALL_S
        for retry in count():
            try:
                return await connection.post(content, headers=session, stall_s=stall_s)
            except RequestError as error:
                if retry >= (settings.max_retries or 0) or not _is_retryable(error):
                    raise
                pause_ms = _pause_ms(error, retry, settings.max_retry_delay_ms)
                answer.notes.append(f"{one_line(str(error))}; asked again after {pause_ms / 1000:.1f} s.")
            await asyncio.sleep(pause_ms / 1000)
        raise AssertionError("count has no end")

    def _content(self, request: ChatRequest) -> bytes:
        model = request.model
        messages = without_thinking(request.messages, self._refused) if self._refused else request.messages
        content = self._encoded(request, messages, request.max_tokens)
        estimate = estimate_context(messages, window=model.context_window, most_units=len(content))
        limit = output_limit(model, estimate.tokens, request.max_tokens)
        if limit < min(request.max_tokens or model.max_tokens, model.max_tokens):
            content = self._encoded(request, messages, limit)
        if len(content) > KEPT_BYTES:
            self._repeating = Repeating()
        return content

    def _encoded(self, request: ChatRequest, messages: Sequence[Message], max_tokens: int | None) -> bytes:
        body = request_body(
            messages,
            request.model,
            level=request.level,
            max_tokens=max_tokens,
            cache=request.cache,
            converted=self._repeating,
        )
        return msgspec.json.encode({**body, "stream": True})


async def _read(response: "Response", answer: Answer) -> AsyncGenerator[Delta, None]:
    reader = EventReader(answer)
    async with aclosing(response.events()) as events:
        async for name, data in events:
            if delta := reader.read(name, data):
                yield delta
            if reader.ended:
                break
        if not reader.started and not response.content_type.startswith("text/event-stream"):
            found = response.content_type or "nothing"
            answer.fail(
                f"The server answered with {found}, not with a stream of events: is its address right?",
                Failure(kind="stream"),
            )
            return
        reader.finish()
        # A connection whose response was read to its end can be used again; there is hardly anything left to read.
        with suppress(RequestError, TimeoutError):
            async with asyncio.timeout(_DRAIN_S):
                async for _ in events:
                    pass


def _new_connection(endpoint: Endpoint) -> "Connection":
    """Runs in a thread. Raises RequestError."""
    if _SDK not in sys.modules:
        # The SDK makes half a million objects that stay. Each full collection among them would hold every thread up
        # for 100 to 200 ms; kept out of all collections they cost nothing, and the import takes a third less.
        gc.disable()
        try:
            import_module(_SDK).warm_up()
        finally:
            gc.freeze()
            gc.enable()
    from pi_lsp.llm.anthropic import Connection  # noqa: PLC0415 - loaded by now

    return Connection(endpoint)


def _is_retryable(error: RequestError) -> bool:
    answered = error.failure.kind in ("status", "network", "stalled")
    return answered and is_retryable_status(error.failure.status, error.headers)


def _pause_ms(error: RequestError, retry: int, longest: float) -> float:
    try:
        return delay_ms(error.headers, retry, max_delay_ms=longest, error=str(error))
    except ServerDelayError as refusal:
        raise RequestError(str(refusal), error.failure) from None
