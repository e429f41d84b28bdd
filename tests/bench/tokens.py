"""The error of our token counts on real sessions, as `token_error` measures it."""

from collections.abc import Iterator

from tests.bench import token_error
from tests.bench.rows import Row, below, missing
from tests.bench.stage import Stage


def tokens(_stage: Stage) -> Iterator[Row]:
    """The medians of what a window shows, beside Pi's rule."""
    files = sorted(token_error.FIXTURES.glob("*.jsonl"))
    if not files:
        yield missing("token error, median", "no ../shared/fixtures")
        return
    pis_rule, *_, shown = token_error.measure(files)
    yield _row("token error, median", shown.median, pis_rule.median, token_error.POOLED_AT_MOST)
    for name, median in shown.files.items():
        yield _row(f"token error, median, {name}", median, pis_rule.files[name], token_error.EACH_AT_MOST)


def _row(name: str, ours: float, pis_rule: float, most: float) -> Row:
    row = below(name, "%", ours * 100, most * 100)
    return Row(
        name=row.name,
        unit=row.unit,
        ours=row.ours,
        baseline=pis_rule * 100,
        against="Pi's rule, characters/4",
        limit=row.limit,
        allowed=row.allowed,
    )
