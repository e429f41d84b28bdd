"""Thinking that goes back to the model: signed for its prefix, refused behind another, redacted."""

from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.session.messages import Message
from tests.support.api_server import ApiServer
from tests.support.api_server_client import BOUND, ask
from tests.support.api_server_replies import Reply


async def test_refused_thinking_is_left_out_once_and_for_all(server: ApiServer, provider: AnthropicProvider) -> None:
    """As after a resume: the thinking was signed for a prefix that is not ours."""
    old: Message = {
        "role": "assistant",
        "provider": "anthropic",
        "api": "anthropic-messages",
        "model": BOUND.id,
        "content": [
            {"type": "thinking", "thinking": "old", "thinkingSignature": "of another process"},
            {"type": "text", "text": "answer"},
        ],
        "stopReason": "stop",
    }
    server.replies.append(Reply(thinking="new", text="second"))
    first = ask("a", old, "b", model=BOUND, level="low")
    stream = provider.open(first)
    answer = await stream.read()
    assert answer["stopReason"] == "stop"
    assert [request.rule for request in server.requests] == ["signature", None]
    assert len(stream.notes) == 1
    assert "thinking" in stream.notes[0]
    # What was thought since is kept, and nothing has to be made twice again.
    server.replies.append(Reply(text="third"))
    stream = provider.open(ask("a", old, "b", answer, "c", model=BOUND, level="low"))
    await stream.read()
    assert (stream.failure, list(stream.notes)) == (None, [])
    assert server.requests[-1].raw.count(b'"type":"thinking"') == 1
    assert server.requests[-1].usage["cache_read_input_tokens"] > 0


async def test_thinking_behind_a_changed_prefix_is_refused_and_left_out(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.replies.append(Reply(thinking="thought", text="first"))
    answer = await provider.open(ask("a", model=BOUND, level="low")).read()
    stream = provider.open(ask("another", answer, "b", model=BOUND, level="low"))
    assert (await stream.read())["stopReason"] == "stop"
    assert server.refusals == ["signature_binding"]
    assert stream.notes


async def test_a_bad_signature_without_thinking_to_leave_out_is_an_error(
    server: ApiServer, provider: AnthropicProvider
) -> None:
    server.replies.append(Reply(status=400, error="messages.1: Invalid `signature` in `thinking` block"))
    stream = provider.open(ask("a"))
    assert (await stream.read())["stopReason"] == "error"
    assert len(server.requests) == 1


async def test_redacted_thinking_goes_back_as_it_came(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(Reply(thinking="secret", redacted=True, text="x"))
    answer = await provider.open(ask("a", model=BOUND, level="low")).read()
    block = answer["content"][0]
    assert (block["redacted"], block["thinking"]) == (True, "[Reasoning redacted]")
    await provider.open(ask("a", answer, "b", model=BOUND, level="low")).read()
    assert server.refusals == []
