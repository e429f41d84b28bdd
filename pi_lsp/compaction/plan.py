"""What a compaction would do to a path: which entries a summary replaces, which stay.

A preparation calls no model and writes nothing, so it serves the preview as well. It is the one input of both
summarisers. As Pi 1.6.0 does, it starts behind the latest compaction's summary: what that one kept is summarised
now, and its summary and file lists are carried on.
"""

from collections.abc import Iterator, Sequence

import msgspec

from pi_lsp.compaction.cut import find_cut, history_start
from pi_lsp.compaction.file_ops import FileOps, file_ops
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.context.prompt_state import current_system
from pi_lsp.context.select import Selected, select
from pi_lsp.context.usage import estimate_projected
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction that is ready to be summarised. The three groups of entries follow each other in the context."""

    first_kept_entry_id: str
    summarized: tuple[Selected, ...]
    """Whole turns; empty where the first turn is split."""
    turn_prefix: tuple[Selected, ...]
    """The first part of a split turn; empty where none is split."""
    kept: tuple[Selected, ...]
    is_split_turn: bool
    tokens_before: int
    """The whole context now, in tokens."""
    system_message: Message | None
    """The system prompt in force, which the compaction will state anew."""
    previous_summary: str | None
    """The summary that stands at the head of the context now; it will be replaced."""
    file_ops: FileOps
    settings: CompactionSettings

    @property
    def messages_to_summarize(self) -> list[Message]:
        """The messages of the whole turns, without system messages."""
        return list(conversation(self.summarized))

    @property
    def turn_prefix_messages(self) -> list[Message]:
        """The messages of the split turn's first part, without system messages."""
        return list(conversation(self.turn_prefix))


def prepare(
    path: Sequence[Entry],
    settings: CompactionSettings | None = None,
    counter: TokenCounter = PI_COUNTER,
    window: int | None = None,
) -> Preparation | None:
    """Plan the compaction of a path (root to leaf).

    `window`, the model's context window in tokens, is only for `tokens_before`, as in `estimate_context`. Gives None
    where there is nothing to do: the path ends in a compaction (`ends_in_compaction`), or is so short
    that all of it stays.
    """
    settings = settings or CompactionSettings()
    if ends_in_compaction(path):
        return None
    projection = select(path)
    entries = projection.entries
    start = history_start(entries)
    previous = entries[0].entry.body if start else {}
    cut = find_cut(entries, settings.keep_recent_tokens, start, counter=counter)
    kept = entries[cut.first_kept_entry_index :]
    if not kept or not kept[0].entry.id:
        return None
    history_end = cut.turn_start_index if cut.is_split_turn else cut.first_kept_entry_index
    summarized, turn_prefix = entries[start:history_end], entries[history_end : cut.first_kept_entry_index]
    gone = entries[start : cut.first_kept_entry_index]
    if not any(True for _ in conversation(gone)):
        return None
    summary = previous.get("summary")
    return Preparation(
        first_kept_entry_id=kept[0].entry.id,
        summarized=summarized,
        turn_prefix=turn_prefix,
        kept=kept,
        is_split_turn=cut.is_split_turn,
        tokens_before=estimate_projected(path, projection, counter, window).tokens,
        system_message=current_system(projection.system),
        previous_summary=summary if isinstance(summary, str) else None,
        file_ops=file_ops(conversation(gone), [previous]),
        settings=settings,
    )


def ends_in_compaction(path: Sequence[Entry]) -> bool:
    """Whether a compaction is the last thing that happened: another one would find nothing new."""
    return bool(path) and path[-1].type == "compaction"


def conversation(entries: Sequence[Selected]) -> Iterator[Message]:
    """The messages of entries without the system's: those are state, which a compaction states anew."""
    return (message for selected in entries for message in selected.messages if message.get("role") != "system")
