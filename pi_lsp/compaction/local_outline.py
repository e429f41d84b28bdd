"""The form of a summary: sections of items. Written, and read back whoever wrote it.

An item is one line, or a line with further ones below it. Reading knows the headings of Pi's summaries in any level
and under some other names; what stands under a heading that nobody knows is carried under Critical Context with it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from pi_lsp.compaction.local_prose import BULLET, line_of, without_bullets
from pi_lsp.compaction.model_summary import NO_HISTORY, TURN_PREFIX_HEADING

Section: TypeAlias = Literal[
    "goal", "constraints", "done", "in_progress", "blocked", "decisions", "next_steps", "critical"
]
Outline: TypeAlias = dict[Section, list[str]]

SECTIONS: Final[tuple[Section, ...]] = (
    "goal",
    "constraints",
    "done",
    "in_progress",
    "blocked",
    "decisions",
    "next_steps",
    "critical",
)
NONE = "(none)"

_LINE_UNITS = 3000
_MOST_LINES = 40

_HEADINGS: Mapping[Section, str] = {
    "goal": "## Goal",
    "constraints": "## Constraints & Preferences",
    "done": "## Progress\n### Done",
    "in_progress": "### In Progress",
    "blocked": "### Blocked",
    "decisions": "## Key Decisions",
    "next_steps": "## Next Steps",
    "critical": "## Critical Context",
}
_BULLETS: Mapping[Section, str] = {"done": "- [x] ", "in_progress": "- [ ] "}
_NAMES: Mapping[str, Section] = {
    "goal": "goal",
    "goals": "goal",
    "original request": "goal",
    "constraints & preferences": "constraints",
    "constraints and preferences": "constraints",
    "constraints": "constraints",
    "preferences": "constraints",
    "user preferences": "constraints",
    "progress": "done",
    "progress so far": "done",
    "done": "done",
    "completed": "done",
    "in progress": "in_progress",
    "blocked": "blocked",
    "blockers": "blocked",
    "key decisions": "decisions",
    "decisions": "decisions",
    "next steps": "next_steps",
    "critical context": "critical",
    "context needed to continue": "critical",
}

_HEADING = re.compile(r"#{1,6}\s+(.{1,300})")
_REMARK = re.compile(r"\(\d+ [^\n]{1,200}\)$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_FILES = ("read-files", "modified-files")
_EMPTY = frozenset({NONE, "none", "none.", "n/a", NO_HISTORY.lower(), *TURN_PREFIX_HEADING.lower().split("\n")})


def write(outline: Outline) -> str:
    """The text of a summary, all headings in their order."""
    parts: list[str] = []
    for section in SECTIONS:
        items = outline.get(section) or [NONE]
        text = "\n".join(_written(section, number, item) for number, item in enumerate(items, 1))
        parts.append(f"{_HEADINGS[section]}\n{text}")
    return "\n\n".join(parts)


def read(summary: str) -> Outline:
    """The items of a summary by section. What stands before the first heading counts as critical context."""
    reader = _Reader()
    for line, fenced in _lines_without_files(summary):
        reader.take(line, fenced=fenced)
    reader.close()
    return reader.outline


class _Reader:
    """Takes lines and makes items of them."""

    def __init__(self) -> None:
        self.outline: Outline = {section: [] for section in SECTIONS}
        self._section: Section = "critical"
        self._item: list[str] = []
        self._unknown = False  # under a heading that nobody knows, all lines go below it

    def take(self, line: str, *, fenced: bool) -> None:
        text = line_of(line, _LINE_UNITS)
        indent = min(len(line) - len(line.lstrip(" ")), 12)
        if not fenced and (heading := _HEADING.match(line)):
            self._begin(line_of(heading[1], 300).strip("#*: "))
        elif not text:
            if not (fenced or self._unknown):
                self.close()
        elif self._unknown:
            self._item.append(" " * indent + text)
        elif self._item and (fenced or indent >= 2):
            self._item.append(" " * max(0, indent - 2) + text)
        elif self._item and len(self._item) == 1 and not BULLET.match(text):
            self._item[0] = line_of(f"{self._item[0]} {text}", _LINE_UNITS)
        else:
            self.close()
            self._item.append(without_bullets(text))

    def close(self) -> None:
        """End the item."""
        lines = [line for line in self._item if line.strip() and line.strip().lower() not in _EMPTY]
        while lines and not without_bullets(lines[0].lstrip()):
            del lines[0]
        if len(lines) > self._unknown:
            lines[0] = without_bullets(lines[0].lstrip())
            self.outline[self._section].append("\n".join(_bounded(lines)))
        self._item.clear()
        self._unknown = False

    def _begin(self, name: str) -> None:
        self.close()
        section = _NAMES.get(name.lower())
        self._section, self._unknown = section or "critical", section is None
        if self._unknown:
            self._item.append(f"**{name}**")


def _written(section: Section, number: int, item: str) -> str:
    if item == NONE:
        return item
    if _REMARK.match(item):  # no step and no work
        return f"- {item}"
    bullet = f"{number}. " if section == "next_steps" else _BULLETS.get(section, "- ")
    return bullet + item.replace("\n", "\n  ")


def _bounded(item: list[str]) -> list[str]:
    if len(item) <= _MOST_LINES:
        return item
    return [*item[: _MOST_LINES - 1], f"({len(item) - _MOST_LINES + 1} more lines left out)"]


def _lines_without_files(summary: str) -> Iterator[tuple[str, bool]]:
    """The lines with whether they stand in a code fence; fences themselves and file lists are gone."""
    lines = summary.split("\n")
    fences = sum(1 for line in lines if _FENCE.match(line))
    fenced, closing = False, ""
    ends = {f"</{tag}>" for tag in _FILES} & set(lines)
    for line in lines:
        if closing:
            closing = "" if line == closing else closing
        elif line[1:-1] in _FILES and f"</{line[1:-1]}>" in ends and not fenced:
            closing = f"</{line[1:-1]}>"
        elif _FENCE.match(line):
            fences -= 1
            fenced = not fenced and fences > 0
        else:
            yield line, fenced
