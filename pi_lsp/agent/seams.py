"""Where others have their say in what a window does, and how it is kept from harm.

A seam is a plain async callable. One that raises is reported and passed over: what it was asked about goes on without
it. How long one may take is for whoever fills it (`hooks.PATIENCE_S`).
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias, TypeVar

import msgspec

from pi_lsp.agent.events import CompactionReason
from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.navigate import AskHooks, Navigation, Switch
from pi_lsp.compaction.plan import Preparation
from pi_lsp.session.entries import Entry

R = TypeVar("R")

logger = logging.getLogger(__name__)


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction that is about to be done."""

    preparation: Preparation
    path: Sequence[Entry]
    reason: CompactionReason
    instructions: str | None = None


class GivenCompaction(msgspec.Struct, frozen=True, kw_only=True):
    """A summary that somebody else wrote; the entries before the first kept one (default: the planned one) go."""

    summary: str
    first_kept_entry_id: str | None = None
    details: JsonObject | None = None
    usage: JsonObject | None = None


Decision: TypeAlias = "Literal['cancel'] | GivenCompaction | None"


class Seams(msgspec.Struct, frozen=True, kw_only=True):
    """The seams of compacting and switching; None where nobody has a say."""

    before_compact: Callable[[Planned], Awaitable[Decision]] | None = None
    after_compact: Callable[[Entry, CompactionReason, bool], Awaitable[object]] | None = None
    """The entry, why, and whether the summary is of a seam."""
    compact_failed: Callable[[CompactionReason, str | None], Awaitable[object]] | None = None
    """Why it was to be done, and why it was not; None where it was aborted."""
    before_tree: AskHooks | None = None
    after_tree: Callable[[Switch, Navigation], Awaitable[object]] | None = None


async def ask(name: str, answer: Awaitable[R]) -> R | None:
    """What a seam says; None where it says nothing, or fails."""
    try:
        return await answer
    except Exception:
        logger.exception("the hook %s was passed over: it failed", name)
    return None
