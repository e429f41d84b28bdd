"""Compaction of a window's conversation: when, by whom summarised, and what is written.

A compaction is one entry, appended when everything else has succeeded. So one that fails, is refused or is aborted
leaves the session as it was, and the worker thread does not wait for a model.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET

from pi_lsp.agent import seams as hooks
from pi_lsp.agent.committing import commit
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import CompactionEnd, CompactionReason, CompactionStart
from pi_lsp.agent.requesting import view_of
from pi_lsp.agent.seams import GivenCompaction, Planned, Seams
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Nobody, Speaker
from pi_lsp.agent.summarizing import Asking, Report, get_summary
from pi_lsp.agent.trimming import Trim, plan_trims, trim
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.compaction.cut import should_compact
from pi_lsp.compaction.plan import Preparation, ends_in_compaction, prepare
from pi_lsp.compaction.result import CompactionResult, conclude, saved_tokens, tokens_after
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.model import Model
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.resources.settings import CompactionSettings, Settings
from pi_lsp.resources.settings_read import SettingError
from pi_lsp.session.actions import append_compaction
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import SessionError

SummarizedBy: TypeAlias = Literal["model", "local", "hook"]

logger = logging.getLogger(__name__)


class CompactionRefusedError(Exception):
    """There will be no compaction; the message says why."""

    def __init__(
        self, reason: Literal["alreadyCompacted", "nothingToCompact", "cancelledByHook", "staleTip"], message: str
    ) -> None:
        super().__init__(message)
        self.reason: Literal["alreadyCompacted", "nothingToCompact", "cancelledByHook", "staleTip"] = reason


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction that was done."""

    entry: Entry
    result: CompactionResult
    tokens_after: int
    """An estimate: nobody has billed this context yet."""
    summarizer: SummarizedBy
    error: str | None = None
    """Why the summary is local though a model was to write it."""


