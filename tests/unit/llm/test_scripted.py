"""The provider that asks nobody."""

import asyncio
import subprocess
import sys

import pytest

from pi_lsp.context.model import Model
from pi_lsp.llm.complete import completer
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.llm.failure import Failure
from pi_lsp.llm.scripted import SCRIPTED_MODEL, ScriptedAnswer, ScriptedProvider, ToolCall, demo_provider
from pi_lsp.session.messages import text_of, usage_of
from tests.support.api_server_client import SONNET, ask
from tests.support.waiting import until


async def test_it_streams_in_small_pieces_and_counts() -> None:
    answer = ScriptedAnswer(
        thinking="Hm.", text="word " * 20, calls=[ToolCall(id="t", name="read", arguments={"path": "a"})]
    )
    provider = ScriptedProvider([answer])
    stream = provider.open(ask("a question"))
    deltas = [delta async for delta in stream]
    message = stream.message()
    assert {delta.kind for delta in deltas} == {"text", "thinking", "toolArguments"}
    assert max(len(delta.delta) for delta in deltas) < 30
    assert [block["type"] for block in message["content"]] == ["thinking", "text", "toolCall"]
    assert message["content"][2]["arguments"] == {"path": "a"}
    assert text_of(message) == "word " * 20
    assert message["stopReason"] == "toolUse"
    assert (message["provider"], message["model"]) == ("anthropic", SONNET.id)
    assert usage_of(message)["input"] == 6
    assert usage_of(message)["output"] > 20
    assert provider.requests[0].messages[-1]["content"] == "a question"


async def test_answers_come_in_turn_and_the_last_repeats() -> None:
    provider = ScriptedProvider([ScriptedAnswer(text="one"), ScriptedAnswer(text="two", stop_reason="length")])
    messages = [await provider.open(ask("a")).read() for _ in range(3)]
    assert [text_of(message) for message in messages] == ["one", "two", "two"]
    assert [message["stopReason"] for message in messages] == ["stop", "length", "length"]


async def test_it_fails_as_told() -> None:
    failure = Failure(kind="status", status=529, retry_after_ms=5)
    stream = ScriptedProvider([ScriptedAnswer(text="so far", error="529 overloaded", failure=failure)]).open(ask("a"))
    message = await stream.read()
    assert (message["stopReason"], message["errorMessage"]) == ("error", "529 overloaded")
    assert text_of(message) == "so far"
    assert stream.failure == failure


async def test_it_can_be_aborted() -> None:
    stream = ScriptedProvider(lambda _: ScriptedAnswer(text="word " * 99, pause_s=0.01)).open(ask("a"))

    async def read() -> None:
        async for _ in stream:
            pass

    task = asyncio.create_task(read())
    await until(lambda: text_of(stream.message()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.message()["stopReason"] == "aborted"
    assert 0 < len(text_of(stream.message())) < 495


async def test_the_demonstration_says_what_it_is_and_what_would_have_been_sent() -> None:
    message = await demo_provider().open(ask("What is\nhere?", model=SCRIPTED_MODEL)).read()
    text = text_of(message)
    assert "scripted" in text
    assert "no model was asked" in text
    assert "What is here?" in text
    assert "1 message behind a system prompt of about 3 tokens" in text
    # A session must not say that a real model had answered.
    assert (message["api"], message["provider"], message["model"]) == ("scripted", "scripted", "scripted")
    real = await demo_provider().open(ask("x", model=SONNET)).read()
    assert real["provider"] == "scripted"


async def test_the_demonstration_summarises() -> None:
    complete = completer(demo_provider(), SCRIPTED_MODEL)
    prompt = "<conversation>\n[User]: Fix the parser\n\n[Assistant]: Done\n\n[User]: Now the docs\n</conversation>\n"
    message = await complete(CompletionRequest(system="Summarise.", prompt=prompt))
    text = text_of(message)
    assert "Fix the parser" in text
    assert "Now the docs" in text
    assert "no model was asked" in text
    assert message["stopReason"] == "stop"
    empty = await complete(CompletionRequest(system="Summarise.", prompt="x"))
    assert "not stated" in text_of(empty)


async def test_a_summary_is_asked_for_without_cache_and_with_its_own_limits() -> None:
    provider = ScriptedProvider([ScriptedAnswer(text="s")])
    model = Model(id="m", reasoning=True)
    await completer(provider, model, max_tokens=900)(CompletionRequest(system="S", prompt="P", reasoning="low"))
    await completer(provider, model)(CompletionRequest(system="S", prompt="P"))
    first, second = provider.requests
    assert (first.cache, first.level, first.max_tokens) == (False, "low", 900)
    assert (second.level, second.max_tokens) == ("off", None)
    assert first.session_id != second.session_id
    assert [message["role"] for message in first.messages] == ["system", "user"]


def test_neither_provider_loads_the_sdk_before_it_is_needed() -> None:
    check = (
        "import sys, pi_lsp.llm.provider, pi_lsp.llm.scripted;"
        "sys.exit(bool({'anthropic', 'httpx2', 'jiter', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
