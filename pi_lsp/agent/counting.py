"""How this window counts tokens: by bytes until the vocabulary is loaded, times what the session's model has taught."""

import asyncio
import logging
from collections.abc import Iterable
from itertools import chain, dropwhile, islice
from typing import NamedTuple

from pi_lsp.agent.conversation import Conversation
from pi_lsp.base.json import as_str
from pi_lsp.context import tokens
from pi_lsp.context.calibration import RECENT_ENTRIES, CalibratedCounter, Calibration, Learner, ModelKey
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of

logger = logging.getLogger(__name__)


class _Lesson(NamedTuple):
    """What a session has taught, up to one of its answers."""

    conversation: Conversation
    counter: TokenCounter
    answer: Entry
    learner: Learner


class Counting:
    """The counter in force. Numbers it gives are estimates; only what a model billed is measured."""

    def __init__(self) -> None:
        self._calibration = Calibration()
        self._leaf: tuple[Conversation, str | None, TokenCounter] | None = None
        self._lesson: _Lesson | None = None

    @property
    def counter(self) -> TokenCounter:
        """The best counter there is without waiting. For any thread."""
        return CalibratedCounter(tokens.counter(), self._calibration)

    async def load(self) -> None:
        """Load the vocabulary, in a thread; where that fails, bytes go on to be counted."""
        try:
            await asyncio.to_thread(tokens.load)
        except (ImportError, ValueError, OSError) as error:
            logger.warning("tokens are estimated by bytes, since the vocabulary cannot be loaded: %s", error)

    def learn(self, conversation: Conversation) -> None:
        """Learn from what the model has billed up to the session's leaf. In the worker thread."""
        counter = tokens.counter()
        leaf = (conversation, conversation.leaf_id, counter)
        if leaf == self._leaf:
            return
        self._leaf = leaf
        upwards = dropwhile(_is_no_answer, conversation.session.tree.ancestors(conversation.leaf_id))
        answer = next(upwards, None)
        self._lesson = lesson = answer and _learned(conversation, counter, answer, upwards, self._lesson)
        self._calibration = lesson.learner.calibration(_model_of(lesson.answer)) if lesson else Calibration()


def _learned(
    conversation: Conversation, counter: TokenCounter, answer: Entry, above: Iterable[Entry], before: _Lesson | None
) -> _Lesson:
    """The lesson up to an answer: the one before, gone on with, where that stands above it."""
    if before and (before.conversation is not conversation or before.counter is not counter):
        before = None
    new: list[Entry] = []
    for entry in islice(chain([answer], above), RECENT_ENTRIES):
        if before and entry is before.answer:
            break
        new.append(entry)
    else:
        before = None
    learner = before.learner if before else Learner(counter)
    learner.read(reversed(new))
    return _Lesson(conversation, counter, answer, learner)


def _model_of(answer: Entry) -> ModelKey:
    message = answer.message
    return as_str(message.get("provider")), as_str(message.get("model"))


def _is_no_answer(entry: Entry) -> bool:
    return entry.type != "message" or role_of(entry.message) != "assistant"
