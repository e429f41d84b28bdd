"""Texts that the user sent while a run goes on: steering for its next turn, follow-ups for when it is done."""

from typing import Literal, TypeAlias

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]


class Queue:
    """Both lines of texts, first come first."""

    def __init__(self) -> None:
        self.steer: list[str] = []
        self.follow_up: list[str] = []

    def take_steering(self, mode: QueueMode) -> list[str]:
        """The texts for the next turn: the first one, or all."""
        return _take(self.steer, mode)

    def take_follow_ups(self, mode: QueueMode) -> list[str]:
        """The texts for after the last turn: the first one, or all."""
        return _take(self.follow_up, mode)

    def set(self, steer: list[str], follow_up: list[str]) -> None:
        """What the user made of them."""
        self.steer, self.follow_up = list(steer), list(follow_up)


def _take(texts: list[str], mode: QueueMode) -> list[str]:
    count = len(texts) if mode == "all" else 1
    taken, texts[:] = texts[:count], texts[count:]
    return taken
