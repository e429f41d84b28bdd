"""How far our token counts are from what was billed, over recorded sessions.

`|estimate - billed increase| / billed increase` for every increase of at least 200 tokens between two answers of one
model. The factor is learned from earlier answers of the same file only; an answer never teaches its own estimate.
Run: `python -m tests.bench.token_error [--json] [FILE...]`.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from pi_lsp.base.json import decode_object
from pi_lsp.context import tokens
from pi_lsp.context.calibration import CalibratedCounter, Increase, ModelKey, billed_increases, learn
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.session.entries import Entry

FIXTURES = Path(__file__).parents[2].parent / "shared" / "fixtures"
LEAST_BILLED = 200
POOLED_AT_MOST, EACH_AT_MOST = 0.12, 0.16


class TokenError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Errors of one way of counting, as parts of 1."""

    counter: str
    increases: int
    median: float
    p90: float
    files: dict[str, float]
    """The median of each file."""

    @property
    def holds(self) -> bool:
        return self.median <= POOLED_AT_MOST and max(self.files.values()) <= EACH_AT_MOST


def measure(files: Sequence[Path]) -> list[TokenError]:
    """The errors of Pi's rule and of ours; the last one is what a window shows."""
    increases = {file.name: list(billed_increases(_entries(file))) for file in files}
    counters = {"bytes/4": tokens.BYTE_COUNTER, "vocabulary": tokens.load()}
    return [
        _summary("Pi: characters/4", {name: _errors(all_of, PI_COUNTER) for name, all_of in increases.items()}),
        *(
            _summary(
                f"{name}, calibrated", {file: _calibrated_errors(all_of, counter) for file, all_of in increases.items()}
            )
            for name, counter in counters.items()
        ),
    ]


def _errors(increases: Iterable[Increase], counter: TokenCounter) -> list[float]:
    return [_error(increase, counter) for increase in increases if increase.billed >= LEAST_BILLED]


def _calibrated_errors(increases: Iterable[Increase], counter: TokenCounter) -> list[float]:
    earlier: defaultdict[ModelKey, list[Increase]] = defaultdict(list)
    errors: list[float] = []
    for increase in increases:
        known = earlier[increase.model]
        if increase.billed >= LEAST_BILLED:
            errors.append(_error(increase, CalibratedCounter(counter, learn(known, counter))))
        known.append(increase)
    return errors


def _error(increase: Increase, counter: TokenCounter) -> float:
    return abs(sum(map(counter.message, increase.messages)) - increase.billed) / increase.billed


def _summary(counter: str, errors: dict[str, list[float]]) -> TokenError:
    pooled = sorted(error for of_file in errors.values() for error in of_file)
    return TokenError(
        counter=counter,
        increases=len(pooled),
        median=_quantile(pooled, 0.5),
        p90=_quantile(pooled, 0.9),
        files={name: _quantile(sorted(of_file), 0.5) for name, of_file in errors.items()},
    )


def _quantile(ranked: Sequence[float], part: float) -> float:
    return ranked[min(len(ranked) - 1, int(len(ranked) * part))]


def _entries(file: Path) -> Iterable[Entry]:
    """The entries in file order, which is the path in these files: they have no ids and no branches."""
    with file.open("rb") as lines:
        for line in lines:
            yield Entry.of(decode_object(line))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where our counting does not keep its promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(FIXTURES.glob("*.jsonl")))
    given = parser.parse_args(arguments)
    results = measure(given.files)
    if given.json:
        print(json.dumps([{**msgspec.to_builtins(result), "holds": result.holds} for result in results], indent=2))
    else:
        for result in results:
            each = ", ".join(f"{name} {median:.1%}" for name, median in result.files.items())
            pooled = f"median {result.median:6.1%}   p90 {result.p90:6.1%}   n={result.increases}"
            print(f"{result.counter:24} {pooled}   {each}")
    return 0 if results[-1].holds else 1


if __name__ == "__main__":
    sys.exit(main())
