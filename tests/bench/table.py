"""The figures for a person."""

from collections.abc import Sequence

from rich.table import Table

from tests.bench.rows import Row

_STYLES = {"ok": "green", "over": "bold red", "missing": "yellow", "reported": "dim"}


def table(rows: Sequence[Row]) -> Table:
    """One line for each figure."""
    made = Table(title="pi-lsp beside its baselines, best run of each", title_justify="left")
    made.add_column("what")
    for heading in ("ours", "baseline", "ratio"):
        made.add_column(heading, justify="right")
    for heading in ("promise", "", "against"):
        made.add_column(heading)
    for row in rows:
        made.add_row(
            row.name,
            _number(row.ours, row.unit),
            _number(row.baseline, row.unit),
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.limit,
            f"[{_STYLES[row.state]}]{row.state}[/]",
            row.missing or row.against,
        )
    return made


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"
