"""What a compaction would do."""

from rich.padding import Padding
from rich.text import Text

from pi_lsp.api.compact import Preview
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import Screen, count, grid, plural


def show_preview(screen: Screen, preview: Preview) -> None:
    """What is replaced, what stays, and the summary that needs no model."""
    screen.heading("Compaction preview", f"{count(preview.tokens_before)} → {plural(preview.tokens_after, 'token')}")
    groups = (
        ("replaced", preview.summarized, "dim"),
        ("replaced too" if preview.summarized else "replaced", preview.turn_prefix, "dim"),
        ("kept", preview.kept, ""),
    )
    table = grid("left", "right", "right", "line")
    table.expand = True
    for name, entries, style in groups:
        if entries:
            first = entries[0]
            table.add_row(
                Text(f"  {name}", style),
                plural(len(entries), "entry"),
                plural(sum(entry.tokens for entry in entries), "token"),
                Text().append(f"from {clean(first.entry_id)}: ", "cyan").append(clean(first.preview), style),
            )
    screen.print(table)
    if preview.split_turn:
        screen.note("The cut falls within a turn: its beginning is replaced, its end is kept.", "yellow")
    screen.print("")
    screen.note("The local summary, made from the entries alone; no model was asked:")
    summary = Text(clean(preview.local_summary.strip()))
    summary.highlight_regex(r"(?m)^#+ .*$", "bold")
    summary.highlight_regex(r"(?m)^</?[a-z-]+>$", "dim")
    screen.console.print(Padding(summary, (0, 0, 0, 4)))
