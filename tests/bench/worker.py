"""Our side of what is measured against Pi, once in a process: `python -m tests.bench.worker WORK ARGUMENT...`."""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping, Sized
from typing import Any

from pi_lsp.agent.worker import Worker
from pi_lsp.base.memory import collect_rarely
from pi_lsp.session.entries import Entry
from pi_lsp.session.store import Session


def context(file: str) -> Callable[[], Sized]:
    """Open a session and build the messages of its context."""
    from pi_lsp.context.select import select

    return lambda: select(_path(file)).messages


def prepare(file: str) -> Callable[[], Sized]:
    """Open a session and prepare its compaction; gives the messages of the whole turns that it replaces."""
    from pi_lsp.compaction import plan

    def work() -> Sized:
        preparation = plan.prepare(_path(file))
        return preparation.messages_to_summarize if preparation else ()

    return work


def summary(file: str) -> Callable[[], Sized]:
    """Summarise what a compaction of a session would replace, without a model; the session is prepared before."""
    from pi_lsp.compaction import plan
    from pi_lsp.compaction.local import summarize_locally

    preparation = plan.prepare(_path(file))
    assert preparation
    return lambda: summarize_locally(preparation).text


def skills(cwd: str, agent_dir: str) -> Callable[[], Sized]:
    """Find and read all skills."""
    from pi_lsp.base.files import Disk
    from pi_lsp.resources.all_skills import find_skills
    from pi_lsp.resources.places import Places

    places = Places(cwd=cwd, agent_dir=agent_dir, home=agent_dir, trusted=True)
    return lambda: find_skills(Disk(), places).skills


def _path(file: str) -> list[Entry]:
    session = Session.open(file, "/")
    return session.tree.path(session.leaf_id)


WORKS: Mapping[str, Callable[..., Callable[[], Sized]]] = {
    "context": context,
    "prepare": prepare,
    "summary": summary,
    "skills": skills,
}


async def in_session(work: Callable[[], Sized]) -> Sized:
    """Do it where a window does it."""
    worker = Worker("bench")
    try:
        return await worker.run(work)
    finally:
        worker.close()


def main() -> None:
    collect_rarely()
    _, name, *arguments = sys.argv
    work = WORKS[name](*arguments)
    begun = time.perf_counter()
    result = asyncio.run(in_session(work))
    answer: dict[str, Any] = {"ms": (time.perf_counter() - begun) * 1000, "count": len(result)}
    print(json.dumps(answer), flush=True)
    sys.stdin.read()
    del result  # until here it counts as memory


if __name__ == "__main__":
    main()