class Compactor:
    """Keeps the conversation of one window within its model's window."""

    def __init__(self, window: Window, seams: Seams | None = None) -> None:
        self._window = window
        self._seams = seams or Seams()
        self.held = False
        """No compaction begins by itself: the user has undone one, and no request has been too long since."""

    async def compact(
        self,
        speaker: Speaker | Nobody,
        reason: CompactionReason = "manual",
        *,
        instructions: str | None = None,
        locally: bool = False,
        report: Report = lambda _: None,
    ) -> Compacted:
        """Compact the conversation now. Whoever calls has the window for itself (`Operations`, or a run).

        Args:
            speaker: whom to ask for the summary.
            reason: what for.
            instructions: the user's own, for the summary.
            locally: ask no model.
            report: tells the user what is being done.

        Raises:
            CompactionRefusedError: there is nothing to do, a hook will not have it, or it would not help.
            SettingError: a setting of compaction is no number.
            SessionError, OSError: as `Window.write`.
            asyncio.CancelledError: it was aborted; nothing was written.
        """
        planned = await self._window.in_session(self._plan, _model_of(speaker), reason, instructions)
        self._window.emit(CompactionStart(reason=reason))
        try:
            compacted = await self._carry_out(planned, speaker, locally, report)
        except asyncio.CancelledError:
            self._window.emit(CompactionEnd(reason=reason, cancelled=True))
            await self._tell_failure(reason, None)
            raise
        except (CompactionRefusedError, SessionError, OSError) as error:
            self._window.emit(CompactionEnd(reason=reason, error=str(error)))
            await self._tell_failure(reason, str(error))
            raise
        self._window.emit(
            CompactionEnd(
                reason=reason,
                entry_id=compacted.entry.id,
                tokens_before=compacted.result.tokens_before,
                tokens_after=compacted.tokens_after,
                summarizer=compacted.summarizer,
                error=compacted.error,
            )
        )
        if after := self._seams.after_compact:
            await hooks.ask("after_compact", after(compacted.entry, reason, compacted.summarizer == "hook"))
        return compacted

    def is_full(self, speaker: Speaker, conversation: Conversation, now: Snapshot) -> bool:
        """Whether `in_run` for `threshold` has something to do. In the worker thread."""
        view = view_of(self._window, conversation, model=speaker.model, now=now)
        return self._is_over(view, now.settings) or bool(self._trims(view, now.settings))

    async def in_run(self, speaker: Speaker, reason: CompactionReason) -> bool:
        """What a run does about a context that is too long; says whether it is shorter now.

        Old tool results are trimmed first, where the settings say so. A compaction that fails is told by its event
        and does not end the run.
        """
        window, shorter, now = self._window, False, self._window.now()
        view = partial(view_of, window, model=speaker.model, now=now)
        try:
            if reason == "overflow":
                self.held = False
            else:
                shorter = bool(await window.write(lambda it: trim(it.session, self._trims(view(it), now.settings))))
                if not await window.in_session(lambda it: self._is_over(view(it), now.settings)):
                    return shorter
            await self.compact(speaker, reason)
        except (CompactionRefusedError, SettingError, SessionError, OSError) as error:
            logger.warning("no compaction: %s", error)
            return shorter
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError  # the abort came while the entry was being written
        return True

    # --- in the worker thread -----------------------------------------------------------------------------------

    def _plan(
        self, conversation: Conversation, model: Model | None, reason: CompactionReason, instructions: str | None
    ) -> Planned:
        now = self._window.now()
        view = view_of(self._window, conversation, model=model, now=now)
        settings = now.settings.compaction(view.model.provider, view.model.id)
        preparation = prepared(view, settings, self._window.counting.counter)
        return Planned(preparation=preparation, path=view.path, reason=reason, instructions=instructions)

    def _is_over(self, view: View, settings: Settings) -> bool:
        """By what was billed for this very context, else by an estimate: never by a usage of another one."""
        if self.held or ends_in_compaction(view.path):
            return False
        tokens = view.size(self._window.counting.counter).tokens
        return should_compact(
            tokens, view.model.context_window, settings.usable_compaction(view.model.provider, view.model.id)
        )

    def _trims(self, view: View, settings: Settings) -> list[Trim]:
        """The tool results to cut, where the settings want that from this size on."""
        limit = settings.trim_tool_results
        if limit is None or view.size(self._window.counting.counter).tokens <= limit:
            return []
        return plan_trims(
            view.projection, settings.usable_compaction(view.model.provider, view.model.id).keep_recent_tokens
        )

    # --- doing it -----------------------------------------------------------------------------------------------

    async def _carry_out(self, planned: Planned, speaker: Speaker | Nobody, locally: bool, report: Report) -> Compacted:
        preparation = planned.preparation
        given = await self._ask_seam(planned)
        error: str | None = None
        if given:
            result, summarizer = _given_result(preparation, given, planned.path), "hook"
        else:
            settings = self._window.settings()
            asking = Asking(
                speaker=speaker,
                locally=locally,
                operation="compaction",
                policy=RetryPolicy.of(settings.retry),
                longest_pause_ms=settings.provider_retry.longest_pause_ms,
                counter=self._window.counting.counter,
                emit=self._window.emit,
                report=report,
            )
            gotten = await get_summary(preparation, asking, planned.instructions)
            result, summarizer, error = conclude(preparation, gotten.summary), gotten.summary.summarizer, gotten.error
        if await asyncio.to_thread(saved_tokens, preparation, result.summary) <= 0:
            raise CompactionRefusedError(
                "nothingToCompact", "the summary would be no shorter than what it stands for; nothing was changed"
            )
        after = await asyncio.to_thread(tokens_after, preparation, result.summary, self._window.counting.counter)
        report("the summary is written into the session")
        entry = await self._append(planned, result, from_hook=given is not None)
        return Compacted(entry=entry, result=result, tokens_after=after, summarizer=summarizer, error=error)

    async def _append(self, planned: Planned, result: CompactionResult, *, from_hook: bool) -> Entry:
        def append(conversation: Conversation) -> Iterator[Entry]:
            _check_tip(conversation, planned.path)
            yield append_compaction(
                conversation.session,
                result.summary,
                result.first_kept_entry_id,
                result.tokens_before,
                system_message=planned.preparation.system_message,
                details=result.details,
                usage=UNSET if result.usage is None else result.usage,
                from_hook=from_hook,
            )

        [entry] = await commit(self._window, append)
        return entry

    async def _ask_seam(self, planned: Planned) -> GivenCompaction | None:
        before = self._seams.before_compact
        decision = await hooks.ask("before_compact", before(planned)) if before else None
        if decision == "cancel":
            raise CompactionRefusedError("cancelledByHook", "a hook has cancelled the compaction")
        return decision

    async def _tell_failure(self, reason: CompactionReason, error: str | None) -> None:
        if failed := self._seams.compact_failed:
            await hooks.ask("compact_failed", failed(reason, error))


def prepared(view: View, settings: CompactionSettings, counter: TokenCounter) -> Preparation:
    """The compaction of a view, its figures those of all other meters. Raises CompactionRefusedError.

    The cut is made by characters/4, whatever else counts: Pi cuts there too. The entry will store the prompt as the
    next request would state it, so the rules in it are whole and those of today.
    """
    if ends_in_compaction(view.path):
        raise CompactionRefusedError("alreadyCompacted", "nothing has happened since the last compaction")
    preparation = prepare(view.path, settings)
    if preparation is None:
        raise CompactionRefusedError(
            "nothingToCompact",
            f"what is not summarised yet is within the newest {settings.keep_recent_tokens} tokens, which stay",
        )
    return msgspec.structs.replace(preparation, tokens_before=view.size(counter).tokens, system_message=view.prompt)


def _model_of(speaker: Speaker | Nobody) -> Model | None:
    return speaker.model if isinstance(speaker, Speaker) else None


def _given_result(preparation: Preparation, given: GivenCompaction, path: Sequence[Entry]) -> CompactionResult:
    first_kept = given.first_kept_entry_id
    return CompactionResult(
        summary=given.summary,
        first_kept_entry_id=first_kept
        if first_kept and any(entry.id == first_kept for entry in path)
        else preparation.first_kept_entry_id,
        tokens_before=preparation.tokens_before,
        usage=given.usage,
        details=given.details or {},
    )


def _check_tip(conversation: Conversation, path: Sequence[Entry]) -> None:
    """What was summarised must still be where the conversation goes on from; later entries simply stay."""
    ancestors = conversation.session.tree.ancestors(conversation.leaf_id)
    if all(entry.id != path[-1].id for entry in ancestors):
        raise CompactionRefusedError("staleTip", "the session goes on from elsewhere now; compact again")
