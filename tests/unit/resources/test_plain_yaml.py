"""The reader of plain frontmatter gives what the parser gives, or leaves the block to it."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.resources import frontmatter
from pi_lsp.resources.plain_yaml import read_plain
from pi_lsp.resources.yaml_values import YamlError

CORPUS = Path(__file__).parents[3] / "../shared/corpus"

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


@settings(max_examples=600)
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
