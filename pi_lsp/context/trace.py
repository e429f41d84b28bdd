"""Messages on their way from the projection to a request, each knowing where it came from."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from pi_lsp.context.fate import Change
from pi_lsp.session.messages import Message


class Item(NamedTuple):
    """One message underway."""

    source: int
    """Index, in the messages that `finish` was given, of the message it is or was made for."""
    message: Message
    made: bool = False
    """No stored message stands behind it: a step added it."""

    def holding(self, message: Message) -> "Item":
        """The item with this message; itself where it holds it already, as most do in most steps."""
        return self if message is self.message else Item(self.source, message, self.made)


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """The messages after some steps, in order, and what those steps did to the messages they were given."""

    items: list[Item]
    changes: list[Change]

    @classmethod
    def of(cls, messages: Iterable[Message]) -> "Traced":
        """The messages before any step."""
        return cls(items=[Item(index, message) for index, message in enumerate(messages)], changes=[])

    @property
    def messages(self) -> list[Message]:
        """The messages alone."""
        return [item.message for item in self.items]


def dropped(item: Item, stage: Literal["convert", "repair"], detail: str) -> Change:
    """The record that nothing is left of a message."""
    return Change(index=item.source, fate="absent", stage=stage, detail=detail)


def changed(item: Item, stage: Literal["convert", "repair"], detail: str) -> Change:
    """The record that a message goes on in another form."""
    return Change(index=item.source, fate="changed", stage=stage, detail=detail)
