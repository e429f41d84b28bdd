"""The messages of a request, made of those of the last one where it repeats them, as a conversation mostly does."""

from collections.abc import Sequence

from pi_lsp.base.json import JsonObject
from pi_lsp.llm.messages import anthropic_messages
from pi_lsp.session.messages import Message, begins_with, role_of


class Repeating:
    """Gives what `anthropic_messages` gives of messages that do not change. Keeps the last ones."""

    def __init__(self) -> None:
        self._messages: Sequence[Message] = ()
        self._sent: list[JsonObject] = []
        self._allow_empty_signature = False

    def __call__(self, messages: Sequence[Message], *, allow_empty_signature: bool = False) -> list[JsonObject]:
        """The `messages` of a request; see `anthropic_messages`."""
        said = messages[1:] if messages and role_of(messages[0]) == "system" else messages
        kept, same = len(self._messages), allow_empty_signature == self._allow_empty_signature
        if same and begins_with(said, self._messages) and _stand_alone(said[kept:]):
            sent = self._sent + anthropic_messages(said[kept:], allow_empty_signature=allow_empty_signature)
        else:
            sent = anthropic_messages(messages, allow_empty_signature=allow_empty_signature)
            said = said if _stand_alone(said) else ()
        self._messages, self._sent, self._allow_empty_signature = said, sent if said else [], allow_empty_signature
        return sent[:]


def _stand_alone(messages: Sequence[Message]) -> bool:
    """Whether what is sent of them does not depend on what stands before or behind them.

    A system message waits for the next answer, and results stand together.
    """
    roles = [role_of(message) for message in messages]
    return "system" not in roles and roles[:1] != ["toolResult"]
