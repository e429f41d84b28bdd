"""Work that is timed in a process of its own, ours in Python and Pi's in Node, both told apart the same way.

A worker does its work once, prints `{"ms": ..., "count": ...}` (the time of the work alone, the size of its result) and
waits for the end of its standard input, so that its peak of memory can be read. Workers take turns; the best run of
each counts, since noise only adds.
"""

import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.support.pi_install import Pi

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TIME_LIMIT_S = 120


class Run(NamedTuple):
    """One run of a worker."""

    work_ms: float
    process_ms: float
    """From its start to its end."""
    peak_mb: float
    """The most memory that was resident."""
    size: int
    """The number of things in the result."""


def ours(work: str, *arguments: object) -> list[str]:
    """The command of a worker of ours."""
    return [sys.executable, "-m", "tests.bench.worker", work, *map(str, arguments)]


def pis(pi: Pi, work: str, *arguments: object) -> list[str]:
    """The command that does the same by Pi."""
    return [str(pi.node), str(HERE / "pi_worker.mjs"), str(pi.modules), work, *map(str, arguments)]


def run(command: Sequence[str]) -> Run:
    """Run a worker. Raises RuntimeError where it fails."""
    begun = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        answer = process.stdout.readline()
        peak = peak_bytes(process.pid) if answer else 0
        process.stdin.close()
        process.wait(TIME_LIMIT_S)
        taken = time.perf_counter() - begun
    if process.returncode or not answer:
        raise RuntimeError(f"{' '.join(command)} failed")
    told = json.loads(answer)
    return Run(told["ms"], taken * 1000, peak / 1e6, told["count"])


def in_turn(commands: Sequence[Sequence[str]], runs: int) -> list[Run]:
    """Run workers A B A B ...; of each the best time, the best process time and the least peak.

    Raises RuntimeError where one fails, or where not all come to a result of the same size.
    """
    results: list[list[Run]] = [[] for _ in commands]
    for _ in range(runs):
        for command, done in zip(commands, results, strict=True):
            done.append(run(command))
    if len({run.size for done in results for run in done}) != 1:
        raise RuntimeError(f"results of different sizes: {[done[0].size for done in results]}")
    return [Run(*(min(figures) for figures in zip(*done, strict=True))) for done in results]


def peak_bytes(pid: int) -> int:
    """The most memory that a live process had resident; what it has now where the system does not remember."""
    if os.path.exists(status := f"/proc/{pid}/status") and (
        peak := re.search(r"VmHWM:\s+(\d+) kB", Path(status).read_text())
    ):
        return int(peak[1]) * 1024
    return psutil.Process(pid).memory_info().rss


def best_in_turn(*works: Callable[[], object], runs: int) -> list[float]:
    """Work in this process, in turn: the best time of each in ms, the first run not counted."""
    best = [math.inf] * len(works)
    for number in range(runs + 1):
        for place, work in enumerate(works):
            begun = time.perf_counter()
            work()
            if number:
                best[place] = min(best[place], (time.perf_counter() - begun) * 1000)
    return best
