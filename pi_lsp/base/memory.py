"""How the process treats memory."""

import gc

_CONTAINERS = 200_000
"""Looking through so many takes less than 100 ms, for which all threads wait."""


def collect_rarely() -> None:
    """Let the garbage collector run seldom; call it once, at the start of a process.

    A session decodes into millions of small containers, none of them in a cycle. The collector would walk through all
    of them again and again while they are made, which takes as long as to decode them.
    """
    gc.set_threshold(_CONTAINERS, 125, 100)
