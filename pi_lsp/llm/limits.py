"""How much a model may answer: what it can, and what its window has left. The figures are those of Pi 1.6.0."""

import math

from pi_lsp.context.model import Model

_MARGIN = 4096
_MARGIN_RATIO = 0.15
"""Room for an input that is longer than it was estimated."""
_ROOM_ENOUGH = 32_768


def output_limit(model: Model, input_tokens: int, wanted: int | None = None) -> int:
    """The `max_tokens` of a request.

    Args:
        model: the model that is asked.
        input_tokens: an estimate of what is sent.
        wanted: the most that the caller has use for; by default all that the model can.
    """
    limit = min(wanted or model.max_tokens, model.max_tokens)
    if model.context_window <= 0:
        return limit
    left = model.context_window - input_tokens
    room = left - max(_MARGIN, math.ceil(input_tokens * _MARGIN_RATIO))
    if room < _ROOM_ENOUGH:
        # The wide margin would leave little, or nothing: the narrow one, with an answer no longer than is of use.
        room = min(_ROOM_ENOUGH, left - _MARGIN)
    return max(1, min(limit, room))
