import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_lsp.base.text import slice_tail, utf8_length, utf16_length
from pi_lsp.context.truncate import Truncation, format_size, truncate_head, truncate_line, truncate_tail

characters = st.sampled_from("ab\n\r é日😀\u2028\u200d") | st.characters()
texts = st.text(characters, max_size=60) | st.lists(st.text(characters, max_size=9), max_size=9).map("\n".join)
"""Newlines are frequent, lone surrogates occur."""
limits = st.integers(0, 12)


def lines_of(text: str) -> list[str]:
    """Lines as the rules count them, the slow and simple way."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def keeps_the_limits(result: Truncation) -> None:
    assert result.output_bytes == utf8_length(result.content)
    assert result.output_bytes <= result.max_bytes
    assert result.output_lines <= result.max_lines


@given(texts, limits, st.integers(0, 40))
@example("😀\n", 1, 3)
def test_both_ends_keep_the_limits_and_tell_the_totals(text: str, max_lines: int, max_bytes: int) -> None:
    for result in (truncate_head(text, max_lines, max_bytes), truncate_tail(text, max_lines, max_bytes)):
        assert (result.total_lines, result.total_bytes) == (len(lines_of(text)), utf8_length(text))
        assert result.truncated == (result.truncated_by is not None)
        assert result.truncated == (result.total_lines > max_lines or result.total_bytes > max_bytes)
        keeps_the_limits(result)
        if not result.truncated:
            assert result.content == text


@given(texts, limits, st.integers(0, 40))
def test_head_is_as_many_whole_first_lines_as_fit(text: str, max_lines: int, max_bytes: int) -> None:
    result = truncate_head(text, max_lines, max_bytes)
    if not result.truncated:
        return
    lines = lines_of(text)
    kept = result.output_lines
    assert result.content == "\n".join(lines[:kept])
    assert not result.last_line_partial
    if kept < min(len(lines), max_lines):
        assert utf8_length("\n".join(lines[: kept + 1])) > max_bytes
        assert result.truncated_by == "bytes"
    assert result.first_line_exceeds_limit == (utf8_length(lines[0]) > max_bytes)


@given(texts, limits, st.integers(0, 40))
def test_tail_is_as_many_whole_last_lines_as_fit(text: str, max_lines: int, max_bytes: int) -> None:
    result = truncate_tail(text, max_lines, max_bytes)
    if not result.truncated or result.last_line_partial:
        return
    lines = lines_of(text)
    kept = result.output_lines
    assert result.content == "\n".join(lines[len(lines) - kept :])
    if kept < min(len(lines), max_lines):
        assert utf8_length("\n".join(lines[-kept - 1 :])) > max_bytes


@given(texts, st.integers(1, 12), st.integers(0, 40))
def test_C12_a_partial_last_line_begins_with_a_whole_character(text: str, max_lines: int, max_bytes: int) -> None:
    result = truncate_tail(text, max_lines, max_bytes)
    if not result.last_line_partial:
        return
    last = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in lines_of(text)[-1])
    assert last.endswith(result.content)
    assert utf8_length(last) > max_bytes
    assert result.output_bytes > max_bytes - 4 or max_bytes < 4


@pytest.mark.parametrize("budget", range(9))
def test_C12_no_half_emoji_at_any_limit(budget: int) -> None:
    text = "😀" * 4
    assert truncate_tail(text, max_bytes=budget).content == "😀" * (budget // 4)
    assert truncate_line(text, budget).text.removesuffix("... [truncated]") == "😀" * min(4, budget // 2)
    assert slice_tail(text, budget) == "😀" * min(4, budget // 2)


@given(st.text(), st.integers(0, 20))
def test_line_is_a_prefix_within_its_limit(line: str, max_units: int) -> None:
    result = truncate_line(line, max_units)
    assert result.was_truncated == (utf16_length(line) > max_units)
    if result.was_truncated:
        head = result.text.removesuffix("... [truncated]")
        assert line.startswith(head)
        assert max_units - 1 <= utf16_length(head) <= max_units
    else:
        assert result.text == line


def test_only_the_newline_character_ends_a_line() -> None:
    assert truncate_head("a\rb\u2028c\x85d\x0be\n", max_lines=1).truncated is False


def test_a_final_newline_over_the_byte_limit_is_all_that_goes() -> None:
    result = truncate_head("12345\n7890\n", max_bytes=10)
    assert (result.content, result.truncated_by, result.output_lines) == ("12345\n7890", "lines", 2)


def test_lone_surrogates_survive_in_whole_lines() -> None:
    result = truncate_tail("gone\n\ud83d\ude00x", max_lines=1)
    assert (result.content, result.output_bytes) == ("\ud83d\ude00x", 7)


def test_nothing_fits_within_a_negative_limit() -> None:
    for result in (truncate_head("a\nb\n", max_lines=-2), truncate_tail("a\nb\n", max_lines=-2)):
        assert (result.content, result.truncated_by, result.output_lines, result.max_lines) == ("", "lines", 0, -2)
    head, tail = truncate_head("\na\n", max_bytes=-1), truncate_tail("a\n\n", max_lines=1, max_bytes=-1)
    assert (head.content, head.truncated_by, head.first_line_exceeds_limit, head.max_bytes) == ("", "bytes", True, -1)
    assert (tail.content, tail.truncated_by, tail.last_line_partial, tail.max_bytes) == ("", "bytes", True, -1)
    assert truncate_tail("", max_lines=-1).truncated
    assert truncate_line("", -1).text == "... [truncated]"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0B"), (1023, "1023B"), (1024, "1.0KB"), (1280, "1.3KB"), (51200, "50.0KB"), (1048575, "1024.0KB"),
     (1048576, "1.0MB"), (1310720, "1.3MB")],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize("text", ["x" * 20_000_000, "\n" * 20_000_000, "ab\n" * 7_000_000, "日本\n" * 3_000_000])
def test_the_work_does_not_grow_with_the_lines(text: str) -> None:
    began = time.process_time()
    truncate_head(text)
    truncate_tail(text)
    truncate_line(text)
    assert time.process_time() - began < 1
