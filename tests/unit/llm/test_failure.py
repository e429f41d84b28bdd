"""Failures in words, and that the words mean what the whole body meant."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_lsp.llm.failure import in_short, in_words
from pi_lsp.llm.retry_errors import is_overflow, is_retryable

VECTORS = Path(__file__).parents[2] / "conformance" / "vectors" / "retry.json"
TEXTS = sorted(
    {
        text
        for case in json.loads(VECTORS.read_text())["cases"]
        if isinstance(message := case["input"].get("message"), dict) and (text := message.get("errorMessage"))
    }
)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            429,
            {
                "type": "error",
                "error": {"type": "rate_limit_error", "message": "Number of requests has exceeded your limit"},
                "request_id": "req_1",
            },
            "429 rate_limit_error: Number of requests has exceeded your limit",
        ),
        (529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "529 overloaded_error: Overloaded"),
        (401, {"error": {"type": "authentication_error", "message": "invalid x-api-key"}}, None),
        (400, {"error": {"message": "no such field", "type": None, "code": "invalid"}}, "400 invalid: no such field"),
        (400, {"error": "model 'x' not found"}, "400 model 'x' not found"),
        (422, {"detail": "Field required"}, "422 Field required"),
        (400, {"object": "error", "message": "two\n lines", "type": "BadRequest"}, "400 BadRequest: two lines"),
        (None, {"type": "error", "error": {"type": "api_error", "message": "Sorry"}}, "api_error: Sorry"),
    ],
)
def test_a_body_is_told_by_its_message(status: int | None, body: Any, words: str | None) -> None:
    assert in_words(json.dumps(body), status) == (words or f"{status} authentication_error: invalid x-api-key")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<html><head><title>502 Bad\n Gateway</title></head>" + "x" * 9000, "502 Bad Gateway"),
        ("upstream failed", "502 upstream failed"),
        ('{"error": {"code": 5}}', '502 {"error": {"code": 5}}'),
        ("[1]", "502 [1]"),
        ("null", "502 null"),
        ("", "502 "),
    ],
)
def test_what_holds_no_message_stays_as_it_is(body: str, words: str) -> None:
    assert in_words(body, 502) == words


def test_a_long_message_and_a_long_body_are_cut() -> None:
    assert len(in_words(json.dumps({"error": {"message": "a " * 9000}}), 400)) == 1004
    assert len(in_words("é" * 9000, 400)) == 4004


def meaning(text: str, provider: str = "anthropic") -> tuple[bool, bool]:
    message = {"role": "assistant", "stopReason": "error", "errorMessage": text, "provider": provider}
    return is_retryable(message), is_overflow(message)


WRAPPED = st.sampled_from(["", "rate_limit_error", "insufficient_quota", "server_error", "invalid_request_error"])


@given(
    text=st.sampled_from(TEXTS),
    kind=WRAPPED,
    beside=st.sampled_from([*TEXTS, "", "x"]),
    status=st.sampled_from([None, 400, 401, 408, 413, 429, 500, 502, 529]),
    provider=st.sampled_from(["anthropic", "cerebras"]),
)
@example(text="slow down", kind="", beside="insufficient_quota", status=429, provider="anthropic")
@example(text="x", kind="", beside="prompt is too long", status=400, provider="anthropic")
def test_Pi_reads_in_the_words_what_it_would_read_in_the_body(
    text: str, kind: str, beside: str, status: int | None, provider: str
) -> None:
    body = json.dumps({"error": {"type": kind, "message": text}, "metadata": {"raw": beside}}, ensure_ascii=False)
    whole = body if status is None else f"{status} {body}"
    assert meaning(in_words(body, status), provider) == meaning(whole, provider)


def test_the_texts_of_the_vectors_are_all_kinds() -> None:
    assert len({meaning(text) for text in TEXTS}) == 3
    assert len(TEXTS) > 40


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("429 rate_limit_error: rate limited", "the provider is busy"),
        ("529 overloaded_error: Overloaded", "the provider is busy"),
        ("503 Service Unavailable", "the provider is busy"),
        ("Request timed out: nothing came from the server (ReadTimeout)", "the provider did not answer in time"),
        ("Connection error: All connection attempts failed", "the provider cannot be reached"),
        ("Connection lost: peer closed connection", "the connection was lost"),
        ("stream ended before message_stop", "the connection was lost"),
        ("500 api_error: Internal server error", "the provider has a fault of its own"),
        ("502 Bad Gateway", "the provider has a fault of its own"),
        ("the answer was no summary", "the answer was no summary"),
    ],
)
def test_who_waits_is_told_why_in_a_clause(text: str, clause: str) -> None:
    assert in_short(text) == clause


@pytest.mark.parametrize(
    "text", [text for text in TEXTS if is_retryable({"stopReason": "error", "errorMessage": text})]
)
def test_whatever_is_tried_again_has_a_reason_for_people(text: str) -> None:
    assert in_short(text) != text or not re.search(r"\d|_|[a-z][A-Z]|http", text)
