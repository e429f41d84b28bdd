"""What the model would see, and what each piece of it weighs."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.text import Text

from pi_lsp.api.context import Context, ContextMessage, ContextSection
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import Screen, count, grid, plural

_BAR = 8
_ROLES = {"assistant": "model", "toolResult": "tool"}


class _Row(NamedTuple):
    about: Text
    tokens: int | None = None


def show_context(screen: Screen, context: Context, limit: int | None = None) -> None:
    """The prompt, the tools and the messages in the order in which the model reads them.

    Of the messages all, or the last `limit` with a line that tells how many were before.
    """
    share = f"{context.total / context.window:.1%}" if context.window else "?"
    used = f"{count(context.total)} of {plural(context.window, 'token')}"
    screen.heading("What the model would see", f"{used} ({share}), {context.source}")
    if context.doubt:
        screen.note(screen.shorten(context.doubt), "yellow")
    messages = [_Row(_message(message), message.tokens) for message in context.messages]
    cut = max(len(messages) - limit, 0) if limit else 0
    before = sum(row.tokens or 0 for row in messages[:cut])
    tools = ", ".join(clean(tool.name) for tool in context.tools) or "none yet: they come with the first request"
    _show(
        screen,
        [
            _Row(Text("System prompt", "bold")),
            *(_Row(_section(screen, section), section.tokens) for section in context.sections),
            _Row(Text("Tools", "bold")),
            _Row(Text(f"  {tools}"), sum(tool.tokens for tool in context.tools)),
            _Row(Text("Messages" if messages else "Messages: none yet", "bold")),
            *([_Row(Text(f"  … {plural(cut, 'message')} before", "dim"), before)] if cut else []),
            *messages[cut:],
        ],
    )
    if context.source == "measured":
        screen.note("The total is what the provider counted; that of each piece is our estimate.")
    room = context.window - context.reserve
    keep = count(context.keep_recent)
    screen.note(f"Compaction begins past {plural(room, 'token')} and keeps about the newest {keep}.")


def _show(screen: Screen, rows: Iterable[_Row]) -> None:
    rows = list(rows)
    most = max((row.tokens or 0 for row in rows), default=0)
    table = grid("line", "left", "right")
    table.expand = True
    for about, tokens in rows:
        weight = round(_BAR * (tokens or 0) / most) if most else 0
        table.add_row(
            Text("  ").append_text(about), Text("█" * weight, "blue"), "" if tokens is None else count(tokens)
        )
    screen.print(table)


def _section(screen: Screen, section: ContextSection) -> Text:
    line = Text(f"  {clean(section.name)}")
    return line.append(f"  {screen.path(section.uri)}", "green") if section.uri else line


def _message(message: ContextMessage) -> Text:
    line = Text().append(f"  {clean(message.entry_id):<8}  ", "cyan")
    line.append(f"{_ROLES.get(message.role, clean(message.role)):<6} {clean(message.preview)}")
    return line.append("  (put in for the provider)", "dim") if message.added else line
