"""Whom the window speaks to: a model, how much it shall think, and the provider that reaches it; or nobody."""

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


class Nobody(msgspec.Struct, frozen=True):
    """No model can be asked."""

    why: str = "there is no model that can be asked"
    """Also what to do about it."""


NOBODY = Nobody()

FindSpeaker: TypeAlias = Callable[[], Awaitable[Speaker | Nobody]]
"""Finds whom to ask."""
