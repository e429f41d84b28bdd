"""`python -m tests.bench [--only NAME] [--json FILE]`: measure everything, print one table, keep the figures.

Every figure stands beside its baseline, measured in the same run and in turn with it, so that a slow or busy machine
slows both. 1 where a promise is broken.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
from rich.console import Console

from tests.bench import appending, extension, servers, sessions, talk, trees
from tests.bench.rows import Row
from tests.bench.stage import Stage
from tests.bench.table import table
from tests.bench.tokens import tokens

MEASUREMENTS: Mapping[str, Callable[[Stage], Iterator[Row]]] = {
    "start": servers.start,
    "latency": servers.latency,
    "memory": servers.memory,
    "context": sessions.context,
    "prepare": sessions.prepare,
    "summary": sessions.summary,
    "skills": trees.skills,
    "index": trees.index,
    "tokens": tokens,
    "append": appending.append,
    "turn": talk.turn,
    "deltas": talk.deltas,
    "talk-memory": talk.memory,
    "import": talk.importing,
    "extension-size": extension.size,
    "extension-page": extension.page,
    "extension-start": extension.activation,
}
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=MEASUREMENTS, action="append", help="measure this; may be given again")
    parser.add_argument("--json", type=Path, default=RESULTS, metavar="FILE", help="where the figures go")
    given = parser.parse_args()
    console, stage = Console(), Stage()
    if not console.is_terminal:
        console.width = 130
    rows: list[Row] = []
    for name in given.only or MEASUREMENTS:
        with console.status(f"measuring: {name}"):
            rows += MEASUREMENTS[name](stage)
    console.print(table(rows))
    _keep(rows, given.json)
    return 1 if any(row.state == "over" for row in rows) else 0


def _keep(rows: list[Row], file: Path) -> None:
    figures = [{**msgspec.to_builtins(row), "ratio": row.ratio, "state": row.state} for row in rows]
    machine = {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**machine, "rows": figures}, indent=2, ensure_ascii=False) + "\n")


sys.exit(main())
