"""Prompt templates: arguments, placeholders, descriptions."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.files import Disk
from pi_lsp.resources.template_arguments import parse_arguments, substitute
from pi_lsp.resources.templates import Template, expand_template, load_templates
from tests.unit.resources.test_skills import write


def load(root: Path) -> dict[str, Template]:
    return {each.name: each for each in load_templates(Disk(), [str(root)]).templates}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('"a b" c', ["a b", "c"]),
        ("don't stop", ["don't", "stop"]),
        ('"never closed', ['"never', "closed"]),
        (r'"say \"hi\""', ['say "hi"']),
        (r'"a\\"', [r'"a\\"']),
        ("''", [""]),
        ('"a"b "c"', ["ab", "c"]),
        ("\u00a0a\u2003b\ufeff", ["a", "b"]),
        ("a\x1cb\x85c", ["a\x1cb\x85c"]),
    ],
)
def test_arguments(text: str, arguments: list[str]) -> None:
    assert parse_arguments(text) == arguments


@given(st.lists(st.text("ab'\\ \n", max_size=6), max_size=5))
def test_quoted_arguments_come_back(arguments: list[str]) -> None:
    assert parse_arguments(" ".join(f'"{each}"' for each in arguments if not each.endswith("\\"))) == [
        each for each in arguments if not each.endswith("\\")
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("$1-$2-$3", "a-b c-"),
        ("$@|$ARGUMENTS", "a b c|a b c"),
        ("${3:-none} ${1:-none}", "none a"),
        ("${@:2} ${@:1:1} ${@:9}", "b c a "),
        ("$ARGUMENTSX ${1} $arguments $0", "a b cX ${1} $arguments "),
        ("${@:1:99999999999999999999} $" + "9" * 5000, "a b c "),
        ("${1:-", "${1:-"),
        ("${1:-${2}", "a"),
    ],
)
def test_placeholders(content: str, text: str) -> None:
    assert substitute(content, ["a", "b c"]) == text


@given(st.text("$@{}1", max_size=30), st.lists(st.text("$@{}1", max_size=5), max_size=3))
def test_arguments_are_not_looked_through_again(content: str, arguments: list[str]) -> None:
    marked = [f"\x01{index}\x02" for index in range(len(arguments))]
    filled = substitute(content, marked)
    expected = filled
    for mark, argument in zip(marked, arguments, strict=True):
        expected = expected.replace(mark, argument)
    if all(arguments):
        assert substitute(content, arguments) == expected


@pytest.mark.parametrize("unit", ["${1:-", "${@:1", "$", "${", "}"])
def test_placeholders_take_linear_time(unit: str) -> None:
    start = time.process_time()
    substitute("x}" + unit * 100_000, [])
    parse_arguments('"' + unit * 100_000)
    assert time.process_time() - start < 2


def test_description_and_hint(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "given.md": "---\ndescription: Given\nargument-hint: '[file]'\n---\n\nDo $1\n\n",
            "first.md": "\n \n" + "x" * 61 + "\nmore\n",
            "pair.md": "x" * 59 + "😀",
            "empty.md": "",
        },
    )
    found = load(tmp_path)
    assert (found["given"].description, found["given"].argument_hint) == ("Given", "[file]")
    assert found["given"].content == "Do $1"
    assert found["first"].description == "x" * 60 + "..."
    assert found["pair"].description == "x" * 59 + "..."  # Pi cuts through the pair
    assert found["empty"].description == ""


def test_broken_file_is_no_template_and_says_why(tmp_path: Path) -> None:
    write(tmp_path, {"bad.md": "---\na: 1\na: 2\n---\n", "good.md": "x"})
    found = load_templates(Disk(), [str(tmp_path), str(tmp_path / "none")])
    assert [each.name for each in found.templates] == ["good"]
    (skipped,) = found.skipped
    assert (skipped.name, skipped.reason, skipped.line) == ("bad", "invalid", 3)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("/fix a b", "Fix a."),
        ("/fix\na b", "Fix a."),
        ("/fix", "Fix ."),
        ("/fi", "/fi"),
        ("/Fix a", "/Fix a"),
        (" /fix a", " /fix a"),
        ("/", "/"),
        ("/ fix", "/ fix"),
    ],
)
def test_expand(tmp_path: Path, text: str, expanded: str) -> None:
    write(tmp_path, {"fix.md": "Fix $1."})
    assert expand_template(text, load(tmp_path).values()) == expanded


def test_blanks_around_a_path_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    assert [each.name for each in load_templates(Disk(), [f" {tmp_path} ", "file://far/x"]).templates] == ["a"]
