"""Whether an answer is the one Pi gave: every difference, by its JSON path.

Strict JSON equality (an absent key is not null, true is not 1, 5 is 5.0), except where the vectors stand for a value
instead of giving it: digests of long strings, placeholders, generated ids, one-line messages in our own words.
"""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pi_lsp.base.json import to_utf8
from pi_lsp.base.text import utf8_length, utf16_length
from tests.conformance.messages import Messages
from tests.conformance.texts import utf16_units

_PLACEHOLDER = re.compile(
    r"\$(?:ID[0-9]+|TSMS|TS|NOW|FULL_OUTPUT|SESSION_FILE|NEWFILE|PROCESS_CWD|PKG|YAML_ERROR|JSON_ERROR)(?![A-Z0-9_])"
)
_ID = r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8})"
_PATTERNS = {
    "$TS": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "$FULL_OUTPUT": r"[^\s\]]+",
    "$SESSION_FILE": r"[^/\\]+\.jsonl",
    "$NEWFILE": r".+[/\\][^/\\]+\.jsonl",
    "$PKG": r"[^\n]+",
    "$YAML_ERROR": r"(?s:.+)",
    "$JSON_ERROR": r"(?s:.+)",
}
_DOCS_SECTION = re.compile(r"<docs>\n\$DOCS\n</docs>(?:\n\n)?|\n\n<docs>\n\$DOCS\n</docs>(?=\Z)")
_EARLIEST_MS, _LATEST_MS = 1_735_000_000_000, 4_000_000_000_000
_EDGE = 60


class Absent:
    """Stands in a difference for a key that is not there."""

    def __repr__(self) -> str:
        return "(absent)"


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the answer is not Pi's. `path` is like `result.files[0].path`, empty for the whole answer."""

    path: str
    expected: Any
    got: Any
    why: str = ""

    def __str__(self) -> str:
        note = f"\n    why:      {self.why}" if self.why else ""
        return f"at {self.path or '(top)'}\n    expected: {show(self.expected)}\n    got:      {show(self.got)}{note}"


@dataclass(slots=True)
class Comparison:
    """Compares one answer. `ids` is the bijection between the vectors' generated ids and ours."""

    op: str
    """`group.op`"""
    given: Any
    """The input of the case: what stands in it was not generated."""
    root: str
    cwd: str
    messages: Messages
    ids: dict[str, str] = field(default_factory=dict)

    def differences(self, expected: Any, got: Any) -> list[Difference]:
        """Every difference, in the order of the expected document."""
        expected, got = plain(expected, None), plain(got, self.root)
        if self.op == "system_prompt.build":
            expected, got = without_docs(expected), without_docs(got)
        found: list[Difference] = []
        todo: list[tuple[str, Any, Any]] = [("", expected, got)]
        while todo:
            path, want, have = todo.pop()
            if isinstance(want, dict) and isinstance(have, dict) and "$sha256" not in want:
                found += self._key_order(path, want, have)
                keys = [*want, *(key for key in have if key not in want)]
                below = [(f"{path}.{key}".lstrip("."), want.get(key, ABSENT), have.get(key, ABSENT)) for key in keys]
                todo += reversed(below)
            elif isinstance(want, list) and isinstance(have, list):
                places = range(max(len(want), len(have)))
                below = [(f"{path}[{i}]", _at(want, i), _at(have, i)) for i in places]
                todo += reversed(below)
            elif (why := self._leaf(path, want, have)) is not None:
                found.append(Difference(path, want, have, why))
        return found

    def _key_order(self, path: str, want: dict[str, Any], have: dict[str, Any]) -> Iterator[Difference]:
        if self.op.startswith("system_prompt.") and path.rpartition(".")[2] == "sections":
            wanted = [key for key in want if key in have]
            had = [key for key in have if key in want]
            if wanted != had:
                yield Difference(path, wanted, had, "the order of the sections")

    def _leaf(self, path: str, want: Any, have: Any) -> str | None:
        """None where both are the same, else a note on the difference (may be empty)."""
        if isinstance(want, dict) and "$sha256" in want:
            return _digest_difference(want, have)
        if isinstance(want, bool) or isinstance(have, bool) or want is None:
            return None if want is have else ""
        if isinstance(want, int | float) and isinstance(have, int | float):
            # Numbers are JavaScript's: past 2**53 it knows every other one at most.
            return None if float(want) == float(have) else ""
        if want in ("$NOW", "$TSMS"):
            return self._time_difference(have)
        if isinstance(want, str) and isinstance(have, str):
            return self._text_difference(path, want, have)
        return None if want is have else ""

    def _text_difference(self, path: str, want: str, have: str) -> str | None:
        if want == have:
            return None
        why = self._placeholder_difference(want, have)
        if why is not None and self.messages.stands_at(self.op, path):
            for translated in self.messages.translate(self.op, have):
                if translated == want or self._placeholder_difference(want, translated) is None:
                    return None
        return why

    def _placeholder_difference(self, want: str, have: str) -> str | None:
        names = _PLACEHOLDER.findall(want)
        if not names:
            return ""
        literals = [re.escape(text) for text in _PLACEHOLDER.split(want)]
        pattern = literals[0] + "".join(
            f"({self._pattern(name)}){text}" for name, text in zip(names, literals[1:], strict=True)
        )
        match = re.fullmatch(pattern, have)
        if match is None:
            return f"does not have the form of {', '.join(names)}" if want in names else ""
        for name, value in zip(names, match.groups(), strict=True):
            if (why := self._value_difference(name, value)) is not None:
                return why
        return None

    def _pattern(self, name: str) -> str:
        if name.startswith("$ID"):
            return _ID
        return re.escape(self.cwd) if name == "$PROCESS_CWD" else _PATTERNS.get(name, "[0-9]+")

    def _value_difference(self, name: str, value: str) -> str | None:
        if name.startswith("$ID"):
            return self._id_difference(name, value)
        if name == "$TS":
            return "this time stands in the input" if self._is_given(value) else None
        if name in ("$NOW", "$TSMS"):
            return self._time_difference(int(value))
        if name == "$YAML_ERROR" and self.messages.is_own(self.op, value):
            return "a message of Pi's own where the YAML library's is expected"
        return None

    def _time_difference(self, milliseconds: Any) -> str | None:
        if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
            return "a time in milliseconds is expected"
        if not _EARLIEST_MS < milliseconds < _LATEST_MS:
            return "no time of these years, in milliseconds"
        return "this time stands in the input" if milliseconds in set(numbers_in(self.given)) else None

    def _id_difference(self, name: str, value: str) -> str | None:
        if self.ids.setdefault(name, value) != value:
            return f"{name} was {self.ids[name]} before"
        other = next((key for key, known in self.ids.items() if known == value and key != name), None)
        if other is not None:
            return f"{value} is {other} already"
        return "this id stands in the input" if self._is_given(value) else None

    def _is_given(self, value: str) -> bool:
        return any(value in text for text in texts_in(self.given))


