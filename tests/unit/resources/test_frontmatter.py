"""Frontmatter: where the block ends, what its YAML means, what hostile files cost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import Json
from pi_lsp.resources.frontmatter import MAX_YAML_LENGTH, split
from pi_lsp.resources.yaml_values import MAX_DEPTH


def fields(yaml: str) -> dict[str, Json]:
    found = split(f"---\n{yaml}\n---\nbody")
    assert found.problem is None
    assert found.body == "body"
    return found.fields


def problem(yaml: str) -> tuple[int, str]:
    found = split(f"---\n{yaml}\n---\nbody")
    assert found.problem is not None
    assert found.fields == {}
    return found.problem.line, found.problem.message


@pytest.mark.parametrize(
    "text", ["", "text", "\n---\na: b\n---\n", "---\na: b\n", " ---\na: b\n---\n", "--\na: b\n--\n"]
)
def test_no_block(text: str) -> None:
    found = split(text)
    assert (found.fields, found.body, found.problem) == ({}, text, None)


def test_block_and_body() -> None:
    found = split("---\nname: x\n\ndescription: d\n---\n\n  Body.\n\n")
    assert found.fields == {"name": "x", "description": "d"}
    assert found.body == "Body."
    assert found.lines == {"name": 2, "description": 4}


def test_fence_is_the_first_line_that_begins_with_one() -> None:
    assert split("---\na: b\n----\nrest").body == "-\nrest"
    assert split("---\n---\nbody").fields == {}


def test_fourth_character_is_lost_as_in_pi() -> None:
    assert split("---xa: b\nc: d\n---\n").fields == {"a": "b", "c": "d"}


def test_R6_byte_order_mark() -> None:
    assert split("\ufeff---\na: b\n---\n").fields == {"a": "b"}


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_R6_line_ends(newline: str) -> None:
    found = split(newline.join(["---", "a: b", "c: [", "---", "x", "y"]))
    assert found.problem is not None
    assert found.body == "x\ny"
    assert split(newline.join(["---", "a: b", "---", "x", "y"])).fields == {"a": "b"}


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("2024-01-02", "2024-01-02"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("true", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("~", None),
        ("", None),
        ("Null", None),
        ("12", 12),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("0o17", 15),
        ("0x1F", 31),
        ("010", 10),
        ('"12"', "12"),
        ("'true'", "true"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!mine x", "x"),
        ("a # note", "a"),
        ("a#b", "a#b"),
        ("http://x.y/z", "http://x.y/z"),
        ("a\tb", "a\tb"),
        ("a\x85b", "a\x85b"),
        ("a\u2028b", "a\u2028b"),
        ("a\x07b", "a\x07b"),
        ('"a\\tb\\u00e9"', "a\tbé"),
        (">\n  one\n  two", "one two\n"),
        ("|-\n  one\n\n  two", "one\n\ntwo"),
        ("one\n  two", "one two"),
        ("[a, 1, {b: c}]", ["a", 1, {"b": "c"}]),
        ("\n- a\n- b: c\n  d: e", ["a", {"b": "c", "d": "e"}]),
        ("&x [1]\nj: *x", [1]),
    ],
)
def test_core_schema(yaml: str, value: Json) -> None:
    assert fields(f"k: {yaml}")["k"] == value


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("a: b: c", 2),
        ("a: 1\nb: 2\na: 3", 4),
        ("x: y\n\nm:\n\ta: b", 5),
        ("x: y\nz: [1, 2", 4),
        ('x: "never closed', 3),
        ("x: y\nz: @at", 3),
        ("x: *nothing", 2),
        ("x: y\n...\nz: 1", 4),
        ('x: "one\ntwo"', 3),
        ("x: [a,\nb]", 3),
    ],
)
def test_broken_yaml_names_its_line(yaml: str, line: int) -> None:
    found, message = problem(yaml)
    assert abs(found - line) <= 1, (found, message)
    assert message


def test_line_counts_in_the_file() -> None:
    assert problem("a: 1\nb: 2\na: 3") == (4, "the key 'a' stands twice")


@pytest.mark.parametrize("yaml", ["just text", "- a\n- b", "12", "null"])
def test_no_mapping_has_no_fields(yaml: str) -> None:
    assert fields(yaml) == {}


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused(unit: str) -> None:
    start = time.process_time()
    _, message = problem("a: " + unit * (60_000 // len(unit)) if unit in "[{a: " else unit * 30_000)
    assert message == f"nested deeper than {MAX_DEPTH} levels"
    assert time.process_time() - start < 5


def test_aliases_cannot_explode() -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for name, before in zip("bcdefghij", "abcdefghi", strict=True):
        rows.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    assert "values" in problem("\n".join(rows))[1]


def test_no_value_holds_itself() -> None:
    assert "*a" in problem("x: &a [*a]")[1]


def test_long_block_is_refused_unless_it_is_plain() -> None:
    long = "x" * MAX_YAML_LENGTH
    assert fields(f"a: {long}")["a"] == long
    assert "longer than" in problem(f"a: {{b: {long}}}")[1]


@given(st.text(max_size=60))
def test_any_text_is_split(text: str) -> None:
    for source in (text, f"---\n{text}\n---\n{text}"):
        found = split(source)
        assert found.problem is None or found.problem.line >= 1


def test_two_escapes_of_a_pair_are_one_character() -> None:
    assert split('---\na: "\\ud83d\\ude00"\nb: "\\ud83d"\n---\n').fields == {"a": "😀", "b": "\ud83d"}


@pytest.mark.parametrize("value", ['"a"#c', "'a'#c", "[a]#c", "{a: b}#c"])
def test_a_comment_needs_a_blank_before_it(value: str) -> None:
    assert split(f"---\nk: {value}\n---\n").problem is not None
    assert split(f"---\nk: {value.replace('#', ' #')}\n---\n").problem is None


def test_keys_are_the_same_by_type_and_value() -> None:
    assert split("---\n1: a\n'1': b\n---\n").fields == {"1": "b"}
    assert split("---\n1: a\n1: b\n---\n").problem is not None
    assert split("---\n? {a: 1}\n: x\n? {b: 1}\n: y\n? [c]\n: z\n---\n").problem is None


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("k: |\n  a\t#b\n  c:\td\n  \te\t", "a\t#b\nc:\td\n\te\t\n"),
        ("k: a\n  \tb\n \t- c", "a b - c"),
        ("k:\n  \tb", "b"),
        ("k: a\tb\t# c", "a\tb"),
        ("k:\ta", "a"),
    ],
)
def test_tabs_separate_or_are_text(yaml: str, value: str) -> None:
    assert split(f"---\n{yaml}\n---\n").fields == {"k": value}


def test_no_tab_indents_a_key_or_an_item() -> None:
    assert split("---\nk:\n  \ta: b\n---\n").problem is not None
    assert split("---\nk:\n  \t- b\n---\n").problem is not None


def test_many_blanks_cost_no_time() -> None:
    began = time.process_time()
    for blanks in ("\t" * 60_000, " \t" * 30_000, " " * 60_000 + "\t"):
        split(f"---\nk: a{blanks}x\n---\n")
        split(f"---\nk: |{blanks}x\n---\n")
    assert time.process_time() - began < 5
