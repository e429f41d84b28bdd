from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from pi_lsp.lsp.buffers import Documents
from pi_lsp.lsp.positions import split_lines, to_column

URI = "file:///w/AGENTS.md"
CHARACTERS = st.text(alphabet="ab é💡\u2028\f\x85\n", max_size=20)


def documents(text: str, encoding: str = "utf-16") -> Documents:
    held = Documents(None, position_encoding=types.PositionEncodingKind(encoding))
    held.put_text_document(types.TextDocumentItem(URI, "markdown", 1, text))
    return held


def edit(held: Documents, start: types.Position, end: types.Position, text: str) -> str:
    change = types.TextDocumentContentChangePartial(range=types.Range(start, end), text=text)
    held.update_text_document(types.VersionedTextDocumentIdentifier(version=2, uri=URI), change)
    return held.get_text_document(URI).source


def position_of(text: str, offset: int, encoding: str) -> types.Position:
    """Where an editor says an offset is."""
    before = split_lines(text[:offset])
    number = len(before) - 1 if before and not before[-1].endswith("\n") else len(before)
    start = sum(map(len, before[:number]))
    line = text[start:].partition("\n")[0]
    return types.Position(number, to_column(line, offset - start, encoding))


@given(CHARACTERS, CHARACTERS, st.data(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_an_edit_changes_exactly_its_range(text: str, new: str, data: st.DataObject, encoding: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    edited = edit(documents(text, encoding), position_of(text, start, encoding), position_of(text, end, encoding), new)

    assert edited == text[:start] + new + text[end:]


def test_a_form_feed_shifts_no_line() -> None:
    held = documents("one\ftwo\nthree\n")
    assert edit(held, types.Position(1, 0), types.Position(1, 5), "3") == "one\ftwo\n3\n"


def test_an_edit_behind_the_end_is_at_the_end() -> None:
    assert edit(documents("abc"), types.Position(0, 99), types.Position(9, 0), "!") == "abc!"


def test_a_range_that_is_the_wrong_way_round_loses_nothing() -> None:
    assert edit(documents("abc"), types.Position(0, 2), types.Position(0, 1), "!") == "ab!c"
