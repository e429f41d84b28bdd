"""A session of 100 MB: opened, its context built, its compaction prepared; beside Pi, each in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

from tests.bench.child import Run, in_turn, ours, pis
from tests.bench.rows import Row, missing, times
from tests.bench.stage import Stage
from tests.support.gen_session import write_session

PI = "Pi 1.6.0"
SIZE = 100_000_000
RUNS = 9


def context(stage: Stage) -> Iterator[Row]:
    """Open and build the context."""
    for file, name, (in_process, whole, memory) in (
        (compacted(stage), "100 MB, compacted: context", (1 / 4, 1 / 3, 1 / 4)),
        (flat(stage), "100 MB, flat: context", (None, None, None)),
    ):
        runs = _beside_pi(stage, "context", file)
        if runs is None:
            yield missing(name, stage.no_pi)
            continue
        mine, its = runs
        yield times(f"{name}, in process", "ms", mine.work_ms, its.work_ms, PI, in_process)
        yield times(f"{name}, whole process", "ms", mine.process_ms, its.process_ms, PI, whole)
        yield times(f"{name}, peak memory", "MB", mine.peak_mb, its.peak_mb, PI, memory)


def prepare(stage: Stage) -> Iterator[Row]:
    """Open and prepare a compaction."""
    for file, name, limit in (
        (compacted(stage), "100 MB, compacted: prepare a compaction", 1 / 2),
        (flat(stage), "100 MB, flat: prepare a compaction", 2 / 3),
    ):
        runs = _beside_pi(stage, "prepare", file)
        if runs is None:
            yield missing(name, stage.no_pi)
        else:
            mine, its = runs
            yield times(name, "ms", mine.work_ms, its.work_ms, PI, limit)


def summary(stage: Stage) -> Iterator[Row]:
    """The local summary of the whole flat file; 1.5 s is an aim and no promise."""
    best = in_turn([ours("summary", flat(stage))], 3)[0]
    yield Row(name="100 MB, flat: local summary", unit="ms", ours=best.work_ms, against="aim: 1,500 ms")


def compacted(stage: Stage) -> Path:
    return stage.made("compacted-100M-2.jsonl", lambda path: write_session(path, SIZE))


def flat(stage: Stage) -> Path:
    return stage.made("flat-100M-2.jsonl", lambda path: write_session(path, SIZE, compact_every=None))


def _beside_pi(stage: Stage, work: str, file: Path) -> tuple[Run, Run] | None:
    pi = stage.pi()
    if pi is None:
        return None
    mine, its = in_turn([ours(work, file), pis(pi, work, file)], RUNS)
    return mine, its
