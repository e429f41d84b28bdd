"""How a text is looked for, decoded and undecoded."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.context.explain_hits import Position, line_range
from pi_lsp.context.explain_text import Query, entry_texts, fold
from pi_lsp.session.entries import Entry

_LETTERS = st.text(st.sampled_from('abkisKIS"\\/ \n\t\x1b\0é日😀ßſİıKσςΣ\ud83d') | st.characters(), max_size=12)


def texts(entry_type: str, **fields: Any) -> list[str]:
    return [text for text in entry_texts(Entry.of({"type": entry_type, "id": "e", **fields})) if text]


@given(before=_LETTERS, text=_LETTERS.filter(bool), after=_LETTERS, escaped=st.booleans(), form=st.integers(0, 2))
def test_the_raw_bytes_of_a_line_never_hide_a_text(
    before: str, text: str, after: str, escaped: bool, form: int
) -> None:
    query = Query([text, text.upper(), text.lower()][form])
    stored = before + text + after
    line = json.dumps({"text": stored}, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    if query.is_in([stored]):
        assert query.may_be_in(line)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ('say "x"', r'{"t":"SAY \"X\""}'),
        ("a/b", r'{"t":"a\/b"}'),
        ("kiosk", r'{"t":"\u006biosk"}'),
        ("kiosk", '{"t":"\u212aiosk"}'),
        ("ОШИБКА", '{"t":"ошибка"}'),
        ("日本", '{"t":"日本"}'),
        ("日本", r'{"t":"\u65e5\u672c"}'),
        ("two\nlines", r'{"t":"two\nlines"}'),
    ],
)
def test_escapes_and_other_scripts_are_found_in_a_line(text: str, stored: str) -> None:
    assert Query(text).is_in(json.loads(stored).values())
    assert Query(text).may_be_in(stored.encode())


@pytest.mark.parametrize("stored", ['{"t":"something else"}', r'{"t":"\u001b[31mred"}', '{"t":"日本語"}'])
def test_a_line_without_the_text_is_passed_over(stored: str) -> None:
    assert not Query("kiosk").may_be_in(stored.encode())


@given(_LETTERS, _LETTERS.filter(bool))
def test_places_are_those_of_the_text_whatever_folding_does_to_its_length(text: str, wanted: str) -> None:
    places = list(Query(wanted).places(text))
    assert all(fold(wanted) in fold(text[start:end]) for start, end in places)
    assert bool(places) == Query(wanted).is_in([text])


def test_places_behind_a_letter_that_grows() -> None:
    assert list(Query("moment").places("İİ moment")) == [(3, 9)]


def test_a_snippet_is_one_line_around_the_text() -> None:
    snippet = Query("needle").snippet(["nothing", "hay\n" * 100 + "the Needle\nand more"])
    assert snippet.startswith("…")
    assert snippet.endswith("the Needle and more")
    assert len(snippet) <= 120


def test_a_line_is_told_in_utf16_units() -> None:
    found = line_range("one\r\n😀 two\r\nthree", 8)
    assert (found.start, found.end) == (Position(line=1, character=0), Position(line=1, character=6))


def test_what_is_searched_of_an_entry() -> None:
    call = {"type": "toolCall", "id": "secret", "name": "read", "arguments": {"path": ["a", {"b": "c"}], "n": 1}}
    content = [
        {"type": "thinking", "thinking": "why", "thinkingSignature": "sig"},
        call,
        {"type": "image", "data": "Q"},
    ]
    assert sorted(texts("message", message={"role": "assistant", "content": content})) == [
        "a", "b", "c", "n", "path", "read", "why"
    ]  # fmt: skip
    assert texts("message", message={"role": "bashExecution", "command": "ls", "output": "x"}) == ["ls", "x"]
    assert texts("custom_message", content="told") == ["told"]
    assert texts("branch_summary", summary="went wrong") == ["went wrong"]
    assert texts("compaction", summary="S", systemMessage={"role": "system", "sections": {"a": "A"}}) == ["A", "S"]
    assert texts("label", label="mark") == ["mark"]
    assert texts("session_info", name="name") == ["name"]
    assert texts("context_edit", targetId="x", replacement={"content": "instead"}) == ["instead"]
    assert texts("custom", data={"hidden": "state"}) == []


def test_arguments_of_any_depth_are_searched() -> None:
    arguments: Any = "deep"
    for _ in range(50_000):
        arguments = [arguments]
    content = [{"type": "toolCall", "name": "n", "arguments": {"x": arguments}}]
    entry = Entry.of({"type": "message", "id": "e", "message": {"role": "assistant", "content": content}})
    assert Query("DEEP").is_in(entry_texts(entry))
