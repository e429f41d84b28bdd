"""The contract of the summarisers, and what a summary becomes before it is stored.

A summariser takes a `Preparation` and gives a `Summary`: `model_summary` asks a model, its sibling builds one from
the entries alone. What is the same for both is done here, once.
"""

from itertools import chain
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.file_ops import FileLists, format_file_lists
from pi_lsp.compaction.plan import Preparation, conversation
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.session.messages import Message

Summarizer: TypeAlias = Literal["model", "local"]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a summariser gives: the text without the file lists."""

    text: str
    usage: JsonObject | None = None
    """What it cost; None where no model was asked."""
    summarizer: Summarizer = "model"


class CompactionResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The fields of a compaction entry."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    usage: JsonObject | None = None
    details: JsonObject


def conclude(preparation: Preparation, summary: Summary) -> CompactionResult:
    """The summary with the file lists behind it, and where it will stand."""
    files = preparation.file_ops.lists
    return CompactionResult(
        summary=summary.text + format_file_lists(files),
        first_kept_entry_id=preparation.first_kept_entry_id,
        tokens_before=preparation.tokens_before,
        usage=summary.usage,
        details=summary_details(files, summary.summarizer),
    )


def tokens_after(preparation: Preparation, summary: str, counter: TokenCounter = PI_COUNTER) -> int:
    """The tokens of the context once this summary stands in it: the system prompt, the summary, what is kept."""
    system = preparation.system_message
    head: list[Message] = [] if system is None else [system]
    head.append({"role": "compactionSummary", "summary": summary})
    return sum(map(counter.message, chain(head, conversation(preparation.kept))))


def saved_tokens(preparation: Preparation, summary: str) -> int:
    """By how many tokens the context shrinks with this summary in it; negative where it grows.

    By Pi's rule on both sides: it is about the difference, and nothing else is quick over a long conversation.
    """
    before: Message = {"role": "compactionSummary", "summary": preparation.previous_summary or ""}
    after: Message = {"role": "compactionSummary", "summary": summary}
    gone = chain([before], conversation(preparation.summarized), conversation(preparation.turn_prefix))
    return sum(map(PI_COUNTER.message, gone)) - PI_COUNTER.message(after)


def summary_details(files: FileLists, summarizer: Summarizer) -> JsonObject:
    """The `details` of a summary entry: the file lists, and who wrote it where that was no model."""
    lists: JsonObject = {"readFiles": list(files.read_files), "modifiedFiles": list(files.modified_files)}
    return lists if summarizer == "model" else {**lists, "summarizer": summarizer}
