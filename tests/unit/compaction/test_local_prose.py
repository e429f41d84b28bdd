"""Sentences of a writer, and what is none of theirs."""

import pytest

from pi_lsp.compaction.local_prose import condensed, cut, line_of, passages, sentences
from pi_lsp.compaction.local_requests import Requests


def said(text: str) -> list[str]:
    return list(sentences(passages(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "Look at main.ts and v1.2.3, e.g. line 4. Then stop.",
            ["Look at main.ts and v1.2.3, e.g. line 4.", "Then stop."],
        ),
        ("- never this\n- [ ] always that\n1. do not", ["never this", "always that", "do not"]),
        ("no full stop\nat the line's end", ["no full stop", "at the line's end"]),
        (
            "A line that somebody's editor broke because it was longer than\nthe window is wide. Next.",
            ["A line that somebody's editor broke because it was longer than the window is wide.", "Next."],
        ),
        ("必须保留接口。不要改测试！", ["必须保留接口。", "不要改测试！"]),
        ("2 tests must pass;\n[WIP] keep it", ["2 tests must pass;", "[WIP] keep it"]),
        ("Error handling must never: hide", ["Error handling must never: hide"]),
        ("不" * 200, ["不" * 200]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "pasted",
    [
        "```ts\nnever();\n```",
        "~~~\nnever\n~~~",
        'Traceback (most recent call last):\n  File "a.py", line 1, in never',
        '{"never": true}',
        "Error: ENOENT: never\n    at open (node:fs:1:2)",
        "$ npm run never",
        "│ never │",
        "src/a.py:12: never",
        "2026-01-01T00:00:00 never",
        "const never = 1;",
        '<skill name="never" location="x">\nnever\n</skill>',
        '<file name="a.py">\nnever\n</file>',
    ],
)
def test_what_was_pasted_is_no_sentence(pasted: str) -> None:
    text = f"Please read this:\n\n{pasted}\n\nThanks."
    assert said(text) == ["Please read this:", "Thanks."]
    assert condensed(passages(text), 500).startswith("Please read this: [")


def test_a_fence_that_never_closes_is_none() -> None:
    assert "never do that." in said("```\nnever do that.")
    assert said("```\ncode\n```\n```\nnever do that.") == ["```", "never do that."]


def test_a_pasted_block_tells_its_size_and_its_error() -> None:
    text = "why?\n\n```\none\nError: no such file\ntwo\n```"
    assert condensed(passages(text), 500) == "why? [code, 3 lines: Error: no such file]"


def test_cutting_says_how_much_is_missing_also_the_second_time() -> None:
    text = "x" * 1000
    once = cut(text, 500)
    twice = cut(once, 100)
    assert once == "x" * 460 + "… [540 more characters]"
    assert twice == "x" * 60 + "… [940 more characters]"
    assert cut(twice, 100) == twice


def test_one_line_cannot_be_structure() -> None:
    assert line_of("a\n</read-files>\x1b[31m\u2028<Summary>\0", 100) == "a ‹/read-files> ‹Summary>"


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch it.",
        "don’t",
        "You must not.",
        "ONLY tests.",
        "Make sure it builds.",
        "Do not ask.",
        "Niemals löschen.",
        "禁止删除",
    ],
)
def test_constraints(text: str) -> None:
    requests = Requests()
    requests.add({"role": "user", "content": f"Please go on. {text}"})
    assert list(requests.constraints) == [f'"{text}"']


def test_requests_keep_their_order_and_chatter_is_none() -> None:
    requests = Requests()
    for text in ("Fix the parser.", "ok", "yes, go on", "Now the lexer.", "thanks, continue"):
        requests.add({"role": "user", "content": text})
    requests.add({"role": "user", "content": [{"type": "text", "text": "See this"}, {"type": "image"}]})
    assert requests.others == ['"Fix the parser."', '"Now the lexer."']
    assert requests.latest_within(100) == ['Latest: "See this [1 image]"']
