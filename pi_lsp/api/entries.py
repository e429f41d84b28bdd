"""`pi/session/entries`: whole entries of the session, for transcripts that are read forwards or from the end."""

from collections.abc import Callable, Sequence

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.base.json import JsonObject
from pi_lsp.base.wire import Wire
from pi_lsp.session.entries import Entry

DEFAULT_LIMIT = 100


class EntriesParams(Wire, frozen=True, kw_only=True):
    """One of: `ids`; those `after` an entry; those `before` one; the `newest`; by default those from the first on.

    The order is that of the file, or of the path with `on_path`. At most `limit` come, of `before` and `newest` the
    last ones.
    """

    ids: list[str] | None = None
    after: str | None = None
    before: str | None = None
    newest: bool = False
    limit: int = DEFAULT_LIMIT
    on_path: bool = False


class Entries(Wire, frozen=True, kw_only=True):
    """Whole entries as stored, the older first. `next` is the id to go on `after`, or `before` on the way back."""

    entries: list[JsonObject]
    next: str | None = None


async def session_entries(window: Window, params: EntriesParams) -> Entries:
    """Whole entries, for a transcript.

    Raises RefusedError for an unknown entry and one that is not on the path, ParamsError where params exclude each
    other.
    """
    chosen = [
        name
        for name, given in (
            ("ids", params.ids is not None),
            ("after", params.after is not None),
            ("before", params.before is not None),
            ("newest", params.newest),
        )
        if given
    ]
    if len(chosen) > 1:
        raise ParamsError(f"expected one of `{'`, `'.join(chosen)}`, not all of them")
    return await window.in_session_long(_entries, params)


def _entries(conversation: Conversation, check: Callable[[], None], params: EntriesParams) -> Entries:
    if params.ids is not None:
        return Entries(entries=[conversation.entry(entry_id).body for entry_id in params.ids])
    tree = conversation.session.tree
    source = tree.path(conversation.leaf_id) if params.on_path else list(tree)
    start = _place(conversation, source, params.after) + 1 if params.after is not None else 0
    end = _place(conversation, source, params.before) if params.before is not None else len(source)
    limit = max(params.limit, 1)
    if params.newest or params.before is not None:
        page = source[max(end - limit, start) : end]
        more = page[0].id if end - start > limit else None
    else:
        page = source[start : start + limit]
        more = page[-1].id if end - start > limit else None
    bodies: list[JsonObject] = []
    for entry in page:
        check()
        bodies.append(entry.body)
    return Entries(entries=bodies, next=more)


def _place(conversation: Conversation, source: Sequence[Entry], entry_id: str) -> int:
    """The place of an entry among those that are asked for. Raises RefusedError."""
    conversation.entry(entry_id)
    found = next((place for place, entry in enumerate(source) if entry.id == entry_id), None)
    if found is None:
        raise RefusedError("notFound", f"the entry {entry_id} is not on the path to the leaf: begin anew")
    return found
