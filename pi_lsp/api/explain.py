"""`pi/explain`: why the model does or does not know something, and what would bring it back."""

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError
from pi_lsp.api.explain_documents import documents
from pi_lsp.api.look import entry_of, view_of
from pi_lsp.base.wire import Wire
from pi_lsp.context.explain import Searched, explain_entry, explain_query
from pi_lsp.context.explain_hits import Check, Hit
from pi_lsp.context.explain_spill import read_spill
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree

DEFAULT_LIMIT = 50


class ExplainParams(Wire, frozen=True, kw_only=True):
    """One entry, or everything whose text contains `query` in any case; with both, the query in that entry."""

    entry_id: str | None = None
    query: str | None = None
    limit: int = DEFAULT_LIMIT


class Explanation(Wire, frozen=True, kw_only=True):
    """What holds the text: what is absent first, then what is changed, then what is sent, each newest first.

    `more`: the limit cut the list. `in_request`: whether the next request holds the text at all, wherever; only where
    one was asked for.
    """

    hits: list[Hit]
    more: bool = False
    in_request: bool | None = None


async def explain(window: Window, params: ExplainParams) -> Explanation:
    """Search the session, the rule files, the skills and what was cut from long outputs.

    Raises ParamsError where nothing is asked for, RefusedError for an unknown entry.
    """
    if params.query is not None and not params.query.strip():
        raise ParamsError("query must not be blank")
    if params.entry_id is None and params.query is None:
        raise ParamsError("expected `entryId` or `query`")
    if params.limit < 1:
        raise ParamsError("limit must be at least 1")
    await window.ready()
    if params.entry_id is None:
        await window.indexed()
    return await window.in_session_long(_explain, window, params)


def searched(tree: Tree[Entry], view: View) -> Searched:
    """A session as `explain` searches it, with a view of it."""
    return Searched(
        tree=tree,
        leaf_id=view.path[-1].id if view.path else None,
        fates=view.fates,
        prompt_fates={part.entry_id: part.fate for part in view.prompt_trace},
        sent=view.sent,
        prompt=view.prompt,
    )


def _explain(conversation: Conversation, check: Check, window: Window, params: ExplainParams) -> Explanation:
    view = view_of(window, conversation)
    session = searched(conversation.session.tree, view)
    check()
    if params.entry_id is not None:
        return Explanation(hits=[explain_entry(session, entry_of(conversation, params.entry_id), params.query)])
    files = documents(window.workspace, view, window.place, trusted=window.trust().trusted)
    found = explain_query(session, files, params.query or "", params.limit, read_spill=read_spill, check=check)
    return Explanation(hits=found.hits, more=found.more, in_request=found.in_request)
