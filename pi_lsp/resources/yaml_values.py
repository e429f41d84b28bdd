"""The values of a YAML text, made of the events of its parser.

Scalars follow the core schema of YAML 1.2, a key stands once, and where the parser (ruamel.yaml) lets pass what Pi's
refuses, it is refused here. Nothing recurses, no value holds itself, and aliases cannot make a small text huge.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from pi_lsp.base.json import Json, JsonObject, as_object, encode, kind

MAX_DEPTH = 64
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
"""Collections within collections that are read; the parser is quadratic in their depth."""

MAX_VALUES = 100_000
"""Values that a text may hold, those of its aliases counted each time."""

WORDS: Mapping[str, Json] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
"""Plain scalars of the core schema that are no strings, without the numbers."""


class YamlError(Exception):
    """The text is not the YAML that is read here; `line` counts its lines from 0."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


# ruamel.yaml ends a text at NUL, breaks lines where YAML 1.1 did, and knows no tab within a line; Pi's parser and
# YAML 1.2 do otherwise. So these characters pass it in disguise.
_DISGUISE = {"\x85": "\U0010fe85", "\ufeff": "\U0010feff", "\u2028": "\U0010fe28", "\u2029": "\U0010fe29"}
_DISGUISED_TAB = "\U0010fe09"
_HIDE = str.maketrans({**_DISGUISE, "\0": "\ufffd"})
_SHOW = str.maketrans({**{hidden: shown for shown, hidden in _DISGUISE.items()}, _DISGUISED_TAB: "\t"})
_SEPARATING_TABS = re.compile(r"(?<=[:\-?,])(?= *\t)[ \t]++|(?<![ \t])(?= *\t)[ \t]++(?=#|$)")
_INDENTING_TABS = re.compile(r"(?<=^ )( *)\t[ \t]*")
_BLOCK_HEADER = re.compile(r"(?<![^:\-?\s])[|>][-+1-9]{0,2}(?:[ \t]+#.*|[ \t]*)$")
_STRUCTURE = re.compile(r"[ \t]*(?:[-?:](?:\s|$)|[^#\s].*:(?:\s|$))")
_INNER_TAB = re.compile(r"(?<=\S)( *)\t(?=[ \t]*[^\s#])")


def prepare(yaml: str) -> str:
    """The text as the parser is to be given it; `build` brings back what was changed."""
    return ("\n".join(_without_tabs(yaml.split("\n"))) if "\t" in yaml else yaml).translate(_HIDE)


def _without_tabs(lines: Iterable[str]) -> Iterator[str]:
    """The lines with tabs as blanks where they separate, and in disguise where they are text."""
    block_indent: int | None = None
    opens_value = True
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if block_indent is not None and (indent > block_indent or indent == len(line)):
            yield line.replace("\t", _DISGUISED_TAB)
            continue
        # Where a value begins, no tab may stand before a key or a list's item; anywhere else it only separates.
        if not (opens_value and _STRUCTURE.match(line)):
            line = _INDENTING_TABS.sub(r"\1", line)
        line = _INNER_TAB.sub(rf"\1{_DISGUISED_TAB}", _SEPARATING_TABS.sub(" ", line))
        yield line
        block_indent = indent if _BLOCK_HEADER.search(line) else None
        if line.strip():
            opens_value = line.rstrip().endswith(":")


class Mark(Protocol):
    """A place in the text, counted from 0."""

    line: int
    column: int


class Event(Protocol):
    """What is used of the parser's events."""

    start_mark: Mark
    end_mark: Mark
    anchor: str | None
    tag: object
    value: str
    style: str | None
    flow_style: bool | None


def build(text: str, events: Iterable[Event]) -> tuple[JsonObject, dict[str, int]]:
    """The mapping that a text holds (empty where it holds something else), and the line (from 0) of every key.

    Raises:
        YamlError: the events make no single, valid value.
    """
    builder = _Builder(text)
    for event in events:
        builder.take(event)
    return as_object(builder.root), builder.lines


