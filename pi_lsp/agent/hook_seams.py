"""What plugins have to say to compactions and switches: their hooks behind the seams of both."""

from typing import TypeVar

import msgspec

from pi_lsp.agent.events import CompactionReason
from pi_lsp.agent.hooks import Hook, Hooks
from pi_lsp.agent.seams import Decision, GivenCompaction, Planned, Seams
from pi_lsp.base.json import Json, JsonObject
from pi_lsp.compaction.navigate import GivenSummary, Navigation, Switch, SwitchDecision
from pi_lsp.session.entries import Entry

A = TypeVar("A")


class _Given(msgspec.Struct, frozen=True, rename="camel"):
    """What `session_before_compact` may give as `compaction`, and `session_before_tree` as `summary`."""

    summary: str
    first_kept_entry_id: str | None = None
    details: dict[str, Json] | None = None
    usage: dict[str, Json] | None = None


class _BeforeCompact(msgspec.Struct, frozen=True, rename="camel"):
    cancel: bool = False
    compaction: _Given | None = None


class _BeforeTree(msgspec.Struct, frozen=True, rename="camel"):
    cancel: bool = False
    summary: _Given | None = None
    custom_instructions: str | None = None
    replace_instructions: bool | None = None
    label: str | None = None


def seams_of(hooks: Hooks) -> Seams:
    """The seams, asking whatever hooks there are at the time."""
    return Seams(
        before_compact=_Compaction(hooks).before,
        after_compact=_Compaction(hooks).after,
        compact_failed=_Compaction(hooks).failed,
        before_tree=_Tree(hooks).before,
        after_tree=_Tree(hooks).after,
    )


class _Compaction:
    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    async def before(self, planned: Planned) -> Decision:
        """The last answer wins, a cancellation at once, as in Pi 1.6.0."""
        given: GivenCompaction | None = None
        for hook in self._hooks.of("session_before_compact"):
            answer = _read(hook, _BeforeCompact, await hook.ask(**_planned(planned)))
            if answer is None:
                continue
            if answer.cancel:
                return "cancel"
            if one := answer.compaction:
                given = GivenCompaction(
                    summary=one.summary,
                    first_kept_entry_id=one.first_kept_entry_id,
                    details=one.details,
                    usage=one.usage,
                )
        return given

    async def after(self, entry: Entry, reason: CompactionReason, from_hook: bool) -> None:
        await self._hooks.tell(
            "session_compact",
            compaction_entry=entry.body,
            from_extension=from_hook,
            reason=reason,
            will_retry=reason == "overflow",
        )

    async def failed(self, reason: CompactionReason, error: str | None) -> None:
        await self._hooks.tell(
            "session_compact_failed",
            reason=reason,
            error_message=error,
            aborted=error is None,
            will_retry=False,
            from_extension=False,
        )


class _Tree:
    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    async def before(self, switch: Switch) -> SwitchDecision | None:
        decision: SwitchDecision | None = None
        for hook in self._hooks.of("session_before_tree"):
            answer = _read(hook, _BeforeTree, await hook.ask(preparation=_switch(switch)))
            if answer is None:
                continue
            if answer.cancel:
                return SwitchDecision(cancel=True)
            decision = SwitchDecision(
                summary=answer.summary
                and GivenSummary(
                    summary=answer.summary.summary, details=answer.summary.details, usage=answer.summary.usage
                ),
                custom_instructions=answer.custom_instructions,
                replace_instructions=answer.replace_instructions,
                label=answer.label,
            )
        return decision

    async def after(self, switch: Switch, done: Navigation) -> None:
        await self._hooks.tell(
            "session_tree",
            new_leaf_id=done.leaf_id,
            old_leaf_id=switch.old_leaf_id,
            summary_entry=done.summary_entry.body if done.summary_entry else None,
            from_extension=done.from_hook,
        )


def _read(hook: Hook, kind: type[A], answer: object) -> A | None:
    """The answer of a hook; one that has another form is reported."""
    if answer is None:
        return None
    try:
        return msgspec.convert(answer, kind, strict=True)
    except msgspec.ValidationError as error:
        hook.complain(f"its answer does not fit: {error}")
        return None


def _planned(planned: Planned) -> JsonObject:
    preparation = planned.preparation
    files = preparation.file_ops.lists
    return {
        "preparation": {
            "firstKeptEntryId": preparation.first_kept_entry_id,
            "messagesToSummarize": [*preparation.messages_to_summarize],
            "turnPrefixMessages": [*preparation.turn_prefix_messages],
            "isSplitTurn": preparation.is_split_turn,
            "tokensBefore": preparation.tokens_before,
            "previousSummary": preparation.previous_summary,
            "readFiles": [*files.read_files],
            "modifiedFiles": [*files.modified_files],
        },
        "branch_entries": [entry.body for entry in planned.path],
        "custom_instructions": planned.instructions,
        "reason": planned.reason,
        "will_retry": planned.reason == "overflow",
    }


def _switch(switch: Switch) -> JsonObject:
    options = switch.options
    return {
        "targetId": switch.target_id,
        "oldLeafId": switch.old_leaf_id,
        "commonAncestorId": switch.common_ancestor_id,
        "entriesToSummarize": [entry.body for entry in switch.left],
        "userWantsSummary": options.summarize,
        "customInstructions": options.custom_instructions,
        "replaceInstructions": options.replace_instructions,
        "label": options.label,
    }
