"""The one door to the official SDK: a client that sends requests to the Messages API and hears the events.

To import this module takes more than a second, so it is done in a thread, at first need. The SDK's own retries are
off, since they could be neither seen nor aborted.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import contextmanager

import anthropic
import anyio.lowlevel
import httpx2

from pi_lsp.llm.access import Endpoint
from pi_lsp.llm.failure import Failure, RequestError, in_words
from pi_lsp.llm.provider_retry import server_delay_ms

_CONNECT_S = 10.0
_SHORTEST_SECRET = 8
"""Characters. What servers of one's own take for a key may be any word, and stays in their messages."""


def warm_up() -> None:
    """Load anyio's half for asyncio, as the first request would do in the event loop. In a thread without a loop."""
    asyncio.run(anyio.lowlevel.checkpoint())


class Response:
    """The response to a request that was taken."""

    def __init__(self, response: httpx2.Response, secrets: Sequence[str]) -> None:
        self._response = response
        self._secrets = secrets

    @property
    def content_type(self) -> str:
        """What the server says it sends."""
        return self._response.headers.get("content-type", "")

    async def events(self) -> AsyncGenerator[tuple[str | None, str], None]:
        """The server-sent events: name and data. Raises RequestError."""
        with _own_errors(self._secrets):
            async for event in anthropic.AsyncStream[object].raw_events(self._response):
                yield event.event, event.data

    async def aclose(self) -> None:
        """Close it; one that was not read to its end takes its connection along."""
        await self._response.aclose()


class Connection:
    """The HTTP client for one address and key."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Takes tens of milliseconds, since certificates are read. Raises RequestError for an impossible address."""
        key = endpoint.key.secret.reveal()
        headers = {name.lower(): value.reveal() for name, value in endpoint.headers.items()}
        self._secrets = [text for text in (key, *headers.values()) if len(text) >= _SHORTEST_SECRET]
        self._without: dict[str, anthropic.Omit] = {}
        if "authorization" in headers:
            headers["Authorization"] = headers.pop("authorization")  # the SDK's spelling, so that it takes ours
        elif not endpoint.key.bearer:
            # The SDK would send the key as a bearer token, which not every server takes.
            self._without["Authorization"] = anthropic.Omit()
        if not endpoint.key.bearer:
            headers.setdefault("x-api-key", key)
        with _own_errors(self._secrets):
            self._client = anthropic.AsyncAnthropic(
                api_key=key,
                base_url=endpoint.base_url,
                max_retries=0,
                default_headers=headers,
                open_telemetry=False,
            )

    async def post(self, content: bytes, *, headers: Mapping[str, str], stall_s: float) -> Response:
        """Send a request whose answer is a stream.

        Args:
            content: the JSON body.
            headers: more than the endpoint's; no secrets, the SDK may log them.
            stall_s: so long no byte may come.

        Raises:
            RequestError: no connection, no answer in time, or a status that is no success.
        """
        timeout = anthropic.Timeout(stall_s, connect=min(_CONNECT_S, stall_s))
        unread = True  # no literal: by the SDK's types that would give a stream of its own
        with _own_errors(self._secrets):
            response = await self._client.post(
                "/v1/messages",
                cast_to=httpx2.Response,  # as it comes: its events are read here, not made into the SDK's objects
                content=content,
                options={"headers": {**headers, **self._without}, "timeout": timeout},
                stream=unread,
                stream_cls=anthropic.AsyncStream[object],
            )
        assert isinstance(response, httpx2.Response)
        return Response(response, self._secrets)

    async def aclose(self) -> None:
        """Close all connections to the server."""
        await self._client.close()


@contextmanager
def _own_errors(secrets: Sequence[str]) -> Generator[None, None, None]:
    """Turns what the SDK and its HTTP client raise into RequestError, without the secrets."""
    try:
        yield
    except Exception as error:
        text, failure = _explain(error)
        headers = error.response.headers if isinstance(error, anthropic.APIStatusError) else None
        for secret in secrets:
            text = text.replace(secret, "…")
        raise RequestError(text, failure, headers) from None


def _explain(error: Exception) -> tuple[str, Failure]:
    """The text in words that Pi's lists know (`retry_errors`)."""
    match error:
        case anthropic.APIStatusError():
            body = error.response.text.strip() or "status code (no body)"
            pause_ms = server_delay_ms(error.response.headers, max_delay_ms=0)
            failure = Failure(kind="status", status=error.status_code, retry_after_ms=pause_ms)
            return in_words(body, error.status_code), failure
        case anthropic.APITimeoutError() | httpx2.TimeoutException():
            return f"Request timed out: nothing came from the server ({_cause_of(error)})", Failure(kind="stalled")
        case anthropic.APIConnectionError():
            return f"Connection error: {_cause_of(error)}", Failure(kind="network")
        case httpx2.TransportError():
            return f"Connection lost: {_cause_of(error)}", Failure(kind="network")
        case UnicodeDecodeError(reason="unexpected end of data"):
            return "The stream ended before message_stop, in the middle of a character", Failure(kind="stream")
        case UnicodeDecodeError():
            return f"Could not read the stream: {error}", Failure(kind="stream")
        case _:
            return f"{type(error).__name__}: {error}", Failure(kind="unexpected")


def _cause_of(error: BaseException) -> str:
    """The deepest reason: the SDK's own words for a lost connection tell nothing."""
    while error.__cause__:
        error = error.__cause__
    return str(error) or type(error).__name__
