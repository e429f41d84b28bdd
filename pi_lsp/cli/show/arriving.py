"""An answer as it arrives: line by line, the first lines of it."""

from rich.padding import Padding
from rich.text import Text

from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import Screen, plural


class Arriving:
    """Shows a text whose pieces come one after the other; each line when it is full."""

    def __init__(self, screen: Screen, limit: int, indent: int = 2) -> None:
        """`limit`: so many lines are shown, and then a word on how many more there were."""
        self._screen = screen
        self._left = limit
        self._indent = indent
        self._rest = ""
        self._hidden = 0

    def add(self, piece: str) -> None:
        """Take in more of the text."""
        text = self._rest + clean(piece)
        begun = text.rstrip(" ")  # spaces at the end are dropped in wrapping, but a word may follow
        *whole, last = self._wrapped(begun)
        for line in whole:
            self._show(line)
        self._rest = last + text[len(begun) :]

    def end(self) -> None:
        """Show what is left. May be called again: then there is nothing left."""
        if self._rest.strip():
            self._show(self._rest)
        if self._hidden:
            self._screen.note(f"… {plural(self._hidden, 'more line')}", indent=self._indent)
        self._rest, self._hidden = "", 0

    def _wrapped(self, text: str) -> list[str]:
        console = self._screen.console
        return [line.plain for line in Text(text).wrap(console, console.width - self._indent)] or [""]

    def _show(self, line: str) -> None:
        if self._left > 0:
            self._left -= 1
            self._screen.console.print(Padding(Text(line), (0, 0, 0, self._indent)))
        else:
            self._hidden += 1


def show_shortened(screen: Screen, text: str, limit: int, indent: int = 2) -> None:
    """The first lines of a text."""
    arriving = Arriving(screen, limit, indent)
    arriving.add(text)
    arriving.end()
