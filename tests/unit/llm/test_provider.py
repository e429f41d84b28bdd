"""The provider through the real SDK, over real HTTP, against the strict server."""

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.json import encode
from pi_lsp.llm.answer import Delta
from pi_lsp.llm.body import request_body
from pi_lsp.llm.complete import completer
from pi_lsp.llm.contract import ChatRequest, CompletionRequest
from pi_lsp.llm.models import models
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.llm.retry_errors import is_overflow
from pi_lsp.session.messages import Message, text_of, usage_of
from tests.support.api_server import ApiServer
from tests.support.api_server_client import BOUND, SONNET, ask, provider_for
from tests.support.api_server_replies import Reply

TOOL: dict[str, Any] = {
    "name": "read",
    "description": "Read a file.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


async def test_an_answer_streams_and_becomes_the_message_that_pi_stores(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.replies.append(
        Reply(
            thinking="Let me see.", text="Grüße 😀!", tools=[{"id": "toolu_1", "name": "read", "input": {"path": "é"}}]
        )
    )
    system: Message = {"role": "system", "content": "Be brief.", "toolsAdded": [TOOL]}
    request = ChatRequest(messages=[system, {"role": "user", "content": "hi"}], model=SONNET, level="low")
    stream = provider.open(request)
    deltas = [delta async for delta in stream]
    message = stream.message()
    signature = message["content"][0].pop("thinkingSignature")
    assert signature
    assert message["content"] == [
        {"type": "thinking", "thinking": "Let me see."},
        {"type": "text", "text": "Grüße 😀!"},
        {"type": "toolCall", "id": "toolu_1", "name": "read", "arguments": {"path": "é"}},
    ]
    assert {key: message[key] for key in ("role", "api", "provider", "model", "stopReason")} == {
        "role": "assistant",
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "stopReason": "toolUse",
    }
    assert message["timestamp"] > 1_600_000_000_000
    assert "errorMessage" not in message
    assert stream.failure is None
    for index, kind in enumerate(("thinking", "text", "toolArguments")):
        assert {delta.kind for delta in deltas if delta.block == index} == {kind}
    assert "".join(delta.delta for delta in deltas if delta.kind == "text") == "Grüße 😀!"
    assert deltas[0] == Delta(0, "thinking", "Let me see.")


async def test_the_message_so_far_is_valid_at_every_moment(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(Reply(text="one two three four", chunk=4))
    stream = provider.open(ask("hi"))
    assert stream.message()["content"] == []
    texts: list[str] = []
    async for _ in stream:
        assert stream.message()["stopReason"] == "aborted"
        texts.append(text_of(stream.message()))
    assert texts == ["one ", "one two ", "one two thre", "one two three fo", "one two three four"]


async def test_usage_and_cost_are_those_that_were_reported(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(
        Reply(
            text="x",
            usage={
                "input_tokens": 1000,
                "output_tokens": 200,
                "cache_read_input_tokens": 5000,
                "cache_creation_input_tokens": 300,
                "cache_creation": {"ephemeral_1h_input_tokens": 100},
                "output_tokens_details": {"thinking_tokens": 50},
            },
        )
    )
    usage = usage_of(await provider.open(ask("hi")).read())
    cost = usage.pop("cost")
    assert usage == {
        "input": 1000,
        "output": 200,
        "cacheRead": 5000,
        "cacheWrite": 300,
        "cacheWrite1h": 100,
        "reasoning": 50,
        "totalTokens": 6500,
    }
    assert cost == {
        "input": pytest.approx(0.003),
        "output": pytest.approx(0.003),
        "cacheRead": pytest.approx(0.0015),
        "cacheWrite": pytest.approx(200 * 3.75e-6 + 100 * 6e-6),
        "total": pytest.approx(0.003 + 0.003 + 0.0015 + 200 * 3.75e-6 + 100 * 6e-6),
        "totalFromProvider": False,
    }


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("pause_turn", "stop"), ("max_tokens", "length"),
        ("tool_use", "toolUse"),
    ],
)  # fmt: skip
async def test_stop_reasons(server: ApiServer, provider: AnthropicProvider, theirs: str, ours: str) -> None:
    server.replies.append(Reply(text="x", stop_reason=theirs))
    message = await provider.open(ask("hi")).read()
    assert (message["stopReason"], message["rawStopReason"]) == (ours, theirs)


async def test_a_refusal_is_a_failure_with_the_reason_that_was_given(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.replies.append(Reply(text="I", stop_reason="refusal", stop_details={"explanation": "Not this."}))
    stream = provider.open(ask("hi"))
    message = await stream.read()
    assert (message["stopReason"], message["errorMessage"]) == ("error", "Not this.")
    assert stream.failure and stream.failure.kind == "refused"
    assert text_of(message) == "I"


async def test_a_window_that_filled_up_during_the_answer_counts_as_overflow(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.replies.append(Reply(text="x", stop_reason="model_context_window_exceeded"))
    assert is_overflow(await provider.open(ask("hi")).read())


async def test_the_body_goes_out_as_it_was_built(server: ApiServer, provider: AnthropicProvider) -> None:
    request = ask("Grüße 😀\u2028 </script>")
    await provider.open(request).read()
    body = request_body(request.messages, SONNET, level="off", max_tokens=64_000)
    assert server.requests[0].raw == encode({**body, "stream": True}).encode()


async def test_thirty_turns_repeat_their_prefix_and_read_all_of_it_from_the_cache(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    """Invariant 10, with thinking that is bound to its prefix."""
    said: list[str | Message] = []
    for turn in range(30):
        said.append(f"question {turn}")
        server.replies.append(Reply(thinking=f"thought {turn}", text=f"answer {turn}"))
        stream = provider.open(ask(*said, model=BOUND, level="low"))
        said.append(await stream.read())
        assert stream.failure is None
        assert not stream.notes
    assert server.refusals == []
    for before, after in zip(server.requests, server.requests[1:], strict=False):
        stored = before.usage["cache_read_input_tokens"] + before.usage["cache_creation_input_tokens"]
        assert after.usage["cache_read_input_tokens"] == stored
        assert after.usage["input_tokens"] == 0


async def test_summaries_write_nothing_to_the_cache(server: ApiServer, provider: AnthropicProvider) -> None:
    complete = completer(provider, BOUND)
    message = await complete(CompletionRequest(system="Summarise.", prompt="a\0b\ud800c", reasoning="high"))
    assert message["stopReason"] == "stop"
    assert b"cache_control" not in server.requests[0].raw
    assert server.requests[0].body["output_config"] == {"effort": "high"}
    assert server.requests[0].body["messages"][0]["content"] == [{"type": "text", "text": "abc"}]
    assert server.requests[0].usage["cache_creation_input_tokens"] == 0


async def test_an_answer_is_asked_for_that_fits_the_window(server: ApiServer, provider: AnthropicProvider) -> None:
    await provider.open(ask("x" * 4 * 150_000)).read()
    assert server.requests[0].body["max_tokens"] == 32_768
    await provider.open(ask("x", max_tokens=77)).read()
    assert server.requests[1].body["max_tokens"] == 77


async def test_a_connection_that_the_server_closed_meanwhile_is_made_anew(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path))
    await provider.open(ask("a")).read()
    port = server.port
    await server.stop()
    await server.start(port)
    assert (await provider.open(ask("a")).read())["stopReason"] == "stop"
    await provider.aclose()


async def test_another_model_that_answered_is_named(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(Reply(text="x", model="claude-sonnet-4-5-20250929"))
    message = await provider.open(ask("a")).read()
    assert (message["model"], message["responseModel"]) == ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929")


async def test_every_model_of_the_table_can_be_asked_at_every_level(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    for model in models().values():
        for level in ("off", "minimal", "low", "medium", "high", "xhigh", "max"):
            message = await provider.open(ask("a", model=model, level=level)).read()
            assert message["stopReason"] == "stop", message
    assert server.refusals == []
