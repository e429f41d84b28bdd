"""Every way in which a server can fail, as the API's users have seen it. L6."""

import json
import re
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.llm.access import Access
from pi_lsp.llm.failure import FailureKind
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.llm.retry_errors import is_overflow, is_retryable
from pi_lsp.session.messages import Message, text_of, usage_of
from tests.support.api_server import ApiServer
from tests.support.api_server_client import KEY, SONNET, ask, provider_for
from tests.support.api_server_replies import Reply
from tests.support.waiting import PATIENCE_S


@pytest.mark.parametrize(
    ("status", "error", "retryable", "overflow"),
    [
        (400, "messages: something", False, False),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", False, True),
        (400, "Your credit balance is too low: see Plans & Billing", False, False),
        (401, "invalid x-api-key", False, False),
        (403, "not allowed", False, False),
        (404, "model: x", False, False),
        (413, "Request exceeds the maximum size", False, True),
        (429, "This request would exceed your rate limit of input tokens", True, False),
        (500, "Internal server error", True, False),
        (502, "Bad gateway", True, False),
        (503, "Service unavailable", True, False),
        (504, "timed out", True, False),
        (529, "Overloaded", True, False),
    ],
)
async def test_L6_a_status_is_a_value_that_tells_whether_to_try_again(
    server: ApiServer, provider: AnthropicProvider, status: int, error: str, retryable: bool, overflow: bool
) -> None:
    server.replies.append(Reply(status=status, error=error))
    stream = provider.open(ask("a"))
    message = await stream.read()
    assert message["stopReason"] == "error"
    assert re.fullmatch(rf"{status} \w+: {re.escape(error)}", message["errorMessage"])
    assert stream.failure and (stream.failure.kind, stream.failure.status) == ("status", status)
    assert (is_retryable(message), is_overflow(message)) == (retryable, overflow)
    assert message["content"] == []
    assert usage_of(message)["totalTokens"] == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "7"}, 7000),
        ({"retry-after-ms": "1234", "retry-after": "7"}, 1234),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
async def test_L6_the_pause_that_the_server_asks_for_is_told(
    server: ApiServer, provider: AnthropicProvider, headers: dict[str, str], expected: float | None
) -> None:
    server.replies.append(Reply(status=429, headers=headers))
    stream = provider.open(ask("a"))
    await stream.read()
    assert stream.failure and stream.failure.retry_after_ms == expected


@pytest.mark.parametrize("body", ["", "<html>" + "é" * 5000, '{"error": 5}', "[]", "null"])
async def test_an_error_page_of_any_form_is_told_within_bounds(
    server: ApiServer, provider: AnthropicProvider, body: str
) -> None:
    server.replies.append(Reply(status=502, body=body))
    message = await provider.open(ask("a")).read()
    assert message["errorMessage"].startswith("502 ")
    assert len(message["errorMessage"]) < 4100
    assert is_retryable(message)


FAULTS: list[tuple[Reply, FailureKind, str, bool]] = [
    (Reply(text="abcdef" * 9, cut_after=0), "network", "Connection lost", True),
    (Reply(text="abcdef" * 9, cut_after=4), "network", "Connection lost", True),
    (Reply(text="abcdef" * 9, end_after=0), "stream", "ended without a stop reason", True),
    (Reply(text="abcdef" * 9, end_after=4), "stream", "ended before message_stop", True),
    (Reply(text="x", drop_stop_reason=True), "stream", "ended without a stop reason", True),
    (Reply(text="abcdef" * 9, error_after=0), "stream", "overloaded_error", True),
    (Reply(text="abcdef" * 9, error_after=4), "stream", "overloaded_error", True),
    (Reply(text="abc", error_after=4, error_type="invalid_request_error"), "stream", "scripted failure", False),
    (Reply(text="abc", stop_reason="of tomorrow"), "stream", "of tomorrow", False),
    (Reply(raw=""), "stream", "ended without a stop reason", True),
    (Reply(raw="event: message_start\ndata: {not json\n\n"), "stream", "Could not parse event", False),
    (Reply(raw="event: message_start\ndata: \udcff\udcfe\n\n"), "stream", "Could not read the stream", False),
    (Reply(raw="event: error\ndata: \n\n"), "stream", "without a text", False),
    (Reply(raw="data: [DONE]\n\n: comment\n\nevent: odd\ndata: 5\n\n"), "stream", "without a stop reason", True),
    (Reply(body="<html>hello</html>"), "stream", "is its address right", False),
]


