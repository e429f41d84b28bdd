"""The server beside a bare one: how soon it answers, how quickly, and how much memory it stands in."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.bench.lsp_process import BARE, OURS, LspProcess, serving
from tests.bench.rows import Row, above, below, missing, times
from tests.bench.stage import Stage

STARTS = 15
ROUNDS = 24
ASKS = 100
LOADS = 3
DEPTH = 12
LOADING_S = 2.0
"""So long hovers are sent while the tokenizer loads."""
SETTLE_S = 20.0


def start(stage: Stage) -> Iterator[Row]:
    """Processor time from the start of the process to the reply to `initialize`."""
    folder = deep_tree(stage)[0].parent
    best = {OURS: math.inf, BARE: math.inf}
    for number in range(STARTS + 1):
        for command in best:
            with serving(command, stage.home) as server:
                server.initialize(folder)
                if number:  # the first may have had to compile
                    best[command] = min(best[command], server.cpu_ms)
    yield times("start to initialize reply, CPU", "ms", best[OURS], best[BARE], "bare pygls server", 1.2)


def latency(stage: Stage) -> Iterator[Row]:
    """Round trips in the deepest of some folders, each of which has a rule file; a bare hover comes before each."""
    files = deep_tree(stage)
    with ExitStack() as stack:
        ours, bare = (stack.enter_context(serving(command, stage.home)) for command in (OURS, BARE))
        for server in (ours, bare):
            server.begin(files[0].parent)
            server.open(files[-1])
        if not _hover_text(ours, files[-1]):
            yield missing(f"hover p99, {DEPTH} folders deep", "the server says nothing about a rule file")
            return
        asks = (
            lambda: bare.hover(files[-1]),
            lambda: ours.hover(files[-1]),
            lambda: ours.ask("pi/rules", {"uri": files[-1].as_uri()}),
        )
        bare_ms, hover_ms, rules_ms = _best_p99(asks)
    yield above(f"hover p99, {DEPTH} folders deep", "ms", hover_ms, bare_ms, "bare hover p99", 2)
    yield above(f"pi/rules p99, {DEPTH} folders deep", "ms", rules_ms, bare_ms, "bare hover p99", 2)
    name = "worst hover while the tokenizer loads"
    worst = [_worst_while_loading(stage, files) for _ in range(LOADS)]
    loaded = [taken for taken in worst if taken is not None]
    yield below(name, "ms", min(loaded), 150) if loaded else missing(name, "the tokenizer was not loaded")


def memory(stage: Stage) -> Iterator[Row]:
    """What is resident after a hover, and when the tokenizer is loaded."""
    files = deep_tree(stage)
    with serving(OURS, stage.home) as server:
        server.begin(files[0].parent)
        server.open(files[-1])
        server.hover(files[-1])
        yield below("resident after a hover", "MB", settled_mb(server), 60)
        server.want_tokens()
        server.hover(files[-1])
        resident = settled_mb(server)
        if server.has_tokenizer:
            yield below("resident with the tokenizer", "MB", resident, 110)
        else:
            yield missing("resident with the tokenizer", "the tokenizer was not loaded")


def deep_tree(stage: Stage) -> list[Path]:
    """A rule file in each of some nested folders, the outermost first."""
    folder, files = stage.folder("deep"), list[Path]()
    for depth in range(DEPTH):
        folder = folder / f"level{depth:02}"
        folder.mkdir(exist_ok=True)
        files.append(folder / "AGENTS.md")
        files[-1].write_text(f"# Level {depth}\n\n" + "- Keep the tests beside the code, see `src/main.py`.\n" * 40)
    return files


def p99(taken: Iterable[float]) -> float:
    ranked = sorted(taken)
    return ranked[math.ceil(len(ranked) * 0.99) - 1]


def _best_p99(asks: Sequence[Callable[[], object]]) -> list[float]:
    """The p99 of each request in ms, all sent in turn, in the round in which the machine disturbed it least."""
    best = [math.inf] * len(asks)
    for number in range(ROUNDS + 1):
        taken = [[taken_ms(ask) for ask in asks] for _ in range(ASKS)]
        if number:  # the first warms up
            best = list(map(min, best, map(p99, zip(*taken, strict=True))))
    return best


def _worst_while_loading(stage: Stage, files: Sequence[Path]) -> float | None:
    """The longest hover in ms from the first call for tokens on; None where the tokenizer was not loaded by it."""
    with serving(OURS, stage.home) as server:
        server.begin(files[0].parent)
        server.open(files[-1])
        server.hover(files[-1])
        server.want_tokens()
        until = time.perf_counter() + LOADING_S
        worst = 0.0
        while time.perf_counter() < until:
            worst = max(worst, taken_ms(lambda: server.hover(files[-1])))
        return worst if server.has_tokenizer else None


def taken_ms(ask: Callable[[], object]) -> float:
    begun = time.perf_counter()
    ask()
    return (time.perf_counter() - begun) * 1000


def _hover_text(server: LspProcess, file: Path) -> str:
    hover = server.hover(file) or {"contents": {"value": ""}}
    return hover["contents"]["value"]


def settled_mb(server: LspProcess) -> float:
    """What is resident when it has not grown for a while."""
    until, last, calm = time.perf_counter() + SETTLE_S, 0.0, 0
    while calm < 4 and time.perf_counter() < until:
        time.sleep(0.25)
        now = server.resident_mb
        calm = calm + 1 if now <= last * 1.005 else 0
        last = now
    return last
