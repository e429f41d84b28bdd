"""The sessions of a folder."""

from rich.text import Text

from pi_lsp.api.sessions import ListedSession, SessionList
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import Screen, joined, plural


def show_sessions(screen: Screen, listing: SessionList) -> None:
    """Newest first; each with the path that the other commands take."""
    screen.heading(
        "Sessions", f"{len(listing.sessions)} shown" if listing.next else plural(len(listing.sessions), "session")
    )
    if not listing.sessions:
        screen.note("None for this folder. Pi makes one with the first message; `--all` shows other folders.")
    for session in listing.sessions:
        _show(screen, session)
    for problem in listing.problems:
        screen.note(f"not a session: {screen.shorten(problem)}", "yellow")


def _show(screen: Screen, session: ListedSession) -> None:
    title = session.name or session.first_message or "(nothing was said)"
    line = Text("  ")
    line.append(session.modified[:16].replace("T", " "), "cyan")
    line.append(f"  {clean(title)}", "bold" if session.name else "")
    line.truncate(screen.console.width, overflow="ellipsis")
    facts = joined(
        [
            plural(session.entries, "entry") if session.entries is not None else None,
            _size(session.bytes),
            screen.path(session.cwd) if screen.path(session.cwd) != "." else None,
            "open in another window" if session.open_elsewhere else None,
            f"continued in {screen.path(session.continued_in)}" if session.continued_in else None,
        ]
    )
    screen.print(line, Text(f"    {facts}", "dim"))
    screen.verbatim(screen.path(session.file))


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
