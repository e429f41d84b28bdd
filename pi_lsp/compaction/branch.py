"""Leaving a branch: which entries stay behind, and the summary of them that goes along.

The rules are Pi 1.6.0's. The entries of a branch are taken newest first until a budget is full; tool results are
left out, since the calls tell what was done; summaries in the branch stand for what they replaced.
"""

from collections.abc import Sequence
from itertools import takewhile

import msgspec

from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.compaction.file_ops import FileLists, FileOps, file_ops, format_file_lists
from pi_lsp.compaction.reply import SummaryAbortedError, read_reply
from pi_lsp.compaction.requests import branch_request
from pi_lsp.compaction.result import Summarizer, Summary
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.context.select import branch_summary_message, entry_messages, project_entry
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.llm.contract import Complete
from pi_lsp.resources.settings import BranchSummarySettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of
from pi_lsp.session.tree import Tree

RESERVE_TOKENS = BranchSummarySettings().reserve_tokens
"""What a request for a branch summary leaves free of the context window, where no settings say otherwise."""

NOTHING_TO_SUMMARIZE = "No content to summarize"
"""Stands for a summary where nothing of a branch can be told, as in Pi's files."""

_UNKNOWN_WINDOW = 128_000
_SUMMARIES = ("compaction", "branch_summary")


class LeftBranch(msgspec.Struct, frozen=True, kw_only=True):
    """What stays behind on the way from one entry to another."""

    entries: tuple[Entry, ...]
    """Oldest first; they begin below the common ancestor."""
    common_ancestor_id: str | None


class BranchPreparation(msgspec.Struct, frozen=True, kw_only=True):
    """A branch that is ready to be summarised."""

    messages: tuple[Message, ...]
    """Those that fit, oldest first."""
    file_ops: FileOps
    """From the messages that were looked at, and from earlier branch summaries wherever they stand."""
    total_tokens: int


class BranchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of a branch as it is stored."""

    summary: str
    usage: JsonObject | None = None
    files: FileLists | None = None
    """None where there was nothing to summarise."""
    summarizer: Summarizer = "model"


def collect(tree: Tree[Entry], old_leaf_id: str | None, target_id: str | None) -> LeftBranch:
    """The entries from the old leaf up to the deepest entry that is on both paths.

    Nothing where the old leaf is unknown; the whole old path where the two share nothing.
    """
    ancestor = tree.common_ancestor(old_leaf_id, target_id)
    left = list(takewhile(lambda entry: entry.id != ancestor, tree.ancestors(old_leaf_id)))
    return LeftBranch(entries=tuple(reversed(left)), common_ancestor_id=ancestor)


def prepare_branch(
    entries: Sequence[Entry], token_budget: float = 0, counter: TokenCounter = PI_COUNTER
) -> BranchPreparation:
    """Choose the messages of a branch that fit a budget in tokens (0 or less is no limit).

    Only the entries that fit are decoded, and summaries and edits.
    """
    earlier = [entry.body for entry in entries if entry.type == "branch_summary"]
    edits = {as_str(entry.get("targetId")): entry for entry in entries if entry.type == "context_edit"}
    taken: list[Message] = []
    passed_over: list[Message] = []
    tokens = 0
    for entry in reversed(entries):
        message = _message_of(entry, edits.get(entry.id))
        if message is None:
            continue
        weight = counter.message(message)
        full = 0 < token_budget < tokens + weight
        if full and not (entry.type in _SUMMARIES and tokens < token_budget * 0.9):
            passed_over.append(message)
            break
        taken.append(message)
        tokens += weight
        if full:
            break
    return BranchPreparation(
        messages=tuple(reversed(taken)),
        file_ops=file_ops([*taken, *passed_over], earlier),
        total_tokens=tokens,
    )


async def summarize_branch(
    entries: Sequence[Entry],
    complete: Complete,
    *,
    context_window: int = 0,
    reserve_tokens: float = RESERVE_TOKENS,
    instructions: str | None = None,
    replace_instructions: bool | None = None,
    wording: Wording = WORDING,
    counter: TokenCounter = PI_COUNTER,
) -> BranchSummary:
    """Ask a model for the summary of a branch (the entries of `collect`).

    Args:
        entries: oldest first.
        complete: how to ask.
        context_window: of that model, in tokens; 0 where it is not known.
        reserve_tokens: what of it the request leaves free.
        instructions: the user's own instructions.
        replace_instructions: they stand for ours and do not add to them.
        wording: the sentences of the request and of the summary.
        counter: what counts the budget.

    Raises:
        SummaryAbortedError: the request was aborted.
        SummaryError: the answer is unusable.
    """
    budget = (context_window or _UNKNOWN_WINDOW) - reserve_tokens
    preparation = prepare_branch(entries, budget, counter)
    if not preparation.messages:
        return BranchSummary(summary=NOTHING_TO_SUMMARIZE)
    message = await complete(branch_request(preparation.messages, instructions, replace_instructions, wording))
    if message.get("stopReason") == "aborted":
        raise SummaryAbortedError("Branch summarization was aborted")
    reply = read_reply(message, "Branch summarization")
    return conclude_branch(preparation, Summary(text=reply.text, usage=reply.usage), wording)


def conclude_branch(preparation: BranchPreparation, summary: Summary, wording: Wording = WORDING) -> BranchSummary:
    """The summary, introduced to the model that will read it, with the file lists behind it."""
    files = preparation.file_ops.lists
    return BranchSummary(
        summary=f"{wording.branch_preamble}\n\n{summary.text}{format_file_lists(files)}",
        usage=summary.usage,
        files=files,
        summarizer=summary.summarizer,
    )


def _message_of(entry: Entry, edit: Entry | None) -> Message | None:
    match entry.type:
        case "message" | "custom_message":
            messages = project_entry(entry, edit)
            return messages[0] if messages and role_of(messages[0]) != "toolResult" else None
        case "compaction":
            return entry_messages(entry)[-1]
        case "branch_summary":
            return branch_summary_message(entry.body)
        case _:
            return None
