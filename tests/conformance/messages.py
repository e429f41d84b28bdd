"""One-line messages in our own words, mapped to Pi's by the table messages.toml.

A rule is `ours` (a regular expression for the whole message) and `pi` (Pi's text with `\\1`, `\\2` for the groups, so
that figures and paths are carried over), optionally only for some ops.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).parent / "messages.toml"
_PLACE = re.compile(r"(?:.*[.\]])?(?:error|message|finalError|warnings\[\d+\]|errors\[\d+\])")
_PLACES_OF_OP = {
    "skills.validate_name": re.compile(r"\[\d+\]"),
    "skills.validate_description": re.compile(r"\[\d+\]"),
    "edit.apply": re.compile("text"),
    "truncate.read_tool": re.compile("text"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One message of ours and what Pi says instead."""

    ours: re.Pattern[str]
    pi: str
    ops: tuple[str, ...] = ("*",)

    def translate(self, op: str, text: str) -> str | None:
        """Pi's message, or None where the rule is about another one."""
        if not any(fnmatchcase(op, pattern) for pattern in self.ops):
            return None
        match = self.ours.fullmatch(text)
        return match.expand(self.pi) if match else None


@dataclass(frozen=True, slots=True)
class Messages:
    """The table. `own` are the messages that a library's error must not be mistaken for."""

    rules: tuple[Rule, ...] = ()
    own: tuple[re.Pattern[str], ...] = ()

    def stands_at(self, op: str, path: str) -> bool:
        """Whether a text at this path of an answer is a one-line message."""
        return bool(_PLACE.fullmatch(path) or (op in _PLACES_OF_OP and _PLACES_OF_OP[op].fullmatch(path)))

    def translate(self, op: str, text: str) -> Iterator[str]:
        """What Pi says where we say `text`."""
        for rule in self.rules:
            if (translated := rule.translate(op, text)) is not None:
                yield translated

    def is_own(self, op: str, text: str) -> bool:
        """Whether this is a message that Pi itself words, or ours for it."""
        texts = [text, *self.translate(op, text)]
        return any(pattern.fullmatch(one) for pattern in self.own for one in texts)


@cache
def load_messages() -> Messages:
    """The table of messages.toml."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return Messages(
        rules=tuple(
            Rule(re.compile(rule["ours"]), rule["pi"], tuple(rule.get("ops", ["*"])))
            for rule in table.get("message", [])
        ),
        own=tuple(re.compile(pattern) for pattern in table.get("own", [])),
    )
