"""What a compaction would do, for a person to look at before it is done."""

from collections.abc import Iterator, Sequence

from pi_lsp.base.json import Json
from pi_lsp.base.wire import Wire
from pi_lsp.compaction.plan import Preparation
from pi_lsp.compaction.result import CompactionResult, tokens_after
from pi_lsp.context.estimate import PI_COUNTER, TokenCounter
from pi_lsp.context.refs import EntryRef, message_preview
from pi_lsp.context.select import Selected
from pi_lsp.session.messages import role_of


class CompactionPreview(Wire, frozen=True, kw_only=True):
    """Which entries a summary would replace and which stay; entries that hold no message are left out."""

    first_kept_entry_id: str
    split_turn: bool
    summarized: tuple[EntryRef, ...]
    turn_prefix: tuple[EntryRef, ...]
    kept: tuple[EntryRef, ...]
    tokens_before: int
    tokens_after: int
    """With `local_summary` in place."""
    read_files: tuple[str, ...]
    modified_files: tuple[str, ...]
    local_summary: str


def preview(
    preparation: Preparation,
    local: CompactionResult,
    counter: TokenCounter = PI_COUNTER,
    each: TokenCounter | None = None,
) -> CompactionPreview:
    """The preview of a compaction, with the summary that needs no model.

    `each` counts the entries one by one, where `counter` is too slow for so many.
    """
    files, each = preparation.file_ops.lists, each or counter
    return CompactionPreview(
        first_kept_entry_id=preparation.first_kept_entry_id,
        split_turn=preparation.is_split_turn,
        summarized=tuple(_refs(preparation.summarized, each)),
        turn_prefix=tuple(_refs(preparation.turn_prefix, each)),
        kept=tuple(_refs(preparation.kept, each)),
        tokens_before=preparation.tokens_before,
        tokens_after=tokens_after(preparation, local.summary, counter),
        read_files=tuple(_texts(files.read_files)),
        modified_files=tuple(_texts(files.modified_files)),
        local_summary=local.summary,
    )


def _refs(entries: Sequence[Selected], counter: TokenCounter) -> Iterator[EntryRef]:
    for selected in entries:
        messages = [message for message in selected.messages if role_of(message) != "system"]
        if messages:
            yield EntryRef(
                entry_id=selected.entry.id,
                type=selected.entry.type,
                role=role_of(messages[0]) if selected.entry.type == "message" else None,
                preview=message_preview(messages[0]),
                tokens=sum(map(counter.message, messages)),
            )


def _texts(paths: Sequence[Json]) -> Iterator[str]:
    return (path for path in paths if isinstance(path, str))
