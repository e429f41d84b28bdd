import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.context.estimate import (
    PI_COUNTER,
    counted,
    doubt_usage,
    estimate_context,
    last_usage_index,
    usage_tokens,
)
from pi_lsp.session.messages import Message, usage_of

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ROLES = ["user", "assistant", "toolResult", "system", "custom", "bashExecution", "branchSummary", "compactionSummary"]
FIELDS = ["content", "usage", "stopReason", "sections", "toolsAdded", "command", "output", "summary"]
hostile = st.builds(
    lambda role, fields: {"role": role, **fields},
    st.sampled_from(ROLES) | junk,
    st.dictionaries(st.sampled_from(FIELDS), junk),
)


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def answer(**usage: int) -> Message:
    return {"role": "assistant", "content": [], "stopReason": "stop", "usage": {**usage}}


def test_units_are_utf16_and_round_up_once_for_a_message() -> None:
    assert PI_COUNTER.message(user("😀😀😀")) == 2
    blocks: list[JsonObject] = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert PI_COUNTER.message({"role": "user", "content": [*blocks]}) == 1
    assert PI_COUNTER.text("abcde") == 2


def test_arguments_count_as_javascript_prints_them() -> None:
    arguments: JsonObject = {"n": 1e21, "f": 5.0, "t": "日\u2028\ud83d"}
    call: JsonObject = {"type": "toolCall", "name": "", "arguments": arguments}
    assert counted({"role": "assistant", "content": [call]}).texts == ["", '{"n":1e+21,"f":5,"t":"日\u2028\\ud83d"}']


def test_arguments_as_deep_as_they_can_be_read() -> None:
    deep: JsonObject = {}
    for _ in range(5000):
        deep = {"a": deep}
    call: JsonObject = {"type": "toolCall", "name": "x", "arguments": deep}
    assert PI_COUNTER.message({"role": "assistant", "content": [call]}) == (1 + 5000 * 6 + 2 + 3) // 4


@given(st.lists(hostile, max_size=5))
def test_any_shape_has_an_estimate(messages: list[Message]) -> None:
    estimate = estimate_context(messages, window=1000)
    assert estimate.tokens == estimate.usage_tokens + estimate.trailing_tokens
    assert estimate.trailing_tokens >= 0


def test_the_last_usage_that_counts() -> None:
    failed = {**answer(input=9), "stopReason": "aborted"}
    messages = [answer(input=5, output=2), user("abcdefgh"), failed, answer()]
    index = last_usage_index(messages)
    assert index is not None and usage_of(messages[index]) == {"input": 5, "output": 2}
    estimate = estimate_context(messages)
    assert (estimate.tokens, estimate.usage_tokens, estimate.last_usage_index) == (9, 7, 0)
    assert last_usage_index([user("a")]) is None


def test_totals_come_from_the_provider_where_it_names_one() -> None:
    assert usage_tokens({"totalTokens": 7, "input": 1}) == 7
    assert usage_tokens({"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}) == 10
    assert usage_tokens({"input": "many", "output": 2, "totalTokens": None}) == 2


class TestC6:
    """C6: usage that cannot be is distrusted, and the reason is told."""

    def test_C6_more_than_the_window(self) -> None:
        estimate = estimate_context([user("abcd"), answer(input=2001)], window=2000)
        assert (estimate.tokens, estimate.last_usage_index) == (1, None)
        assert "billed 2,001 tokens, more than its window of 2,000" in (estimate.doubt or "")

    def test_C6_less_than_the_text(self) -> None:
        messages = [user("x" * 40_000), answer(input=9)]
        estimate = estimate_context(messages, window=2_000_000)
        assert estimate.tokens == 10_000
        assert estimate.doubt is not None and "fewer than the text" in estimate.doubt

    def test_C6_images_are_no_reason(self) -> None:
        picture: Message = {"role": "user", "content": [{"type": "image"}] * 50}
        assert doubt_usage({"input": 10}, [picture], 1000) is None
        text = [user("x" * 400)]
        assert doubt_usage({"input": 10}, text, 1000, most_units=500)
        assert doubt_usage({"input": 13}, text, 1000, most_units=416) is None

    def test_C6_without_any_usage_the_text_is_counted(self) -> None:
        silent: Message = {"role": "assistant", "content": [{"type": "text", "text": "x" * 400}], "stopReason": "stop"}
        assert estimate_context([user("x" * 400), silent], window=1000).tokens == 200

    @pytest.mark.parametrize("window", [None, 0, 1_000_000])
    def test_a_possible_usage_is_believed(self, window: int | None) -> None:
        messages = [user("x" * 4000), answer(input=1200, output=3)]
        estimate = estimate_context(messages, window=window)
        assert (estimate.tokens, estimate.doubt) == (1203, None)


def test_the_wire_has_no_doubt_where_there_is_none() -> None:
    assert msgspec.to_builtins(estimate_context([user("abcd")])) == {
        "tokens": 1,
        "usageTokens": 0,
        "trailingTokens": 1,
        "lastUsageIndex": None,
    }
