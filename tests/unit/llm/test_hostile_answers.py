"""What servers send that no server should: each is a failed answer in words, never an exception."""

import asyncio
import json
import math
from email.utils import formatdate
from pathlib import Path
from random import Random

import pytest

from pi_lsp.llm import provider as provider_module
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.llm.provider_retry import ServerDelayError, delay_ms, server_delay_ms
from pi_lsp.llm.retry_errors import is_overflow, is_retryable
from tests.support.api_server import ApiServer
from tests.support.api_server_client import KEY, SONNET, ask, provider_for
from tests.support.api_server_replies import Reply
from tests.support.waiting import until

ENDLESS = ["1e308", "9" * 400, "1e307", formatdate(253402300799, usegmt=True)]


@pytest.mark.parametrize("asked", ENDLESS)
@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
def test_a_pause_of_any_length_is_a_number_of_ms(header: str, asked: str) -> None:
    pause = server_delay_ms({header: asked}, max_delay_ms=0)
    assert pause is None or (math.isfinite(pause) and pause >= 0)
    if pause is not None:
        with pytest.raises(ServerDelayError, match=r"requested \d+s retry delay \(max: 60s\)"):
            delay_ms({header: asked}, 0)


def test_no_text_makes_the_pause_fail() -> None:
    random = Random(7)
    pieces = ["Wed", ",", " ", "21", "Oct", "99999", "07:28:00", ":", "GMT", "-0000", "+9999", "-", ".", "e", "\0", "é"]
    for _ in range(3000):
        text = "".join(random.choice(pieces) for _ in range(random.randint(0, 9)))
        pause = server_delay_ms({"retry-after": text}, max_delay_ms=0)
        assert pause is None or 0 <= pause < math.inf, text


async def test_a_pause_without_end_is_left_to_the_agent(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), max_retries=1)
    server.replies.append(Reply(status=429, headers={"retry-after": "1e308"}))
    message = await provider.open(ask("a")).read()
    assert is_retryable(message)
    assert str(message["errorMessage"]).startswith("Server requested ")
    await provider.aclose()


@pytest.mark.parametrize("end", ["\udcc3", "\udcf0\udc9f\udc98"])
async def test_a_stream_that_ends_inside_a_character_is_one_that_was_cut(
    server: ApiServer, provider: AnthropicProvider, end: str
) -> None:
    start = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}}
    raw = f"event: message_start\ndata: {json.dumps(start)}\n\nevent: content_block_delta\ndata: {{{end}"
    server.replies.append(Reply(raw=raw))
    assert is_retryable(await provider.open(ask("a")).read())


@pytest.mark.parametrize(
    "explanation", ["503, connection lost: I will not", "too many tokens", "prompt is too long", "overloaded"]
)
async def test_what_a_model_says_of_its_refusal_is_no_error_of_the_provider(
    server: ApiServer, provider: AnthropicProvider, explanation: str
) -> None:
    server.replies.append(Reply(text="I", stop_reason="refusal", stop_details={"explanation": explanation}))
    message = await provider.open(ask("a")).read()
    assert (message["stopReason"], message["errorMessage"]) == ("error", explanation)
    assert not is_retryable(message)
    assert not is_overflow(message, SONNET.context_window)


async def test_a_fault_of_ours_is_a_failed_answer_without_the_key(
    provider: AnthropicProvider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise KeyError("it is not there")

    monkeypatch.setattr(provider_module, "request_body", broken)
    stream = provider.open(ask("a"))
    message = await stream.read()
    assert (message["stopReason"], message["errorMessage"]) == ("error", "KeyError: 'it is not there'")
    assert stream.failure and stream.failure.kind == "unexpected"
    assert not is_retryable(message)
    assert "request_body" in caplog.text
    assert KEY not in caplog.text


async def test_an_abort_is_no_fault(provider: AnthropicProvider, server: ApiServer) -> None:
    server.replies.append(Reply(wait_s=30))
    reading = asyncio.create_task(provider.open(ask("a")).read())
    await until(lambda: server.requests)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
