"""`pi/tree/switch` and `pi/tree/label`: going to another place of the session tree, and naming places."""

import asyncio
from typing import Literal

from pi_lsp.agent.speaker import FindSpeaker
from pi_lsp.agent.summarizing import Report
from pi_lsp.agent.switching import Switcher, Wish, label_entry
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.progress import ProgressParams
from pi_lsp.api.refusals import refusals
from pi_lsp.base.wire import Wire


class SwitchParams(ProgressParams, frozen=True, kw_only=True):
    """`target_id`: an entry, or null for before the first; `instructions` are for the summary of what is left."""

    target_id: str | None
    summarizer: Wish = "none"
    instructions: str | None = None
    label: str | None = None


class SwitchResult(Wire, frozen=True, kw_only=True):
    """Where the window stands now. `editor_text`: the user's message that was the target, to be sent anew.

    `error`: why the summary is local though a model was to write it.
    """

    stop_reason: Literal["done", "cancelled"]
    leaf_id: str | None
    summary_entry_id: str | None = None
    editor_text: str | None = None
    summarizer: Literal["none", "model", "local", "hook"]
    error: str | None = None


class LabelParams(Wire, frozen=True, kw_only=True):
    """`label`: null takes it away."""

    entry_id: str
    label: str | None


class LabelResult(Wire, frozen=True, kw_only=True):
    """The result of `pi/tree/label`: nothing."""


async def switch(
    window: Window,
    params: SwitchParams,
    *,
    switcher: Switcher,
    find_speaker: FindSpeaker,
    report: Report = lambda _: None,
) -> SwitchResult:
    """Go to another entry. Raises RefusedError where something else is going on, or there is no such entry."""

    async def work() -> SwitchResult:
        done = await switcher.switch(
            params.target_id,
            await find_speaker(),
            params.summarizer,
            instructions=params.instructions,
            label=params.label,
            report=report,
        )
        if done.cancelled_by_hook:
            raise RefusedError("cancelledByHook", "a hook has cancelled the switch")
        return SwitchResult(
            stop_reason="done",
            leaf_id=done.leaf_id,
            summary_entry_id=done.summary_entry.id if done.summary_entry else None,
            editor_text=done.editor_text,
            summarizer=done.summarizer,
            error=done.error,
        )

    with refusals():
        try:
            return await window.operations.run("switching", work)
        except asyncio.CancelledError:
            return SwitchResult(stop_reason="cancelled", leaf_id=window.leaf_id, summarizer="none")


async def label(window: Window, params: LabelParams) -> LabelResult:
    """Label an entry, wherever it stands; also while something else is going on."""
    with refusals():
        await label_entry(window, params.entry_id, params.label)
    return LabelResult()
