"""What became of an entry on its way to the model, and what made it so.

`select` gives a fate to every entry of the path; `finish` adds the changes of its own steps, which name a message by
its index. `pi/context` and `pi/explain` answer from these and from nothing else.
"""

from typing import Literal, TypeAlias

import msgspec

Outcome: TypeAlias = Literal["sent", "changed", "absent"]
Stage: TypeAlias = Literal[
    "path", "compaction", "contextEdit", "hook", "convert", "truncation", "repair", "rule", "skill"
]


class Fate(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Whether an entry reaches the model as it is stored, changed, or not at all."""

    fate: Outcome
    stage: Stage | None = None
    """The step that changed or removed it; None where nothing did."""
    by: str | None = None
    """The id of the entry that did it."""
    detail: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a step behind `select` did to one of the messages that it was given."""

    index: int
    """Of the message, in the list that `finish` was given."""
    fate: Literal["changed", "absent"]
    """`absent` where nothing is left of the message."""
    stage: Literal["convert", "repair"]
    detail: str


SENT = Fate(fate="sent")
