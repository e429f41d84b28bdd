"""Texts that the user sent while a run goes on: steering for its next turn, follow-ups for when it is done."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.session.messages import Message

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits, and the text as the user typed it."""

    text: str
    message: Message


class Queue:
    """Both lines, first come first; a run takes from their heads. `is_open`: one goes on that will look there again."""

    def __init__(self) -> None:
        self.steering: list[Queued] = []
        self.follow_ups: list[Queued] = []
        self.is_open = False

    @property
    def steer(self) -> list[str]:
        """The texts for the next turn."""
        return [one.text for one in self.steering]

    @property
    def follow_up(self) -> list[str]:
        """The texts for after the last turn."""
        return [one.text for one in self.follow_ups]

    def set(self, steering: Sequence[Queued], follow_ups: Sequence[Queued]) -> None:
        """What the user made of them."""
        self.steering[:], self.follow_ups[:] = list(steering), list(follow_ups)

    def find(self, text: str) -> Queued | None:
        """What waits with this text: it may have images that a text does not show."""
        return next((one for one in [*self.steering, *self.follow_ups] if one.text == text), None)
