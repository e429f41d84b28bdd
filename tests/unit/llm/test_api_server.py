"""The strict server itself: it must refuse, count and fail as the API does, or what it proves is worth nothing."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from pi_lsp.llm.models import models
from tests.support.api_server import ApiServer
from tests.support.api_server_cache import Cache, pieces
from tests.support.api_server_client import BOUND, KEY, SONNET
from tests.support.api_server_rules import RefusalError, Signatures, check_body, check_headers, read_body

HEADERS = {"x-api-key": KEY, "anthropic-version": "2026-10-21"}
TEXT = {"type": "text", "text": "x"}
MARK = {"cache_control": {"type": "ephemeral"}}


def body(*contents: Any, **fields: Any) -> dict[str, Any]:
    said = contents or ("x",)
    messages = [{"role": "assistant" if turn % 2 else "user", "content": one} for turn, one in enumerate(said)]
    return {"model": SONNET.id, "max_tokens": 10, "messages": messages, **fields}


@pytest.mark.parametrize(
    ("headers", "status", "rule"),
    [
        ({}, 401, "auth"),
        ({"x-api-key": "other"}, 401, "auth_value"),
        ({"authorization": "Bearer other"}, 401, "auth_value"),
        ({"x-api-key": KEY}, 400, "version"),
        ({"x-api-key": KEY, "anthropic-version": "2020-01-01"}, 400, "version_value"),
    ],
)
def test_headers(headers: dict[str, str], status: int, rule: str) -> None:
    with pytest.raises(RefusalError) as refused:
        check_headers(headers, KEY)
    assert (refused.value.status, refused.value.rule) == (status, rule)


def test_good_headers() -> None:
    check_headers(HEADERS, KEY)
    check_headers({**HEADERS, "authorization": "Bearer other"}, KEY)
    check_headers(HEADERS, None)


@pytest.mark.parametrize(
    ("raw", "status", "rule"),
    [
        (b"x" * (32 * 1024 * 1024 + 1), 413, "body_size"),
        (b"{\xff}", 400, "utf8"),
        (b"{", 400, "json"),
        (b"[]", 400, "json"),
        (b'{"a": "\\ud83d"}', 400, "surrogates"),
        (b'{"a": "\\ude00\\ud83d"}', 400, "surrogates"),
    ],
)
def test_bodies_that_are_no_json_object(raw: bytes, status: int, rule: str) -> None:
    with pytest.raises(RefusalError) as refused:
        read_body(raw)
    assert (refused.value.status, refused.value.rule) == (status, rule)


def test_escapes_that_are_whole_are_taken() -> None:
    assert read_body(b'{"a": "\\ud83d\\ude00 \\\\ud83d"}') == {"a": "😀 \\ud83d"}


@pytest.mark.parametrize(
    ("broken", "status", "rule", "text"),
    [
        (body(model="nobody"), 404, "model", "model: nobody"),
        (body(max_tokens=64_001), 400, "max_tokens", "max_tokens: 64001 > 64000, which is the maximum"),
        (body("x", "y"), 400, "prefill", "does not support assistant message prefill"),
        (body(temperature=1), 400, "extra", "temperature: Extra inputs are not permitted"),
        (body([{**TEXT, **MARK}, {**TEXT, "cache_control": {"type": "ephemeral", "ttl": "1h"}}]), 400,
         "cache_ttl_order", "ttl='1h'"),
        (body(tool_choice={"type": "auto"}), 400, "tool_choice", "only be specified while providing tools"),
        (body("x" * 900_000), 400, "context", "prompt is too long: 225"),
        ({"model": SONNET.id}, 400, "types", "Field required"),
        ({"model": 5, "max_tokens": 1, "messages": []}, 400, "types", "model"),
    ],
)  # fmt: skip
def test_bodies(broken: dict[str, Any], status: int, rule: str, text: str) -> None:
    with pytest.raises(RefusalError, match=text.replace("(", r"\(")) as refused:
        check_body(broken, models().get, None)
    assert (refused.value.status, refused.value.rule) == (status, rule)


def test_the_window_can_be_made_small() -> None:
    check_body(body("x" * 400), models().get, None)
    with pytest.raises(RefusalError, match=r"prompt is too long: \d+ tokens > 50 maximum"):
        check_body(body("x" * 400), models().get, 50)


def test_the_cache_is_read_up_to_the_longest_stored_prefix() -> None:
    cache = Cache()
    first = body([{**TEXT, "text": "question one", **MARK}])
    usage = cache.usage(first)
    assert usage["cache_read_input_tokens"] == 0
    assert usage["cache_creation_input_tokens"] == sum(piece.tokens for piece in pieces(first))
    second = body("question one", [{**TEXT, "text": "answer"}], [{**TEXT, "text": "question two", **MARK}])
    usage = cache.usage(second)
    assert usage["cache_read_input_tokens"] == pieces(second)[0].tokens
    assert usage["input_tokens"] == 0
    # One letter earlier in the prompt, another model, another effort: nothing can be read.
    for changed in (
        body("question One", "answer", [{**TEXT, "text": "question two", **MARK}]),
        {**second, "model": BOUND.id},
        {**second, "thinking": {"type": "disabled"}},
        {**second, "tools": [{"name": "t"}]},
    ):
        assert cache.usage(changed)["cache_read_input_tokens"] == 0


def test_without_a_breakpoint_the_cache_is_neither_read_nor_written() -> None:
    cache = Cache()
    for _ in range(2):
        usage = cache.usage(body("question"))
        assert (usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]) == (0, 0)


def test_more_than_twenty_blocks_behind_a_breakpoint_nothing_is_found() -> None:
    cache = Cache()
    blocks = [{**TEXT, "text": str(number)} for number in range(40)]
    cache.usage(body([*blocks[:5], {**TEXT, **MARK}]))
    assert cache.usage(body([*blocks[:5], TEXT, *blocks[5:15], {**TEXT, **MARK}]))["cache_read_input_tokens"] > 0
    assert cache.usage(body([*blocks[:5], TEXT, *blocks[5:], {**TEXT, **MARK}]))["cache_read_input_tokens"] == 0


@pytest.mark.parametrize(("model", "bound"), [(SONNET.id, False), (BOUND.id, True), ("claude-fable-5", False)])
def test_signatures(model: str, bound: bool) -> None:
    signatures = Signatures()
    asked = body("a", model=model)
    signature = signatures.sign(model, pieces(asked)[-1].digest, "thought")
    thinking = {"type": "thinking", "thinking": "thought", "signature": signature}
    signatures.check(body("a", [thinking, TEXT], "b", model=model))
    signatures.check(body([{**TEXT, "text": "a", **MARK}], [thinking, TEXT], "b", model=model))
    for forged in ({**thinking, "thinking": "other"}, {**thinking, "signature": "forged"}):
        with pytest.raises(RefusalError, match="Invalid `signature` in `thinking` block"):
            signatures.check(body("a", [forged, TEXT], "b", model=model))
    moved = body("another", [thinking, TEXT], "b", model=model)
    if bound:
        with pytest.raises(RefusalError, match="bound to a different conversation"):
            signatures.check(moved)
    else:
        signatures.check(moved)


async def test_what_is_not_the_one_method_is_not_found() -> None:
    async with ApiServer() as server:
        with pytest.raises(HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, f"{server.url}/v1/models")
        assert refused.value.status == 404
        assert json.load(refused.value)["error"]["type"] == "not_found_error"
        refused.value.close()


def test_it_runs_by_itself(tmp_path: Path) -> None:
    """As end-to-end tests start it; and it answers without streaming, too."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps([{"text": "from the script"}, {"status": 529, "error": "Overloaded"}]))
    command = [sys.executable, "-m", "tests.support.api_server", "--script", str(script), "--key", KEY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as process:
        try:
            assert process.stdout
            url = process.stdout.readline().strip()
            request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body()).encode(), HEADERS)
            with urllib.request.urlopen(request, timeout=10) as response:
                message = json.load(response)
            assert message["content"] == [{"type": "text", "text": "from the script"}]
            with pytest.raises(HTTPError) as refused:
                urllib.request.urlopen(request, timeout=10)
            assert refused.value.status == 529
            assert json.load(refused.value)["error"] == {"type": "overloaded_error", "message": "Overloaded"}
            refused.value.close()
        finally:
            process.terminate()
