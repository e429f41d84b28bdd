"""Going to another place of the session tree (`/tree`): where the leaf comes to stand, and what is written.

First `plan_switch` decides, from the tree alone; then `navigate` lets hooks and a summariser have their say, and only
then touches the session: a failed or cancelled switch leaves nothing behind. The rules are Pi 1.6.0's.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from pi_lsp.base.json import JsonObject, without_none
from pi_lsp.compaction.branch import BranchSummary, collect
from pi_lsp.compaction.file_ops import FileLists
from pi_lsp.compaction.reply import SummaryAbortedError
from pi_lsp.compaction.result import summary_details
from pi_lsp.session.actions import append_label, branch_with_summary
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError, SessionError
from pi_lsp.session.messages import role_of, text_of
from pi_lsp.session.store import Session
from pi_lsp.session.tree import Tree


class SwitchOptions(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the user wants of a switch; None is no wish."""

    summarize: bool = False
    custom_instructions: str | None = None
    replace_instructions: bool | None = None
    label: str | None = None


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """A switch that is decided and not done."""

    target_id: str | None
    """None is before the first entry."""
    old_leaf_id: str | None
    new_leaf_id: str | None
    """Where the conversation goes on; None is before its first entry."""
    editor_text: str | None
    """The text of a user's message that is the target, to be sent anew."""
    common_ancestor_id: str | None
    left: tuple[Entry, ...]
    """The entries that the switch leaves behind, oldest first."""
    options: SwitchOptions


class GivenSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A branch summary that a hook wrote."""

    summary: str
    details: JsonObject | None = None
    usage: JsonObject | None = None


class SwitchDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook says to a switch; None where it says nothing."""

    cancel: bool = False
    summary: GivenSummary | None = None
    """Counts only where the user wants a summary."""
    custom_instructions: str | None = None
    replace_instructions: bool | None = None
    label: str | None = None


class Navigation(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a switch."""

    leaf_id: str | None
    """The leaf after it."""
    cancelled: bool = False
    aborted: bool = False
    """Cancelled while the summary was written."""
    editor_text: str | None = None
    summary_entry: Entry | None = None
    label_entry: Entry | None = None
    from_hook: bool = False
    """The summary is a hook's."""


Summarize: TypeAlias = Callable[[Sequence[Entry], SwitchOptions], Awaitable[BranchSummary]]
"""Summarise the entries left behind, by a model (`branch.summarize_branch`) or without; raises SummaryError."""

AskHooks: TypeAlias = Callable[[Switch], Awaitable[SwitchDecision | None]]

Write: TypeAlias = Callable[[Callable[[Session], Iterable[Entry]]], Awaitable[Sequence[Entry]]]
"""Runs a call that appends to the session where that may be done; gives the entries."""


def plan_switch(
    tree: Tree[Entry], target_id: str | None, leaf_id: str | None, options: SwitchOptions | None = None
) -> Switch | None:
    """Decide a switch from a leaf to an entry; None where the leaf is there already.

    A user's message as target (also a custom one) is to be said anew: the leaf becomes the entry before it.

    Raises:
        EntryNotFoundError: the target is not in the tree.
    """
    if target_id == leaf_id:
        return None
    new_leaf_id, editor_text = (None, None) if target_id is None else _destination(tree, target_id)
    left = collect(tree, leaf_id, target_id)
    return Switch(
        target_id=target_id,
        old_leaf_id=leaf_id,
        new_leaf_id=new_leaf_id,
        editor_text=editor_text,
        common_ancestor_id=left.common_ancestor_id,
        left=left.entries,
        options=options or SwitchOptions(),
    )


async def navigate(
    switch: Switch, write: Write, summarize: Summarize | None = None, ask_hooks: AskHooks | None = None
) -> Navigation:
    """Carry a switch out: ask the hooks, get the summary if one is wanted, then `write` what `carry_out` appends.

    Without a summary or a label nothing is written, and a reader of the file would not see that the leaf has moved:
    that is for `write` to add (`append_leaf_anchor`).

    Raises:
        SummaryError: there is no summary.
        SessionError, OSError: as `Session.append`. What could not be written leaves the session as it was.
    """
    decision = await ask_hooks(switch) if ask_hooks else None
    if decision and decision.cancel:
        return Navigation(leaf_id=switch.old_leaf_id, cancelled=True)
    options = _overridden(switch.options, decision)
    summary = decision.summary if decision and options.summarize else None
    from_hook = summary is not None
    if summary is None and options.summarize and summarize and switch.left:
        try:
            summary = _as_given(await summarize(switch.left, options))
        except SummaryAbortedError:
            return Navigation(leaf_id=switch.old_leaf_id, cancelled=True, aborted=True)
    written = await write(lambda session: carry_out(session, switch, summary, options.label, from_hook=from_hook))
    summary_entry = next((entry for entry in written if entry.type == "branch_summary"), None)
    return Navigation(
        leaf_id=written[-1].id if written else switch.new_leaf_id,
        editor_text=switch.editor_text,
        summary_entry=summary_entry,
        label_entry=next((entry for entry in written if entry.type == "label"), None),
        from_hook=from_hook and summary_entry is not None,
    )


def carry_out(
    session: Session, switch: Switch, summary: GivenSummary | None, label: str | None, *, from_hook: bool
) -> Iterator[Entry]:
    """Move the leaf and append the summary and the label, which goes on the summary or else on the target.

    Raises as `Session.append`; the leaf is then where the last entry that could be written left it.
    """
    stood = session.leaf_id
    session.move(switch.old_leaf_id)
    labelled = switch.target_id
    try:
        if summary and summary.summary:
            entry = branch_with_summary(
                session,
                switch.new_leaf_id,
                summary.summary,
                details=UNSET if summary.details is None else summary.details,
                usage=UNSET if summary.usage is None else summary.usage,
                from_hook=from_hook,
            )
            stood, labelled = entry.id, entry.id
            yield entry
        else:
            session.move(switch.new_leaf_id)
        if label and labelled is not None:
            yield append_label(session, labelled, label)
    except (SessionError, OSError):
        session.move(stood)
        raise


def _destination(tree: Tree[Entry], target_id: str) -> tuple[str | None, str | None]:
    """Where the leaf goes, and the text that comes back to the editor."""
    target = tree.get(target_id)
    if target is None:
        raise EntryNotFoundError(target_id)
    editor_text = _editor_text(target)
    if editor_text is None:
        return target_id, None
    before = tree.parent(target)
    return before.id if before else None, editor_text


def _editor_text(target: Entry) -> str | None:
    if target.type == "custom_message":
        return text_of(target.body, "")
    if target.type == "message" and role_of(message := target.message) == "user":
        return text_of(message, "")
    return None


def _overridden(options: SwitchOptions, decision: SwitchDecision | None) -> SwitchOptions:
    """The user's wishes, and a hook's in their place where it has any."""
    if decision is None:
        return options
    said: JsonObject = {
        "custom_instructions": decision.custom_instructions,
        "replace_instructions": decision.replace_instructions,
        "label": decision.label,
    }
    return msgspec.structs.replace(options, **without_none(said))


def _as_given(summary: BranchSummary) -> GivenSummary:
    details = summary_details(summary.files or FileLists(), summary.summarizer)
    return GivenSummary(summary=summary.summary, details=details, usage=summary.usage)
