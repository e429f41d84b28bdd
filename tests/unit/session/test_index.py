import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonError, decode
from pi_lsp.session import lines
from pi_lsp.session.codec import decode_head, encode_line
from pi_lsp.session.index import MAX_PROBLEMS, Index, parse_lines
from pi_lsp.session.lines import read_lines, reader

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
bodies = st.dictionaries(st.text(), values, max_size=6)


@given(bodies)
def test_a_body_survives_encoding_with_its_unknown_fields_in_order(body):
    record = encode_line(body)
    assert record.endswith(b"\n")
    assert record.count(b"\n") == 1
    again = decode(record)
    assert again == body
    assert list(again) == list(body)
    assert encode_line(again) == record


@given(bodies, st.integers(1, 9))
def test_any_piece_size_gives_the_same_lines(body, size):
    content = b"x\n\n" + encode_line(body) + b"\r\nlast"

    def read(offset: int, length: int) -> bytes:
        return content[offset : offset + min(length, size)]

    found = list(read_lines(read, 0))
    assert b"\n".join(one.data for one in found) == content
    assert [content[one.offset : one.offset + one.length] for one in found] == [one.data for one in found]
    assert [one.complete for one in found] == [True] * (len(found) - 1) + [False]


keys_of_a_head = st.sampled_from(["", "a", "a b"]) | values
heads = st.fixed_dictionaries({}, optional=dict.fromkeys(("type", "id", "parentId"), keys_of_a_head))


@given(bodies, heads)
def test_the_quick_look_at_a_line_agrees_with_reading_it_whole(fields, named):
    body = {**fields, **named}
    try:
        head = decode_head(encode_line(body))
    except JsonError:
        assert not isinstance(body.get("id"), str) or not body["id"]
    else:
        parent = body.get("parentId")
        assert head.id == body["id"]
        assert head.parent_id == (parent if isinstance(parent, str) else None)
        assert head.type == (body["type"] if isinstance(body.get("type"), str) else "")


@pytest.mark.parametrize(
    "line",
    [
        rb'{"type":"message","id":"a","message":{"content":"\ud83d"}}',
        b'{"type":"message","id":"a","message":{"content":"\xff\xfe"}}',
        b'{"type":"message","id":"a","n":1e999}',
        b'{"type":"message","id":"x","id":"a"}',
        b'{"type":"message","id":"a","parentId":5}',
        b'{"type":"message","id":"a","x":"\x7f"} \t\r',
    ],
)
def test_what_javascript_reads_is_read(line):
    head = decode_head(line)
    assert (head.type, head.id, head.parent_id) == ("message", "a", None)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"garbage", "Expecting value"),
        (b'{"type":"message"', "Expecting"),
        (b'{"a":1}{"b":2}', "Extra data"),
        (b'{"id":"a\x00b"}', "control character"),
        (b'{"id":"a","x":NaN}', "NaN is not JSON"),
        (b'{"id":"a","x":"\t"}', "control character"),
        (b"[1]", "expected an object, found a list"),
        (b"null", "expected an object, found null"),
        (b'{"type":"message"}', "without an id"),
        (b'{"type":"message","id":7}', "without an id"),
        (b'{"type":"message","id":""}', "without an id"),
        (b'{"id":"a","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
    ],
)
def test_what_is_no_entry_is_told(line, why):
    with pytest.raises(JsonError, match=why):
        decode_head(line)


def test_what_can_be_read_can_be_written_however_deep_it_is():
    for depth in (500, 5_000, 50_000):
        line = b'{"id":"a","x":' + b'[{"y":' * depth + b"1" + b"}]" * depth + b"}"
        try:
            body = decode(line)
        except JsonError:
            continue
        assert encode_line(body) == line + b"\n"


def test_S14_lines_that_are_no_records_are_told_by_number_and_the_others_kept():
    content = b'\n{"a":1}\nxx\n\n{"b":2}{"c":3}\n{"d":\x004}\n{"e":5}\n{"f":'
    index = Index(reader(content))
    assert [value for _, value in index.records(decode)] == [{"a": 1}, {"e": 5}]
    assert [problem.line for problem in index.problems] == [3, 5, 6, 8]
    assert index.problems[-1].reason == "the last line is incomplete"
    assert index.skipped == 3
    assert content[index.position :] == b'{"f":'


def test_problems_are_counted_beyond_those_that_are_kept():
    index = Index(reader(b"x\n" * 3000))
    assert list(index.records(decode)) == []
    assert index.skipped == 3000
    assert len(index.problems) == MAX_PROBLEMS


def test_a_line_too_long_to_hold_is_skipped(monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(lines, "PIECE_BYTES", 30)
    content = json.dumps({"a": "x" * 500}).encode() + b'\n{"b":2}\n' + b'{"c":"' + b"y" * 500
    index = Index(reader(content))
    assert [value for _, value in index.records(decode)] == [{"b": 2}]
    assert [(problem.line, problem.reason) for problem in index.problems] == [
        (1, "longer than 256 MiB"),
        (3, "the last line is incomplete"),
    ]


def test_reading_goes_on_where_it_stopped():
    content = bytearray(b'{"a":1}\n{"b"')
    index = Index(lambda offset, length: bytes(content[offset : offset + length]))
    assert [value for _, value in index.records(decode)] == [{"a": 1}]
    assert list(index.records(decode)) == []
    content += b':2}\n{"c":3}'
    assert [value for _, value in index.records(decode)] == [{"b": 2}, {"c": 3}]
    assert index.problems == []
    content += b"\nzz\n"
    assert list(index.records(decode)) == []
    assert [problem.line for problem in index.problems] == [4]


def test_white_space_around_a_text_means_nothing():
    assert parse_lines('\ufeff\u00a0\n{"a":1}\r\nnull\n5\nxx\n \n') == [{"a": 1}, None, 5]
    assert parse_lines(b"") == []
