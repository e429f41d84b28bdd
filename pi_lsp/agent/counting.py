"""How this window counts tokens: by bytes until the vocabulary is loaded, times what the session's model has taught."""

import asyncio
import logging

from pi_lsp.agent.conversation import Conversation
from pi_lsp.base.json import as_str
from pi_lsp.context import tokens
from pi_lsp.context.calibration import CalibratedCounter, Calibration, ModelKey, calibrate
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of

logger = logging.getLogger(__name__)


class Counting:
    """The counter in force. Numbers it gives are estimates; only what a model billed is measured."""

    def __init__(self) -> None:
        self._calibration = Calibration()
        self._learned_from: tuple[str, str | None, TokenCounter] | None = None

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
        source = (conversation.id, conversation.leaf_id, counter)
        if source == self._learned_from:
            return
        path = conversation.path(conversation.leaf_id)
        model = _last_model(path)
        self._calibration = calibrate(path, model, counter).calibration if model else Calibration()
        self._learned_from = source


def _last_model(path: list[Entry]) -> ModelKey | None:
    """Who answered last on a path."""
    for entry in reversed(path):
        if entry.type == "message" and role_of(message := entry.message) == "assistant":
            return as_str(message.get("provider")), as_str(message.get("model"))
    return None
