"""`pi/compact/preview`: what a compaction would do, before anything is done."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from pi_lsp.agent.compacting import prepared
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError
from pi_lsp.api.look import compaction_settings, view_of
from pi_lsp.api.refusals import refusals
from pi_lsp.base.wire import Wire
from pi_lsp.compaction.local import summarize_locally
from pi_lsp.compaction.preview import CompactionPreview
from pi_lsp.compaction.preview import preview as preview_of
from pi_lsp.compaction.result import conclude

Preview: TypeAlias = CompactionPreview


class PreviewParams(Wire, frozen=True, kw_only=True):
    """`keep_recent_tokens`: about so many tokens stay as they are; by default what the settings say."""

    keep_recent_tokens: int | None = None


async def preview(window: Window, params: PreviewParams) -> Preview:
    """What a compaction of the window's path would replace, what it would keep, and the summary that needs no model.

    Writes nothing. Raises RefusedError where there is nothing to compact, ParamsError for a number that is none.
    """
    if params.keep_recent_tokens is not None and params.keep_recent_tokens < 0:
        raise ParamsError("keepRecentTokens must not be negative")
    return await window.in_session_long(_preview, window, params)


def _preview(conversation: Conversation, check: Callable[[], None], window: Window, params: PreviewParams) -> Preview:
    view = view_of(window, conversation)
    settings = compaction_settings(window, view.model)
    if params.keep_recent_tokens is not None:
        settings = msgspec.structs.replace(settings, keep_recent_tokens=params.keep_recent_tokens)
    counter = window.counting.counter
    with refusals():
        preparation = prepared(view, settings, counter)
    check()
    local = conclude(preparation, summarize_locally(preparation, counter=counter))
    check()
    return preview_of(preparation, local, counter, view.affordable(counter))
