"""`pi/compact/preview`: what a compaction would do, before anything is done."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.look import compaction_settings, view_of
from pi_lsp.base.wire import Wire
from pi_lsp.compaction.local import summarize_locally
from pi_lsp.compaction.plan import Preparation, ends_in_compaction, prepare
from pi_lsp.compaction.preview import CompactionPreview
from pi_lsp.compaction.preview import preview as preview_of
from pi_lsp.compaction.result import conclude
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.resources.settings import CompactionSettings

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
    preparation = preparation_of(view, settings, counter)
    check()
    local = conclude(preparation, summarize_locally(preparation, counter=counter))
    check()
    return preview_of(preparation, local, counter)


def preparation_of(view: View, settings: CompactionSettings, counter: TokenCounter) -> Preparation:
    """The compaction of a view, its figures those of all other meters. Raises RefusedError where there is none.

    The cut is made by characters/4, whatever else counts: Pi cuts there too.
    """
    if ends_in_compaction(view.path):
        raise RefusedError("alreadyCompacted", "nothing has happened since the last compaction")
    preparation = prepare(view.path, settings)
    if preparation is None:
        raise RefusedError(
            "nothingToCompact",
            f"what is not summarised yet is within the newest {settings.keep_recent_tokens} tokens, which stay",
        )
    return msgspec.structs.replace(preparation, tokens_before=view.size(counter).tokens, system_message=view.prompt)
