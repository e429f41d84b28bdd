"""What was changed: files by successful edits and writes, commits, and what no check has seen yet."""

import re

from pi_lsp.base.text import utf16_length
from pi_lsp.compaction.local_prose import line_of
from pi_lsp.compaction.local_shell import commit_subject

_PATH_UNITS = 400
_UNCHECKED_UNITS = 2000
_UNCHECKED = "Changed since a check last passed: "
_AND_MORE = re.compile(r" and (\d{1,9}) more$")
_CHANGED = re.compile(r"Changed `(.*)` \((?:(\d{1,9}) edits?)?(?:, )?(?:(\d{1,9}) writes?)?\)")
_COMMITTED = 'Committed: "{}"'


class Changes:
    """The changes so far."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        """Edits and writes by path; what changed last stands last."""
        self._unchecked: dict[str, None] = {}
        self._unchecked_more = 0
        self._checked = False
        self.notes: list[str] = []
        """Commits and what the agent said it has done, oldest first."""

    def recall_done(self, item: str) -> None:
        """Take a line of an earlier summary's finished work in."""
        match = _CHANGED.fullmatch(item) if len(item) < 1000 else None
        if match:
            self._counts[match[1]] = [int(match[2] or 0), int(match[3] or 0)]
        else:
            self.notes.append(item)

    def recall_unchecked(self, item: str) -> bool:
        """Take a line of an earlier summary in, if it is that of the unchecked files."""
        if not item.startswith(f"{_UNCHECKED}`"):
            return False
        self._checked = True
        if more := _AND_MORE.search(item):
            self._unchecked_more = int(more[1])
        names = _AND_MORE.sub("", item.removeprefix(_UNCHECKED)).strip("`").split("`, `")
        self._unchecked.update(dict.fromkeys(names))
        return True

    def changed(self, tool: str, path: str) -> None:
        """A call of `edit` or `write` that succeeded."""
        name = line_of(path, _PATH_UNITS)
        counts = self._counts.pop(name, [0, 0])
        counts[tool == "write"] += 1
        self._counts[name] = counts
        self._unchecked.pop(name, None)
        self._unchecked[name] = None

    def ran(self, command: str, *, check: bool) -> None:
        """A command that succeeded."""
        if check:
            self._checked = True
            self._unchecked.clear()
            self._unchecked_more = 0
        if subject := commit_subject(command):
            self.note(_COMMITTED.format(line_of(subject, 200)))

    def note(self, item: str) -> None:
        """A piece of finished work; one that is told twice in a row counts once."""
        if item not in self.notes[-3:]:
            self.notes.append(item)

    @property
    def files(self) -> list[str]:
        """The changed files with their counts."""
        return [f"Changed `{path}` ({_told(*counts)})" for path, counts in self._counts.items()]

    @property
    def unchecked(self) -> list[str]:
        """The files that changed since a check last passed: one line, or none."""
        if not (self._checked and self._unchecked):
            return []
        shown: list[str] = []
        room = _UNCHECKED_UNITS
        for path in reversed(self._unchecked):
            room -= utf16_length(path) + 4
            if room < 0 and shown:
                break
            shown.append(f"`{path}`")
        more = len(self._unchecked) - len(shown) + self._unchecked_more
        return [_UNCHECKED + ", ".join(reversed(shown)) + (f" and {more} more" if more else "")]


def _told(edits: int, writes: int) -> str:
    parts = [f"{count} {word}{'s' * (count > 1)}" for count, word in ((edits, "edit"), (writes, "write")) if count]
    return ", ".join(parts)
