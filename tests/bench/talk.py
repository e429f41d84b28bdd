"""Talking: what the server adds to a turn, how deltas reach the client, what it costs in memory, what hovers notice.

The model is a strict local API in a process of its own, the SDK and HTTP are real.
"""

import math
import shutil
import statistics
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.lsp_process import OURS, LspProcess, serving
from tests.bench.model_process import ModelProcess, Times, modelling
from tests.bench.rows import Row, above, below, times
from tests.bench.servers import deep_tree, settled_mb, taken_ms
from tests.bench.stage import Stage

ROUNDS = 30
TURNS = 10
LONG_TURNS = 140
DELTAS = 10_000
CHARACTERS = 12
LOADS = 3
EVENTS_PER_S = 30
SOCKET = "bare socket client"
ANSWER: dict[str, Any] = {"text": "All 214 tests pass, two are skipped. " * 4}
SPOKEN: dict[str, Any] = {**ANSWER, "delay_s": 0.002}
"""An answer that comes over time, as a model's does."""
LONG: dict[str, Any] = {"text": "twelve chars" * DELTAS, "chunk": CHARACTERS}


def turn(stage: Stage) -> Iterator[Row]:
    """What a turn takes beside the model: from the prompt until the request is there, and from the last event on.

    A bare client with nothing but a socket takes turns with it: what that takes is the model's way to answer, and all
    above it is ours. The median of the best round counts; each round is a session of its own. Then a long session,
    where a turn has more to look at.
    """
    with _talking(stage, [ANSWER] * (2 * ROUNDS * TURNS + LONG_TURNS + 1)) as (server, model):
        _say(server, model)
        begin = partial(server.ask, "pi/session/new", {})
        turns = _in_rounds(lambda: _turn_ms(server, model), lambda: _bare_turn_ms(model), begin=begin)
        begin()
        long = [_turn_ms(server, model) for _ in range(LONG_TURNS)]
    ours, bare = (min(map(statistics.median, rounds)) for rounds in turns)
    yield above("turn overhead without the model, median", "ms", ours, bare, SOCKET, 5)
    yield times(f"the same after {LONG_TURNS - TURNS} turns", "ms", statistics.median(long[-TURNS:]), bare, SOCKET)


def deltas(stage: Stage) -> Iterator[Row]:
    """10,000 deltas, an HTTP chunk each, as quickly as they can be sent; and how soon the first of a turn is there."""
    with _talking(stage, [ANSWER, *[LONG] * (2 * LOADS)]) as (server, model):
        _say(server, model)
        runs = [(*_stream(server, model), _bare_stream_s(model)) for _ in range(LOADS)]
    taken, events, bare = min(runs)
    yield times(f"{DELTAS:,} deltas to a client", "ms", taken * 1000, bare * 1000, SOCKET)
    most = math.ceil(taken * EVENTS_PER_S) + 1
    name, limit = "events that told them", f"≤ {EVENTS_PER_S}/s"
    yield Row(name=name, ours=events, limit=limit, allowed=most, against=f"in {taken:.2f} s")
    with _talking(stage, [ANSWER, *[SPOKEN] * (2 * ROUNDS * TURNS)]) as (server, model):
        _say(server, model)
        firsts = _in_rounds(lambda: _first_ms(server, model), lambda: _bare_first_ms(model))
    ours, bare = (min(map(statistics.median, rounds)) for rounds in firsts)
    yield times("first delta at the client, median", "ms", ours, bare, SOCKET)
    ours, bare = (min(map(max, rounds)) for rounds in firsts)
    yield _limited("first delta at the client, worst", ours, bare, 20)


def memory(stage: Stage) -> Iterator[Row]:
    """What is resident after the first chat: the SDK and the tokenizer are loaded."""
    with _talking(stage, [ANSWER]) as (server, model):
        _say(server, model)
        yield below("resident after the first chat", "MB", settled_mb(server), 180)