@pytest.mark.parametrize(("reply", "kind", "text", "retryable"), FAULTS)
async def test_L6_a_stream_that_breaks_is_a_value(
    server: ApiServer, provider: AnthropicProvider, reply: Reply, kind: FailureKind, text: str, retryable: bool
) -> None:
    server.replies.append(reply)
    stream = provider.open(ask("a"))
    message = await stream.read()
    assert message["stopReason"] == "error"
    assert text in message["errorMessage"]
    assert stream.failure and stream.failure.kind == kind
    assert is_retryable(message) == retryable
    # The same provider goes on as if nothing had been.
    assert (await provider.open(ask("a")).read())["stopReason"] == "stop"


async def test_L6_what_had_arrived_stays_in_the_failed_message(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(Reply(text="abcdefghij", chunk=2, cut_after=5))
    message = await provider.open(ask("a")).read()
    assert text_of(message) == "abcdef"
    assert usage_of(message)["totalTokens"] > 0


async def test_L6_events_of_the_wrong_shape_are_passed_over(server: ApiServer, provider: AnthropicProvider) -> None:
    events = [
        ("message_start", {"message": {"id": 5, "usage": {"input_tokens": "x", "output_tokens": -3}}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "never opened"}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "server_tool_use", "id": "s"}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        ("content_block_start", {"index": 1, "content_block": {"type": "text", "text": "A"}}),
        ("content_block_delta", {"index": 1, "delta": {"type": "thinking_delta", "thinking": "no"}}),
        ("content_block_delta", {"index": 1, "delta": {"type": "text_delta", "text": 5}}),
        ("content_block_delta", {"index": 1, "delta": {"type": "text_delta", "text": "B\ud83d"}}),
        ("content_block_delta", {"index": 1, "delta": {"type": "text_delta", "text": "\ude00\ud800."}}),
        ("content_block_stop", {"index": 1}),
        ("content_block_delta", {"index": 1, "delta": {"type": "text_delta", "text": "too late"}}),
        ("content_block_start", {"index": [], "content_block": None}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": None}),
        ("message_stop", {}),
        ("content_block_start", {"index": 2, "content_block": {"type": "text", "text": "after the end"}}),
    ]
    server.replies.append(Reply(raw="".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)))
    message = await provider.open(ask("a")).read()
    assert message["content"] == [{"type": "text", "text": "AB😀."}]
    assert message["stopReason"] == "stop"
    assert usage_of(message)["totalTokens"] == 0


@pytest.mark.parametrize(
    ("text", "arguments", "broken"),
    [
        ('{"path": "a"}', {"path": "a"}, False),
        ("", {}, False),
        ('{"path": "a\\d\n\t"}', {"path": "a\\d\n\t"}, False),
        ('{"path": "a', {}, True),
        ("[1]", {}, True),
        ("5", {}, True),
        ("[" * 100_000, {}, True),
        ('{"a": 1e999, "b": "\\ud800"}', None, False),
    ],
)
async def test_arguments_of_a_call_are_read_or_said_to_be_unreadable(
    server: ApiServer, provider: AnthropicProvider, text: str, arguments: dict[str, str] | None, broken: bool
) -> None:
    server.replies.append(Reply(tools=[{"id": "t", "name": "read", "input": text}], chunk=5000))
    message = await provider.open(ask("a")).read()
    [call] = message["content"]
    assert ("argumentsError" in call) == broken
    assert message["stopReason"] == "toolUse"
    if arguments is not None:
        assert call["arguments"] == arguments


async def test_a_call_that_was_cut_off_shows_what_there_was(server: ApiServer, provider: AnthropicProvider) -> None:
    call = {"id": "t", "name": "write", "input": '{"path": "a.txt", "content": "Hello wor'}
    server.replies.append(Reply(tools=[call], chunk=40, cut_after=3))
    [block] = (await provider.open(ask("a")).read())["content"]
    assert block["arguments"] == {"path": "a.txt", "content": "Hello wor"}


async def test_L6_a_server_that_falls_silent_is_given_up(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), timeout_ms=150)
    server.replies += [Reply(text="abc", stall_after=0), Reply(text="abc", chunk=1, stall_after=3)]
    server.replies += [Reply(wait_s=PATIENCE_S)]
    for said in ("", "a", ""):
        stream = provider.open(ask("a"))
        message = await stream.read()
        assert stream.failure and stream.failure.kind == "stalled"
        assert is_retryable(message)
        assert text_of(message) == said
    await provider.aclose()


