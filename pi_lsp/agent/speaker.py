"""Whom a run speaks to: a model, how much it shall think, and the provider that reaches it."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from pi_lsp.context.model import Model
from pi_lsp.llm.contract import Provider


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """The model of a run, chosen before it begins."""

    model: Model
    level: str
    """The thinking level."""
    provider: Provider


FindSpeaker: TypeAlias = Callable[[], Awaitable[Speaker | None]]
"""Finds whom to ask; None where there is nobody."""
