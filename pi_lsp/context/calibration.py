"""From counted tokens to billed ones: a factor learned from what this session's model has billed.

Between two answers of one model the prompt grows by the messages in between, and the provider says by how much. The
median of those ratios is the factor; a median, because some of the reported figures are always nonsense. Tool calls
and results weigh more than their texts, since the provider wraps them: that part is added before the factor applies.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple, TypeAlias

import msgspec

from pi_lsp.base.json import as_str
from pi_lsp.context.estimate import TokenCounter, prompt_tokens
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of, tool_calls_of, usage_of

ModelKey: TypeAlias = tuple[str, str]
"""Provider and id of a model."""

CALL_TOKENS = 45
RESULT_TOKENS = 15
"""What wraps a tool call and its result: as measured for Claude Opus 4.5 and Sonnet 4.5, 60 tokens a pair."""

_PRIOR = 1.15
_PRIOR_WEIGHT = 3
"""The factor before anything is learned, and the number of answers that it is worth."""

_LEAST_BILLED = 200
"""Smaller increases are mostly wrapping, and say little about texts."""
_MOST_OFF = 4
"""A ratio beyond this, up or down, is a wrong report and no property of a vocabulary."""
_MOST_RATIOS = 64
RECENT_ENTRIES = 400
"""So far back from the end of a path there is something to learn."""

_BREAKS = frozenset({"compaction", "context_edit", "branch_summary", "custom_message"})
"""Entries that change the prompt in ways that no message between two answers shows."""


class Increase(NamedTuple):
    """What a model billed for the messages from one of its answers to the next."""

    model: ModelKey
    billed: int
    """Tokens of the later prompt less tokens of the earlier one."""
    messages: tuple[Message, ...]
    """The earlier answer and all that follows it, before the later one."""
    place: int = 0
    """Of the earlier answer among the entries of the path that were read, counted from 0."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What was learned about a model."""

    factor: float = _PRIOR
    answers: int = 0
    """How many answers taught it; 0: nothing was learned yet."""


class CalibratedCounter:
    """Counts what a provider would bill: the counts of another counter, wrapping added, times the factor."""

    def __init__(self, counter: TokenCounter, calibration: Calibration) -> None:
        self.calibration = calibration
        self._counter = counter

    def message(self, message: Message) -> int:
        """The tokens of one message of a session."""
        return ceil(self.calibration.factor * _weight(message, self._counter))

    def text(self, text: str) -> int:
        """The tokens of a text."""
        return ceil(self.calibration.factor * self._counter.text(text))


class Learner:
    """Learns from the end of one session path, and goes on where the path grows: each entry is read once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._increases = Increases()
        self._ratios: list[tuple[int, ModelKey, float]] = []
        """Each with the place of the earlier of its two answers."""

    def read(self, entries: Iterable[Entry]) -> None:
        """Go on along the path, from root to leaf."""
        for entry in entries:
            increase = self._increases.read(entry)
            ratio = increase and _ratio(increase, self._counter)
            if increase and ratio is not None:
                self._ratios.append((increase.place, increase.model, ratio))
        first = self._increases.count - RECENT_ENTRIES
        self._ratios = [known for known in self._ratios if known[0] >= first]

    def calibration(self, model: ModelKey) -> Calibration:
        """What was learned about a model: the latest answers count."""
        return _median([ratio for _, of, ratio in self._ratios if of == model])


def learn(increases: Iterable[Increase], counter: TokenCounter) -> Calibration:
    """The factor of one model from what it billed, in order; the latest answers count."""
    return _median([ratio for increase in increases if (ratio := _ratio(increase, counter)) is not None])


def billed_increases(path: Iterable[Entry]) -> Iterator[Increase]:
    """All of a path."""
    increases = Increases()
    return (increase for entry in path if (increase := increases.read(entry)))


class Increases:
    """Finds what was billed between any two answers of one model that follow each other without a break.

    A failed or aborted attempt is left out as it is left out of the next prompt, a user's private command likewise.
    An answer without usage is one of the messages in between.
    """

    def __init__(self) -> None:
        self.count = 0
        """Of the entries that were read."""
        self._last: tuple[int, ModelKey, int] | None = None
        """The place of the last answer with a usage, its model and the tokens of its prompt."""
        self._between: list[Message] = []

    def read(self, entry: Entry) -> Increase | None:
        """Read the next entry of the path; the increase up to it, where it is such an answer."""
        place, self.count = self.count, self.count + 1
        if entry.type in _BREAKS or (self._last and place - self._last[0] >= RECENT_ENTRIES):
            self._last = None
        if entry.type != "message":
            return None
        message = entry.message
        if role_of(message) == "system":
            self._last = None
        if not _is_sent(message):
            return None
        last, billed = self._last, prompt_tokens(usage_of(message)) if role_of(message) == "assistant" else 0
        increase: Increase | None = None
        if billed > 0:
            model = (as_str(message.get("provider")), as_str(message.get("model")))
            if last and last[1] == model:
                increase = Increase(model, billed - last[2], tuple(self._between), last[0])
            self._last = (place, model, billed)
            self._between = []
        if self._last:
            self._between.append(message)
        return increase


def _median(ratios: Sequence[float]) -> Calibration:
    latest = ratios[-_MOST_RATIOS:]
    ranked = sorted([*latest, *[_PRIOR] * _PRIOR_WEIGHT])
    return Calibration(factor=ranked[len(ranked) // 2], answers=len(latest))


def _is_sent(message: Message) -> bool:
    if role_of(message) == "assistant":
        return message.get("stopReason") not in ("aborted", "error")
    return message.get("excludeFromContext") is not True


def _ratio(increase: Increase, counter: TokenCounter) -> float | None:
    """Billed by counted; None where the figures cannot teach anything."""
    if increase.billed < _LEAST_BILLED:
        return None
    weight = sum(_weight(message, counter) for message in increase.messages)
    believable = weight <= _MOST_OFF * increase.billed and increase.billed <= _MOST_OFF * weight
    return increase.billed / weight if believable else None


def _weight(message: Message, counter: TokenCounter) -> int:
    match role_of(message):
        case "assistant":
            wrapping = CALL_TOKENS * sum(1 for _ in tool_calls_of(message))
        case "toolResult":
            wrapping = RESULT_TOKENS
        case _:
            wrapping = 0
    return counter.message(message) + wrapping
