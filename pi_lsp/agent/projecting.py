"""The projection of a session's path, kept for the next look, which mostly sees the same path or one that goes on."""

from collections.abc import Sequence

from pi_lsp.context.select import Projection, go_on, select
from pi_lsp.context.usage import stored_bytes
from pi_lsp.session.entries import Entry

KEPT_BYTES = 4 << 20
"""A context that takes more in its file is decoded anew each time, and not held in memory."""


class Projector:
    """Gives what `select` gives. An entry never changes, so the same entries have the same projection."""

    def __init__(self) -> None:
        self._path: list[Entry] = []
        self._projection = select(())

    def __call__(self, given: Sequence[Entry]) -> Projection:
        """The projection of a path. In the worker thread."""
        path = list(given)
        kept, projection = len(self._path), None
        if path[:kept] == self._path:  # an entry equals itself alone
            later = path[kept:]
            projection = go_on(self._projection, later) if later else self._projection
        if projection is None:
            projection = select(path)
        if (stored_bytes(projection) or 0) <= KEPT_BYTES:
            self._path, self._projection = path, projection
        return projection
