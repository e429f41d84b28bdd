"""Frontmatter: where the block ends, what its YAML means, what hostile files cost."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.base.json import Json
from pi_lsp.resources import frontmatter
from pi_lsp.resources.frontmatter import MAX_YAML_LENGTH, split
from pi_lsp.resources.plain_yaml import read_plain
from pi_lsp.resources.yaml_values import MAX_DEPTH, YamlError

CORPUS = Path(__file__).parents[3] / "../shared/corpus"


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


# --- the reader of plain blocks and the parser agree ---

_word = st.sampled_from(
    [
        "a",
        "Use this",
        "true",
        "null",
        "it's",
        "a: b",
        "a #b",
        "a#b",
        "é—😀",
        "x:",
        "Read, Write",
        "Bash(git:*)",
        "[a]",
        "-",
        "5",
    ]
)
_scalar = st.one_of(
    _word,
    _word.map("'{}'".format),
    _word.map('"{}"'.format),
    st.text("ab'\" \\:#-é\u2028\t>|", max_size=8),
    st.text("ab '\\\"", max_size=6).map('"{}"'.format),
)
_rows = st.lists(
    st.tuples(st.sampled_from(["  ", "  - ", "    ", "- ", " -", "  k: ", "  j: ", ""]), _scalar), max_size=3
)
_value = st.one_of(
    _scalar,
    st.tuples(st.sampled_from(["", "|", ">", ">-", "|-", "|+", ">2", "x"]), _rows).map(
        lambda value: value[0] + "".join(f"\n{indent}{scalar}" for indent, scalar in value[1])
    ),
)
_entry = st.tuples(
    st.sampled_from(["name", "a", "b-c", "true", "1", " x"]), st.sampled_from([": ", ":", ":  "]), _value
)
_block = st.lists(_entry.map("".join), max_size=4).map("\n".join)


@settings(max_examples=600, deadline=None)
@given(_block)
def test_plain_reader_agrees_with_the_parser(yaml: str) -> None:
    plain = read_plain(yaml)
    if plain is not None:
        assert plain == frontmatter._read_yaml(yaml)


@pytest.mark.parametrize(
    "yaml",
    [
        "name: x\ndescription: Does things — well.",
        "a: 'it''s'\nb: \"say \\\"hi\\\"\"",
        "allowed-tools:\n  - Read\n  - Bash(git:*)",
        "metadata:\n  author: me\n  kind: tool",
        "description: >-\n  one\n  two\nname: x",
        "description: |\n  # one\n  - two",
    ],
)
def test_plain_reader_takes_what_is_common(yaml: str) -> None:
    plain = read_plain(yaml)
    assert plain is not None
    assert plain == frontmatter._read_yaml(yaml)


@pytest.mark.parametrize(
    "yaml", ["a: b: c", "a: 1", "a: [b]", "a: b\n  c", "a: b\na: c", "- a", "a: &b c", "a: |\n  b\n   c"]
)
def test_plain_reader_leaves_the_rest_to_the_parser(yaml: str) -> None:
    assert read_plain(yaml) is None


def test_parser_is_loaded_only_where_it_is_needed() -> None:
    script = (
        "import sys; from pi_lsp.resources.frontmatter import split\n"
        "split('---\\nname: x\\n---\\n'); assert not any(name.startswith('ruamel') for name in sys.modules)\n"
        "split('---\\nname: [x]\\n---\\n'); assert any(name.startswith('ruamel') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[3])


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no ../shared")
def test_plain_reader_agrees_on_real_skills() -> None:
    read = 0
    for path in CORPUS.rglob("SKILL.md"):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        yaml = text[4 : text.find("\n---", 3)]
        plain = read_plain(yaml) if text.startswith("---") else None
        if plain is not None:
            read += 1
            try:
                assert plain == frontmatter._read_yaml(yaml), path
            except YamlError as error:
                pytest.fail(f"{path}: {error}")
    assert read > 100