class _Builder:
    """Takes one event after the other; the collections that are still open are its stack."""

    def __init__(self, text: str) -> None:
        self.root: Json = None
        self.lines: dict[str, int] = {}
        self._text = text.split("\n")
        self._documents = 0
        self._anchors: dict[str, tuple[Json, int]] = {}
        self._values = 0
        self._open: list[_Collection] = []

    def take(self, event: Event) -> None:
        """Take the next event. Raises YamlError."""
        line = event.start_mark.line
        match type(event).__name__:
            case "ScalarEvent":
                self._check_indent(event)
                if event.style in ("'", '"'):
                    self._check_end(event)
                value = _scalar(event)
                self._add(value, line)
                if event.anchor:
                    self._anchors[event.anchor] = (value, 1)
            case "AliasEvent":
                if event.anchor not in self._anchors:
                    raise YamlError(f"the alias *{event.anchor} stands for nothing", line)
                value, size = self._anchors[event.anchor]
                self._add(value, line, size)
            case "MappingStartEvent":
                self._start({}, event)
            case "SequenceStartEvent":
                self._start([], event)
            case "MappingEndEvent" | "SequenceEndEvent":
                closed = self._open.pop()
                if closed.flow:
                    self._check_end(event)
                if closed.anchor:
                    self._anchors[closed.anchor] = (closed.value, self._values - closed.values_before)
            case "DocumentStartEvent":
                self._documents += 1
                if self._documents > 1:
                    raise YamlError("a second YAML document begins", line)
            case _:
                pass

    def _check_indent(self, event: Event) -> None:
        """Refuse what stands too far left: a later line of a quoted text, an item between brackets."""
        indent = next((each.column for each in reversed(self._open) if not each.flow), -1)
        if self._open and self._open[-1].flow and event.start_mark.column <= indent:
            raise YamlError("an item between brackets is not indented", event.start_mark.line)
        if event.style not in ("'", '"'):
            return
        for number in range(event.start_mark.line + 1, event.end_mark.line + 1):
            rest = self._text[number].lstrip(" ")
            if rest and len(self._text[number]) - len(rest) <= indent:
                raise YamlError("a line of the quoted text is not indented", number)

    def _check_end(self, event: Event) -> None:
        """Refuse a comment that touches the quote or bracket before it."""
        line, column = event.end_mark.line, event.end_mark.column
        if line < len(self._text) and self._text[line].startswith("#", column):
            raise YamlError("a comment needs a blank before it", line)

    def _start(self, value: list[Json] | JsonObject, event: Event) -> None:
        line = event.start_mark.line
        if len(self._open) == MAX_DEPTH:
            raise YamlError(TOO_DEEP, line)
        self._add(value, line)
        self._open.append(_Collection(value, event, self._values - 1))

    def _add(self, value: Json, line: int, size: int = 1) -> None:
        self._values += size
        if self._values > MAX_VALUES:
            raise YamlError(f"more than {MAX_VALUES} values", line)
        if not self._open:
            self.root = value
        elif (key := self._open[-1].add(value, line)) is not None and len(self._open) == 1:
            self.lines[key] = line


class _Collection:
    """A list or a mapping that is being filled."""

    def __init__(self, value: list[Json] | JsonObject, event: Event, values_before: int) -> None:
        self.value = value
        self.anchor = event.anchor
        self.column = event.start_mark.column
        self.flow = bool(event.flow_style)
        self.values_before = values_before
        self._key: str | None = None
        self._keys: set[tuple[str, str]] = set()

    def add(self, value: Json, line: int) -> str | None:
        """Add an item, a key or the value of the last key; gives the key if it is one. Raises YamlError."""
        if isinstance(self.value, list):
            self.value.append(value)
            return None
        if self._key is not None:
            self.value[self._key] = value
            self._key = None
            return None
        if isinstance(value, list | dict):
            key = f"<{kind(value)} {len(self.value)}>"  # a collection is no key that anybody asks for
        else:
            key = value if isinstance(value, str) else "" if value is None else encode(value)
            if (kind(value), key) in self._keys:
                raise YamlError(f"the key {key!r} stands twice", line)
            self._keys.add((kind(value), key))
        self.value[key] = None
        self._key = key
        return key


_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


def _scalar(event: Event) -> Json:
    """The value of a scalar in the core schema of YAML 1.2."""
    text = event.value.translate(_SHOW)
    if _SURROGATE.search(text):  # two escapes may make one character
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    tag = None if event.tag is None else str(event.tag)
    if tag not in _CORE_TAGS if tag is not None else event.style is not None:
        return text
    if text in WORDS:
        return WORDS[text]
    if _NUMBER.fullmatch(text):
        return float(text) if len(text) > 300 or not text.lstrip("+-").isdigit() else int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    return float(text.replace(".", "")) if _NOT_FINITE.fullmatch(text) else text
