"""A screen that keeps what is shown on it."""

import io

from rich.console import Console

from pi_lsp.cli.show.screen import Screen


def screen(width: int = 80, base: str = "/work", home: str = "/home/me") -> Screen:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False)
    return Screen(base, console, home)


def shown(screen: Screen) -> list[str]:
    """The lines, without the blanks that fill them up."""
    assert isinstance(screen.console.file, io.StringIO)
    return [line.rstrip() for line in screen.console.file.getvalue().splitlines()]