async def test_a_slow_trickle_is_no_stall(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), timeout_ms=400)
    server.replies.append(Reply(text="abcdefgh", chunk=1, delay_s=0.08))
    assert text_of(await provider.open(ask("a")).read()) == "abcdefgh"
    await provider.aclose()


async def test_no_server_at_all(tmp_path: Path) -> None:
    async with ApiServer() as server:
        provider = provider_for(server, str(tmp_path))
    stream = provider.open(ask("a"))
    message = await stream.read()
    assert stream.failure and stream.failure.kind == "network"
    assert is_retryable(message)
    await provider.aclose()


@pytest.mark.parametrize("url", ["http://[::1", "http://a b/", "http://", "nonsense"])
async def test_an_address_that_is_none(tmp_path: Path, url: str) -> None:
    provider = AnthropicProvider(Access(Disk(), str(tmp_path), env={"ANTHROPIC_API_KEY": KEY}, base_url=url))
    stream = provider.open(ask("a"))
    assert (await stream.read())["stopReason"] == "error"
    assert stream.failure
    await provider.aclose()


async def test_requests_are_made_again_as_often_as_the_settings_say(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), max_retries=2)
    server.replies += [
        Reply(status=529, headers={"retry-after-ms": "1"}), Reply(status=429, headers={"retry-after": "0.01"}),
        Reply(text="at last"), Reply(status=500, headers={"x-should-retry": "false"}), Reply(status=400),
    ]  # fmt: skip
    stream = provider.open(ask("a"))
    assert text_of(await stream.read()) == "at last"
    assert len(stream.notes) == 2
    assert stream.failure is None
    for status in (500, 400):
        stream = provider.open(ask("a"))
        await stream.read()
        assert stream.failure and stream.failure.status == status
    assert [request.status for request in server.requests] == [529, 429, 200, 500, 400]
    await provider.aclose()


async def test_a_longer_pause_than_the_settings_allow_is_left_to_the_agent(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), max_retries=2, max_retry_delay_ms=1000)
    server.replies.append(Reply(status=429, headers={"retry-after": "90"}))
    stream = provider.open(ask("a"))
    message: Message = await stream.read()
    assert message["errorMessage"].startswith("Server requested 90s retry delay (max: 1s). 429 ")
    assert is_retryable(message)
    assert stream.failure and stream.failure.retry_after_ms == 90_000
    assert len(server.requests) == 1
    await provider.aclose()


async def test_the_window_is_enforced_with_words_that_count_as_overflow(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.window = 50
    message = await provider.open(ask("x" * 4000)).read()
    assert is_overflow(message, SONNET.context_window)
    assert server.refusals == ["context"]
