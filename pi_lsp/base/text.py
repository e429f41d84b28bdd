"""Lengths and cuts of texts, where characters, UTF-16 units and UTF-8 bytes are three different numbers.

Pi is JavaScript: its "characters" are UTF-16 units and its bytes count a lone surrogate as 3. A Python string may
hold lone surrogates (they come in by JSON escapes), never pairs of them.
"""

import re

JS_SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript's `trim` takes off: `text.strip(JS_SPACE)`. Python's own `strip` knows a few more and not the BOM."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text without lone surrogates, which no UTF-8 can hold."""
    try:
        text.encode()  # several times quicker than looking for them
    except UnicodeEncodeError:
        return _SURROGATE.sub("", text)
    return text


def utf16_length(text: str) -> int:
    """The length in UTF-16 units."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_length(text: str) -> int:
    """The length in UTF-8 bytes; a lone surrogate counts 3."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def slice_head(text: str, max_units: int) -> str:
    """At most `max_units` UTF-16 units from the start, one fewer where a pair would be split."""
    if max_units <= 0:
        return ""
    if text.isascii() or len(text) * 2 <= max_units:
        return text[:max_units]
    head = text[:max_units]
    excess = utf16_length(head) - max_units
    if excess <= 0:
        return head
    # Each astral character counts two units: drop from the end until the rest fits.
    end = len(head)
    while excess > 0:
        end -= 1
        excess -= 2 if head[end] > "\uffff" else 1
    return head[:end]


def slice_tail(text: str, max_units: int) -> str:
    """At most `max_units` UTF-16 units from the end, one fewer where a pair would be split."""
    if max_units <= 0:
        return ""
    tail = text[-max_units:]
    if tail.isascii():
        return tail
    excess = utf16_length(tail) - max_units
    start = 0
    while excess > 0:
        excess -= 2 if tail[start] > "\uffff" else 1
        start += 1
    return tail[start:]


def cut_middle(text: str, max_units: int) -> str:
    """The text; of a longer one its two ends, `max_units` UTF-16 units, and between them how much is missing.

    Two thirds are kept from the start. The note between them is not counted.
    """
    length = utf16_length(text)
    if length <= max_units:
        return text
    tail = slice_tail(text, max_units // 3)
    head = slice_head(text, max_units - max_units // 3)
    missing = length - utf16_length(head) - utf16_length(tail)
    return f"{head}\n\n[... {missing} of {length} characters left out ...]\n\n{tail}"


def one_line(text: str, max_units: int = 120) -> str:
    """A preview: white space folded to single blanks, cut to `max_units` UTF-16 units with an ellipsis."""
    folded = " ".join(text[: max_units * 8].split())
    if utf16_length(folded) <= max_units:
        return folded
    return slice_head(folded, max_units - 1) + "…"
