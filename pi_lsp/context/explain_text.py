"""The texts in which `explain` looks for a query, and how it looks: without regard to case, images never.

Most lines of a large session are told apart from the query by their raw bytes, undecoded. That is only done where it
is certain: pieces of the query that stand in JSON as they are and whose letters no other script's letters fold to.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate

from pi_lsp.base.json import Json, as_object, as_str
from pi_lsp.base.text import one_line
from pi_lsp.context.refs import PREVIEW_UNITS
from pi_lsp.context.select import entry_messages
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, blocks_of, role_of

_BEFORE = 40
"""Characters that a snippet shows before what was found."""
_ESCAPED_IN_JSON = frozenset('"\\/')
_ESCAPE = re.compile(rb"\\u(?!00[01])")
"""An escape of more than a control character: any text may hide behind it."""
_FOLD_TO_ASCII = tuple(letter.encode() for letter in "\u0130\u212a")
"""The letters outside ASCII whose lower case is, or begins with, an ASCII letter."""


def fold(text: str) -> str:
    """The text as it is compared: in lower case, with one form of sigma."""
    return text.lower().replace("ς", "σ")


class Query:
    """A text that is looked for. It is not empty."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text)

    def is_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts holds it."""
        return any(self._folded in fold(text) for text in texts)

    def may_be_in(self, line: bytes) -> bool:
        """Whether a JSON text may hold it in a string; only a no is certain."""
        if not self._pieces:
            return True
        lowered = line.lower()
        if all(piece in lowered for piece in self._pieces):
            return True
        if b"\\u" in line and _ESCAPE.search(line):
            return True
        return not line.isascii() and any(letter in line for letter in _FOLD_TO_ASCII)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands in the text, as indices of characters, without overlaps."""
        folded = fold(text)
        # Where folding makes letters longer: the index in `folded` behind each letter of the text.
        ends = [] if len(folded) == len(text) else list(accumulate(len(fold(letter)) for letter in text))
        at = folded.find(self._folded)
        while at >= 0:
            end = at + len(self._folded)
            yield (bisect_right(ends, at), bisect_left(ends, end) + 1) if ends else (at, end)
            at = folded.find(self._folded, end)

    def snippet(self, texts: Iterable[str]) -> str:
        """One line of the first text that holds it, with a little of what stands around."""
        for text in texts:
            for start, _ in self.places(text):
                begin = max(0, start - _BEFORE)
                return one_line(("…" if begin else "") + text[begin:], PREVIEW_UNITS)
        return ""

    @cached_property
    def _pieces(self) -> list[bytes]:
        """The runs of the query that a line must hold byte for byte once its ASCII letters are in lower case."""
        marked = "".join(letter if _stands_for_itself(letter) else "\0" for letter in self._folded)
        return sorted((piece.encode() for piece in marked.split("\0") if piece), key=len, reverse=True)


def entry_texts(entry: Entry) -> Iterator[str]:
    """The texts that an entry stores for somebody to read: of its messages, its label, the session's name."""
    for message in entry_messages(entry):
        yield from message_texts(message)
    match entry.type:
        case "label":
            yield as_str(entry.get("label"))
        case "session_info":
            yield as_str(entry.get("name"))
        case "context_edit":
            yield from _content_texts(as_object(entry.get("replacement")))
        case _:
            pass


def message_texts(message: Message) -> Iterator[str]:
    """The texts of a message: what was said and thought, called and answered."""
    match role_of(message):
        case "bashExecution":
            yield as_str(message.get("command"))
            yield as_str(message.get("output"))
        case "branchSummary" | "compactionSummary":
            yield as_str(message.get("summary"))
        case "system":
            yield from _content_texts(message)
            yield from map(as_str, as_object(message.get("sections")).values())
            yield from _strings(message.get("toolsAdded"))
        case _:
            yield from _content_texts(message)


def _content_texts(message: Message) -> Iterator[str]:
    for block in blocks_of(message):
        match block.get("type"):
            case "text":
                yield as_str(block.get("text"))
            case "thinking":
                yield as_str(block.get("thinking"))
            case "toolCall":
                yield as_str(block.get("name"))
                yield from _strings(block.get("arguments"))
            case _:
                pass


def _strings(value: Json) -> Iterator[str]:
    """All strings in a value, those that are keys too."""
    stack = [value]
    while stack:
        match stack.pop():
            case str() as text:
                yield text
            case dict() as fields:
                yield from fields
                stack += fields.values()
            case list() as items:
                stack += items
            case _:
                pass


def _stands_for_itself(letter: str) -> bool:
    if letter.isascii():
        return letter.isprintable() and letter not in _ESCAPED_IN_JSON
    return letter == letter.upper() == letter.lower() and not "\ud800" <= letter <= "\udfff"