def importing(stage: Stage) -> Iterator[Row]:
    """The longest hover from the first prompt of a process on, which imports the SDK, until its answer is whole."""
    file = deep_tree(stage)[-1]
    worst: list[float] = []
    for _ in range(LOADS):
        with _talking(stage, [ANSWER], file.parent) as (server, _):
            server.open(file)
            server.hover(file)
            server.begin_chat()
            longest = 0.0
            while server.is_chatting:
                longest = max(longest, taken_ms(lambda: server.hover(file)))
            worst.append(longest)
    yield below("worst hover while the SDK is imported", "ms", min(worst), 150)


@contextmanager
def _talking(
    stage: Stage, replies: list[dict[str, Any]], workspace: Path | None = None
) -> Generator[tuple[LspProcess, ModelProcess]]:
    """A server on a new session that speaks to a model with these replies."""
    sessions = stage.folder("talk-sessions")
    with modelling(stage.folder("talk"), replies) as model:
        environ = {**model.environ, "PI_CODING_AGENT_SESSION_DIR": str(sessions)}
        with serving(OURS, stage.home, environ) as server:
            server.begin(workspace or stage.folder("talk-workspace"), events=True)
            yield server, model
    shutil.rmtree(sessions)


def _say(server: LspProcess, model: ModelProcess) -> tuple[float, Times, float]:
    """One turn and all its events: when it was begun, the model's times, when it was answered."""
    server.events.clear()
    begun = time.perf_counter()
    result = server.chat("Hello")
    ended = time.perf_counter()
    if result["stopReason"] != "done":
        raise RuntimeError(f"no answer: {result}")
    while not any(event["type"] == "agent_end" for _, event in server.events):
        server.ask("pi/state", {})
    return begun, model.times(), ended


def _turn_ms(server: LspProcess, model: ModelProcess) -> float:
    begun, there, ended = _say(server, model)
    return (there.came - begun + ended - there.last) * 1000


def _bare_turn_ms(model: ModelProcess) -> float:
    seen = model.ask_bare()
    there = model.times()
    return (there.came - seen.begun + seen.ended - there.last) * 1000


def _stream(server: LspProcess, model: ModelProcess) -> tuple[float, int]:
    """From the prompt to the answer in s, and the number of delta events. Raises RuntimeError where one is lost."""
    begun, _, ended = _say(server, model)
    told = [event["delta"] for _, event in server.events if event["type"] == "message_delta"]
    if "".join(told) != LONG["text"]:
        raise RuntimeError("deltas were lost")
    return ended - begun, len(told)


def _bare_stream_s(model: ModelProcess) -> float:
    seen = model.ask_bare()
    model.times()
    return seen.ended - seen.begun


def _first_ms(server: LspProcess, model: ModelProcess) -> float:
    _, there, _ = _say(server, model)
    seen = next(at for at, event in server.events if event["type"] == "message_delta")
    return (seen - there.first) * 1000


def _bare_first_ms(model: ModelProcess) -> float:
    seen = model.ask_bare()
    return (seen.first - model.times().first) * 1000


def _in_rounds(*measure: Callable[[], float], begin: Callable[[], object] = lambda: None) -> list[list[list[float]]]:
    """For each of some measurements that take turns, the figures of its rounds. `begin` comes before each round."""
    rounds: list[list[list[float]]] = []
    for _ in range(ROUNDS):
        begin()
        rounds.append([[one() for one in measure] for _ in range(TURNS)])
    return [[[taken[place] for taken in each] for each in rounds] for place in range(len(measure))]


def _limited(name: str, ours: float, baseline: float, most: float) -> Row:
    """Milliseconds that are at most `most`, beside the bare client's."""
    limit = f"≤ {most:g} ms"
    return Row(name=name, unit="ms", ours=ours, baseline=baseline, against=SOCKET, limit=limit, allowed=most)