def plain(value: Any, root: str | None) -> Any:
    """The value as JSON.stringify leaves it (NaN is null, a tuple is a list), with `root` written as `$ROOT`."""
    match value:
        case str():
            return value if root is None else value.replace(root, "$ROOT")
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {plain(key, root): plain(item, root) for key, item in value.items()}
        case list() | tuple():
            return [plain(item, root) for item in value]
        case _:
            return value


def without_docs(built: Any) -> Any:
    """A built system prompt without the section about Pi's own documentation, which has no counterpart here."""
    match built:
        case {"text": str(text), "sections": {"docs": str(docs)} as sections, "order": list(order)} if "$DOCS" in docs:
            return {
                **built,
                "text": _DOCS_SECTION.sub("", text),
                "sections": {key: section for key, section in sections.items() if key != "docs"},
                "order": [key for key in order if key != "docs"],
            }
        case _:
            return built


def digest(text: str) -> dict[str, Any]:
    """What the vectors give in place of a long string."""
    return {
        "$sha256": hashlib.sha256(to_utf8(text)).hexdigest(),
        "utf16": utf16_length(text),
        "bytes": utf8_length(text),
        "head": utf16_units(text, 0, _EDGE),
        "tail": utf16_units(text, -_EDGE, None),
    }


def texts_in(value: Any) -> Iterator[str]:
    """Every string and key of a JSON value."""
    return (part for part in _parts(value) if isinstance(part, str))


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a JSON value."""
    return (part for part in _parts(value) if isinstance(part, int | float))


def _parts(value: Any) -> Iterator[Any]:
    """Every key and value inside a JSON value, containers left out."""
    todo = [value]
    while todo:
        match todo.pop():
            case Mapping() as fields:
                yield from fields
                todo += fields.values()
            case list() as items:
                todo += items
            case other:
                yield other


def show(value: Any, limit: int = 600) -> str:
    """A value for people, the middle left out where it is long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit // 2]} ... {text[-limit // 2 :]}"


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _digest_difference(want: dict[str, Any], have: Any) -> str | None:
    if not isinstance(have, str):
        return "a string is expected (given as its digest)"
    actual = digest(have)
    return None if actual == want else f"the digest of ours is {actual}"
