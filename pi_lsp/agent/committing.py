"""A write that a piece of work ends with: a compaction's entry, the summary of a branch that was left, a label."""

import asyncio
from collections.abc import Callable, Iterable, Iterator

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.session.entries import Entry


def noting(
    written: list[Entry], call: Callable[[Conversation], Iterable[Entry]]
) -> Callable[[Conversation], Iterator[Entry]]:
    """A call for `Window.write` that notes each entry as it comes: whoever is cancelled meanwhile knows them, too."""

    def append(conversation: Conversation) -> Iterator[Entry]:
        for entry in call(conversation):
            written.append(entry)
            yield entry

    return append


async def commit(window: Window, call: Callable[[Conversation], Iterable[Entry]]) -> list[Entry]:
    """As `Window.write`, but a cancellation that comes once something is written is too late.

    Raises what `Window.write` raises; asyncio.CancelledError only where nothing was written.
    """
    written: list[Entry] = []
    try:
        await window.write(noting(written, call))
    except asyncio.CancelledError:
        if not written:
            raise
    return written
