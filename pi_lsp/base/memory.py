"""How the process treats memory.

A session decodes into hundreds of thousands of small containers, none of them in a cycle. The garbage collector would
walk through all of them again and again while they are made, which takes as long as to decode them; and while it
walks, all threads wait.
"""

import atexit
import gc
from collections.abc import Generator
from contextlib import contextmanager

_CONTAINERS = 200_000
"""Looking through so many takes less than 100 ms."""
_CONTAINERS_READ = 500_000
"""What a session of 150 MB decodes into; looking through so many takes less than 200 ms."""


def collect_rarely() -> None:
    """Let the garbage collector run seldom, and not at the end; call it once, at the start of a process."""
    _collect_after(_CONTAINERS)
    atexit.register(gc.freeze)  # what there is when a process ends would be looked through twice


@contextmanager
def reading_much() -> Generator[None]:
    """Within, the collector runs more seldom still: most of what is read is dropped before it would have to look."""
    _collect_after(_CONTAINERS_READ)
    try:
        yield
    finally:
        _collect_after(_CONTAINERS)


def _collect_after(containers: int) -> None:
    gc.set_threshold(containers, 125, 100)
