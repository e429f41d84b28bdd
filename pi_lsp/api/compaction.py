"""`pi/compact` and `pi/compact/undo`: the older part of the conversation becomes a summary, and comes back."""

import asyncio
from typing import Literal

from pi_lsp.agent.compacting import Compacted, Compactor, SummarizedBy
from pi_lsp.agent.speaker import FindSpeaker
from pi_lsp.agent.summarizing import Report
from pi_lsp.agent.undoing import undo_compaction
from pi_lsp.agent.window import Window
from pi_lsp.api.progress import ProgressParams
from pi_lsp.api.refusals import refusals
from pi_lsp.base.json import JsonObject
from pi_lsp.base.wire import Wire


class CompactParams(ProgressParams, frozen=True, kw_only=True):
    """`instructions`: what the summary should mind; `summarizer`: who writes it."""

    instructions: str | None = None
    summarizer: Literal["model", "local"] = "model"


class CompactResult(Wire, frozen=True, kw_only=True):
    """What was done; where it was cancelled, only that. `error`: why the summary is local though a model was to write
    it. Sizes are tokens of the whole context; `usage` is what the model has billed.
    """

    stop_reason: Literal["done", "cancelled"]
    entry_id: str | None = None
    summary: str | None = None
    first_kept_entry_id: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    summarizer: SummarizedBy | None = None
    usage: JsonObject | None = None
    error: str | None = None


class UndoResult(Wire, frozen=True, kw_only=True):
    """The leaf now: an anchor behind the entry that stood before the compaction."""

    leaf_id: str | None


async def compact(
    window: Window,
    params: CompactParams,
    *,
    compactor: Compactor,
    find_speaker: FindSpeaker,
    report: Report = lambda _: None,
) -> CompactResult:
    """Compact the conversation now. Whom to ask is found within the operation, so that an abort ends that, too.

    Raises RefusedError where something else is going on, there is nothing to compact, or it would not help.
    """

    async def work() -> CompactResult:
        speaker = await find_speaker()
        compacted = await compactor.compact(
            speaker, instructions=params.instructions, locally=params.summarizer == "local", report=report
        )
        return _result(compacted)

    with refusals():
        try:
            return await window.operations.run("compacting", work)
        except asyncio.CancelledError:
            return CompactResult(stop_reason="cancelled")


async def undo(window: Window, _params: object, *, compactor: Compactor) -> UndoResult:
    """Go on from before the latest compaction.

    Raises RefusedError where something was said after it, or there is none.
    """

    async def work() -> UndoResult:
        return UndoResult(leaf_id=await undo_compaction(window, compactor))

    with refusals():
        return await window.operations.run("compacting", work)


def _result(compacted: Compacted) -> CompactResult:
    result = compacted.result
    return CompactResult(
        stop_reason="done",
        entry_id=compacted.entry.id,
        summary=result.summary,
        first_kept_entry_id=result.first_kept_entry_id,
        tokens_before=result.tokens_before,
        tokens_after=compacted.tokens_after,
        summarizer=compacted.summarizer,
        usage=result.usage,
        error=compacted.error,
    )
