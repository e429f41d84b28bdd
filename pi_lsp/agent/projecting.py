"""The projection of a session's path, kept for the next look, which mostly sees the same path or one that goes on."""

from collections.abc import Sequence

from pi_lsp.context.finish import finish
from pi_lsp.context.finisher import KEPT_BYTES, Finisher
from pi_lsp.context.model import Model
from pi_lsp.context.select import Projection, go_on, select
from pi_lsp.context.trace import Traced
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message


class Projector:
    """Gives what `select` and `finish` give. An entry never changes, so the same entries have the same projection."""

    def __init__(self) -> None:
        self._given: Sequence[Entry] | None = None
        self._path: list[Entry] = []
        self._projection = select(())
        self._finisher: Finisher | None = None
        """None where the last projection was not kept."""

    def __call__(self, given: Sequence[Entry]) -> Projection:
        """The projection of a path, which is not changed any more. In the worker thread."""
        if given is self._given:
            return self._projection
        path = list(given)
        kept, projection = len(self._path), None
        if path[:kept] == self._path:  # an entry equals itself alone
            later = path[kept:]
            projection = go_on(self._projection, later) if later else self._projection
        if projection is None:
            projection = select(path)
        if (projection.stored_bytes or 0) <= KEPT_BYTES:
            self._given, self._path, self._projection = given, path, projection
            self._finisher = self._finisher or Finisher()
        else:
            self._finisher = None
        return projection

    def finish(self, messages: Sequence[Message], model: Model) -> Traced:
        """The messages of a valid request; those of the last projection are kept like that. In the worker thread."""
        return self._finisher(messages, model) if self._finisher else finish(messages, model)
