"""Texts, names and JSON values in a form that every provider takes."""

import re

import msgspec

from pi_lsp.base.json import Json, decode, encode
from pi_lsp.base.text import JS_SPACE, without_surrogates

_SPACE = JS_SPACE + "\x1c\x1d\x1e\x1f\x85"
# In JSON text an escape may only be told from an escaped backslash by reading both.
_BAD_ESCAPE = re.compile(r"(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})")
_BAD_NAME = re.compile("[^A-Za-z0-9_-]")
_MAX_NAME = 128


def is_blank(text: str) -> bool:
    """Whether there is nothing but white space, by JavaScript's or by Python's idea of it."""
    return not text.strip(_SPACE)


def clean_text(text: str) -> str:
    """The text without NULs and lone surrogates."""
    return without_surrogates(text).replace("\0", "")


def clean_json(value: Json) -> Json:
    """The value with every string and key in it cleaned; the same object where nothing had to go.

    Raises:
        RecursionError: it is nested too deeply to be sent at all.
    """
    try:
        if b"\\u0000" not in msgspec.json.encode(value):
            return value
    except UnicodeEncodeError:  # a lone surrogate
        pass
    text = encode(value)
    cleaned = _BAD_ESCAPE.sub(lambda match: match[1] or "", text)
    return value if cleaned == text else decode(cleaned)


def clean_name(name: str) -> str:
    """A tool's name as the Messages API takes it: letters, digits, `_` and `-`, 1 to 128 of them."""
    return _BAD_NAME.sub("_", name)[:_MAX_NAME] or "unnamed"
