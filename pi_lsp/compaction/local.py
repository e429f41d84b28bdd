"""The summary that no model writes: the sections of a summary, built from the entries alone.

Free, deterministic and linear in the conversation. What people said is quoted, what ran is told with its outcome;
nothing is interpreted. An earlier summary, of ours or of a model, is read back and carried on: a pass that brings
nothing new changes nothing.

The sentences here are no `Wording`: a later pass reads them back, so they are a format.
"""

from collections.abc import Iterable, Sequence

from pi_lsp.compaction.branch import NOTHING_TO_SUMMARIZE, BranchSummary, conclude_branch, prepare_branch
from pi_lsp.compaction.local_budget import fit
from pi_lsp.compaction.local_facts import Facts
from pi_lsp.compaction.local_groups import groups_of
from pi_lsp.compaction.local_outline import write
from pi_lsp.compaction.plan import Preparation
from pi_lsp.compaction.result import Summary
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.context.select import select
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message

MAX_TOKENS = 6000
"""What a local summary may have where nothing else is said. The file lists come on top."""

_NOTE_TOKENS = 16
_LEAST_UNITS = 200


def summarize_locally(
    preparation: Preparation, *, counter: TokenCounter = PI_COUNTER, max_tokens: int = MAX_TOKENS
) -> Summary:
    """Summarise without a model what `model_summary.summarize` would ask a model to.

    Args:
        preparation: what is to be summarised. The first part of a split turn is told with the rest, in one go.
        counter: what counts the budget.
        max_tokens: the most that the text may have. Of each kind of lines the newest that fit are kept, and the
            text says how many are missing; the headings alone take about 100 tokens.
    """
    return _summary(
        [*preparation.messages_to_summarize, *preparation.turn_prefix_messages],
        preparation.previous_summary or "",
        len(preparation.file_ops.lists.modified_files),
        counter,
        max_tokens,
    )


def summarize_branch_locally(
    entries: Sequence[Entry],
    *,
    counter: TokenCounter = PI_COUNTER,
    max_tokens: int = MAX_TOKENS,
    wording: Wording = WORDING,
) -> BranchSummary:
    """Summarise a branch (the entries of `branch.collect`) without a model.

    A model is shown no tool results of a branch; here they count, since they tell what failed.

    Args:
        entries: oldest first.
        counter: what counts the budget.
        max_tokens: as for `summarize_locally`.
        wording: of the words that introduce the summary.
    """
    preparation = prepare_branch(entries, counter=counter)
    messages = select(entries).messages
    if not preparation.messages:
        return BranchSummary(summary=NOTHING_TO_SUMMARIZE)
    modified = len(preparation.file_ops.lists.modified_files)
    return conclude_branch(preparation, _summary(messages, "", modified, counter, max_tokens), wording)


def _summary(
    messages: Iterable[Message], previous: str, modified_files: int, counter: TokenCounter, max_tokens: int
) -> Summary:
    facts = Facts()
    facts.recall(previous)
    for message in messages:
        facts.add(message)
    groups = groups_of(facts, modified_files, max(max_tokens, _LEAST_UNITS))
    fit(groups.all, max_tokens - counter.text(write(groups.frame)) - _NOTE_TOKENS * len(groups.all), counter)
    return Summary(text=write(groups.outline), summarizer="local")
