"""The terminal that results are shown on, and how small things look on it: paths, numbers, who spoke."""

import codecs
import os
import shutil
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleDimensions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pi_lsp.base.paths import home_dir, is_within, uri_to_path
from pi_lsp.cli.plain import clean

YES, NO, CHANGED = "●", "○", "◐"
"""A thing counts, does not count, counts in another form."""

_PLAIN = str.maketrans("●○◐▸│├╰╴─…·→–—•█✓✗“”‘’", "*o~>||`--.->--*#+x\"\"''")
_WHO = {
    "user": "you",
    "assistant": "model",
    "toolResult": "tool",
    "bashExecution": "you ran",
    "system": "prompt",
    "custom": "note",
    "branchSummary": "branch",
    "compactionSummary": "summary",
    "branch_summary": "branch",
    "compaction": "summary",
    "custom_message": "note",
    "model_change": "model set",
    "thinking_level_change": "thinking",
    "context_edit": "edit",
    "session_info": "name",
}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller; rich would end the process."""
        raise BrokenPipeError


class Screen:
    """A console, and the folder that paths on it are shortened to."""

    def __init__(self, base: str, console: Console | None = None, home: str | None = None) -> None:
        self.console = console or standard_console()
        self.base = base
        self._home = home or home_dir()

    def print(self, *lines: RenderableType) -> None:
        """Print things below each other."""
        for line in lines:
            self.console.print(line)

    def heading(self, title: str, *facts: str) -> None:
        """A title, with facts behind it in a quieter voice."""
        line = Text().append(clean(title), "bold")
        for fact in filter(None, facts):
            line.append(f"  ·  {clean(fact)}", "dim")
        self.print(line)

    def note(self, text: str, style: str = "dim", indent: int = 2) -> None:
        """A remark below something, set in."""
        self.console.print(Padding(Text(clean(text), style), (0, 0, 0, indent)))

    def verbatim(self, text: str, indent: int = 4) -> None:
        """A line that is there to be copied: the terminal may wrap it, we do not."""
        self.console.print(Text(" " * indent + clean(text), "dim"), soft_wrap=True)

    def path(self, place: str) -> str:
        """A path or file URI as short as it stays clear: from the folder, from `~`, or whole."""
        path = uri_to_path(place) or place
        if os.path.isabs(path):
            if is_within(self.base, path):
                path = os.path.relpath(path, self.base)
            elif is_within(self._home, path):
                path = os.path.join("~", os.path.relpath(path, self._home))
        return clean(path)

    def shorten(self, text: str) -> str:
        """A sentence, with the paths in it shortened."""
        for folder, short in ((self.base, ""), (self._home, "~/")):
            if len(folder) > 1:
                text = text.replace(folder + os.sep, short)
        return clean(text)


def standard_console() -> Console:
    """Standard output. A character that it cannot show becomes a plain one, never an error."""
    codecs.register_error("pi_lsp.plain", _plain)
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="pi_lsp.plain")
    console = _Console(markup=False, emoji=False, highlight=False)
    if console.is_dumb_terminal:  # rich says 80 columns of it, whatever it has
        console.size = ConsoleDimensions(*shutil.get_terminal_size())
    return console


def grid(*columns: str) -> Table:
    """A table without lines. Each column is `left`, `right`, `path` (folded) or `text` (takes the room, wrapped)."""
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    for kind in columns:
        match kind:
            case "right":
                table.add_column(justify="right", no_wrap=True)
            case "path":
                table.add_column(overflow="fold", ratio=2)
            case "text":
                table.add_column(overflow="fold", ratio=3)
            case "line":
                table.add_column(overflow="ellipsis", no_wrap=True, ratio=1)
            case _:
                table.add_column(no_wrap=True)
    return table


def count(number: int) -> str:
    """A number with its thousands set apart."""
    return f"{number:,}"


def plural(number: int, thing: str) -> str:
    """`1 file`, `2 files`, `3 entries`, `4 branches`."""
    if number != 1:
        thing = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}es" if thing.endswith("ch") else f"{thing}s"
    return f"{count(number)} {thing}"


def who(kind: str, role: str | None = None) -> str:
    """Who an entry or message is from, in a word."""
    known = role if kind in ("message", "") else kind
    return _WHO.get(known or kind, clean(known or kind))


def joined(parts: Iterable[str | None]) -> str:
    """The parts that are there, with commas between."""
    return ", ".join(part for part in parts if part)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(character if ord(character) < 128 else "?" for character in text), error.end
