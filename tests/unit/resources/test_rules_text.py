import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.resources.rule_text import decode_rule


@given(st.text())
def test_text_comes_back_as_it_was_but_for_one_mark(text: str):
    decoded = decode_rule(text.encode("utf-8", "replace"))
    assert decoded.content == text.encode("utf-8", "replace").decode().removeprefix("\ufeff")


@given(st.binary())
def test_R6_everything_before_the_bad_byte_is_text_and_the_byte_is_not(raw: bytes):
    bad = decode_rule(raw).bad_byte
    good = raw if bad is None else raw[:bad]
    assert b"\0" not in good
    good.decode()
    if bad is not None:
        assert raw[bad] == 0 or raw[bad] >= 0x80


@pytest.mark.parametrize(
    ("raw", "offset"),
    [
        ("# Règles".encode("latin-1"), 3),
        ("# Rules".encode("utf-16"), 0),
        ("# Rules".encode("utf-16-le"), 1),
        ("# Rules".encode("utf-16-be"), 0),
        (b"\xef\xbb\xbf# Rules\n", None),
        (b"", None),
    ],
)
def test_R6_other_encodings_are_found_at_their_first_byte_that_cannot_be(raw: bytes, offset: int | None):
    assert decode_rule(raw).bad_byte == offset


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\r\n", 2)]
)
def test_lines_are_those_an_editor_numbers_without_the_empty_last_one(text: str, lines: int):
    assert decode_rule(text.encode()).lines == lines


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n# Two\n", "One"),
        ("\ufeff# One\r\n", "One"),
        ("intro\n\n  ### Deep ###\n", "Deep"),
        ("# C#\n", "C#"),
        ("#!/bin/sh\n#tag\n", None),
        ("    # code\n", None),
        ("```sh\n# comment\n```\n# Real\n", "Real"),
        ("````md\n```\n# in\n```\n````\n# out\n", "out"),
        ("~~~\n```\n# in\n~~~\n# out\n", "out"),
        ("```\n# never closed\n", None),
        ("#   \n## Next\n", "Next"),
        ("no heading", None),
    ],
)
def test_title_is_the_first_heading_outside_code(text: str, title: str | None):
    assert decode_rule(text.encode()).title == title


@pytest.mark.parametrize(
    "piece",
    ["# " + " #" * 50_000, "#" * 100_000, " " * 100_000, "```\n" * 50_000, "# " * 100_000, "# x" + " " * 200_000 + "y"],
)
def test_hostile_texts_take_linear_time(piece: str):
    start = time.process_time()
    decode_rule(piece.encode())
    assert time.process_time() - start < 1
