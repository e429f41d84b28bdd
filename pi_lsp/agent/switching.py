"""Switching to another place of the session tree, with or without a summary of what is left.

To switch is to append: the summary, the label or, where there is neither, an anchor. So whoever opens the file
resumes there. Calls of tools that the new leaf leaves without a result are answered by the projection.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.agent import seams as hooks
from pi_lsp.agent.committing import commit
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import BranchSummaryEnd, BranchSummaryStart, SessionChanged
from pi_lsp.agent.seams import Seams
from pi_lsp.agent.speaker import NOBODY, Nobody, Speaker
from pi_lsp.agent.summarizing import Asking, Report, get_branch_summary
from pi_lsp.agent.window import Window
from pi_lsp.compaction.branch import BranchSummary
from pi_lsp.compaction.navigate import (
    AskHooks,
    Navigation,
    Switch,
    SwitchDecision,
    SwitchOptions,
    navigate,
    plan_switch,
)
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.session.actions import append_at_tip, append_label, append_leaf_anchor
from pi_lsp.session.entries import Entry
from pi_lsp.session.store import Session

Wish: TypeAlias = Literal["none", "model", "local"]
"""Who summarises the branch that is left."""


class Switched(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a switch."""

    leaf_id: str | None
    cancelled_by_hook: bool = False
    summary_entry: Entry | None = None
    editor_text: str | None = None
    """The text of a user's message that was the target, to be sent anew."""
    summarizer: Literal["none", "model", "local", "hook"] = "none"
    error: str | None = None
    """Why the summary is local though a model was to write it."""


class Switcher:
    """Switches the branch of one window."""

    def __init__(self, window: Window, seams: Seams | None = None) -> None:
        self._window = window
        self._seams = seams or Seams()

    async def switch(
        self,
        target_id: str | None,
        speaker: Speaker | Nobody = NOBODY,
        wish: Wish = "none",
        *,
        instructions: str | None = None,
        label: str | None = None,
        report: Report = lambda _: None,
    ) -> Switched:
        """Go to an entry. Whoever calls has the window for itself (`Operations`).

        Args:
            target_id: the new leaf; a user's message: the entry before it; None: before the first entry.
            speaker: whom to ask for a summary.
            wish: who summarises what is left.
            instructions: the user's own, for the summary.
            label: put on the summary, or else on the target.
            report: tells the user what is being done.

        Raises:
            EntryNotFoundError: there is no such entry.
            SessionError, OSError: as `Window.write`.
            asyncio.CancelledError: it was aborted; nothing was written.
        """
        options = SwitchOptions(summarize=wish != "none", custom_instructions=instructions, label=label)
        switch = await self._window.in_session(_plan, target_id, options)
        if switch is None:
            if label and target_id:
                await label_entry(self._window, target_id, label)
            return Switched(leaf_id=await self._window.in_session(lambda conversation: conversation.leaf_id))
        summarizing = _Summarizing(self._window, speaker, wish, report)
        done, written = await self._carry_out(switch, summarizing.get)
        if not written:
            return Switched(leaf_id=done.leaf_id, cancelled_by_hook=done.cancelled, editor_text=done.editor_text)
        self._window.emit(SessionChanged())
        if after := self._seams.after_tree:
            await hooks.ask("after_tree", after(switch, done))
        summarizer = "hook" if done.from_hook else summarizing.summarizer if done.summary_entry else "none"
        return Switched(
            leaf_id=written[-1].id,
            summary_entry=done.summary_entry,
            editor_text=done.editor_text,
            summarizer=summarizer,
            error=summarizing.error,
        )

    async def _carry_out(
        self, switch: Switch, summarize: Callable[[Sequence[Entry], SwitchOptions], Awaitable[BranchSummary]]
    ) -> tuple[Navigation, Sequence[Entry]]:
        """What came of it and all entries that were written, the anchor too."""
        written: list[Entry] = []

        async def write(call: Callable[[Session], Iterable[Entry]]) -> Sequence[Entry]:
            written.extend(await commit(self._window, lambda conversation: _anchored(conversation.session, call)))
            return [entry for entry in written if entry.type != "custom"]

        return await navigate(switch, write, summarize, self._ask_hooks()), written

    def _ask_hooks(self) -> AskHooks | None:
        before = self._seams.before_tree
        if before is None:
            return None

        async def ask(switch: Switch) -> SwitchDecision | None:
            return await hooks.ask("before_tree", before(switch))

        return ask


async def label_entry(window: Window, entry_id: str, label: str | None) -> Entry:
    """Label an entry, or take its label away; on the file's tip, wherever the window stands.

    Raises:
        EntryNotFoundError: there is no such entry.
        SessionError, OSError: as `Window.write`.
    """

    def append(conversation: Conversation) -> Iterator[Entry]:
        yield append_at_tip(conversation.session, lambda session: append_label(session, entry_id, label or None))

    [entry] = await commit(window, append)
    return entry


class _Summarizing:
    """The summary of one switch, with its events."""

    def __init__(self, window: Window, speaker: Speaker | Nobody, wish: Wish, report: Report) -> None:
        self._window = window
        settings = window.settings()
        self._reserve_tokens = settings.branch_summary.reserve_tokens
        self._asking = Asking(
            speaker=speaker,
            locally=wish == "local",
            operation="branchSummary",
            policy=RetryPolicy.of(settings.retry),
            longest_pause_ms=settings.provider_retry.longest_pause_ms,
            counter=window.counting.counter,
            emit=window.emit,
            report=report,
        )
        self.summarizer: Literal["none", "model", "local"] = "none"
        self.error: str | None = None

    async def get(self, entries: Sequence[Entry], options: SwitchOptions) -> BranchSummary:
        self._window.emit(BranchSummaryStart())
        try:
            gotten = await get_branch_summary(entries, options, self._asking, self._reserve_tokens)
        except asyncio.CancelledError:
            self._window.emit(BranchSummaryEnd(cancelled=True))
            raise
        self._window.emit(BranchSummaryEnd(error=gotten.error))
        self.summarizer, self.error = gotten.summary.summarizer, gotten.error
        return gotten.summary


def _plan(conversation: Conversation, target_id: str | None, options: SwitchOptions) -> Switch | None:
    return plan_switch(conversation.session.tree, target_id, conversation.leaf_id, options)


def _anchored(session: Session, call: Callable[[Session], Iterable[Entry]]) -> Iterator[Entry]:
    """What the call appends; an anchor where it has moved the leaf and appended nothing."""
    left = session.leaf_id
    appended = False
    for entry in call(session):
        appended = True
        yield entry
    if not appended:
        try:
            anchor = append_leaf_anchor(session)
        except BaseException:
            session.move(left)
            raise
        yield anchor
