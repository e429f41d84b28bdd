"""How this window counts tokens: by bytes until the vocabulary is loaded, times what the session's model has taught."""

import asyncio
import logging
from collections.abc import Sequence
from itertools import dropwhile, islice

from pi_lsp.agent.conversation import Conversation
from pi_lsp.base.json import as_str
from pi_lsp.context import tokens
from pi_lsp.context.calibration import RECENT_ENTRIES, CalibratedCounter, Calibration, ModelKey, calibrate
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of

logger = logging.getLogger(__name__)


class Counting:
    """The counter in force. Numbers it gives are estimates; only what a model billed is measured."""

    def __init__(self) -> None:
        self._calibration = Calibration()
        self._leaf: tuple[str, str | None, TokenCounter] | None = None
        self._learned_from: tuple[str, str | None, TokenCounter] | None = None
        """The session, its last answer and the counter of the calibration."""

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
        leaf = (conversation.id, conversation.leaf_id, counter)
        if leaf == self._leaf:
            return
        self._leaf = leaf
        upwards = dropwhile(_is_no_answer, conversation.session.tree.ancestors(conversation.leaf_id))
        path = list(islice(upwards, RECENT_ENTRIES))[::-1]
        source = (conversation.id, path[-1].id if path else None, counter)
        if source != self._learned_from:
            self._calibration = _learned(path, counter)
            self._learned_from = source


def _learned(path: Sequence[Entry], counter: TokenCounter) -> Calibration:
    """What a path that ends with an answer says of its model."""
    if not path:
        return Calibration()
    answer = path[-1].message
    model: ModelKey = as_str(answer.get("provider")), as_str(answer.get("model"))
    return calibrate(path, model, counter).calibration


def _is_no_answer(entry: Entry) -> bool:
    return entry.type != "message" or role_of(entry.message) != "assistant"
