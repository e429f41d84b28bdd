"""Undoing a compaction: the conversation goes on from before it, with everything that its summary stood for."""

from collections.abc import Iterator
from itertools import takewhile

from pi_lsp.agent.committing import commit
from pi_lsp.agent.compacting import Compactor
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import SessionChanged
from pi_lsp.agent.window import Window
from pi_lsp.session.actions import move_leaf
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of

_SAID = ("custom_message", "branch_summary")


class NoCompactionError(Exception):
    """There is no compaction on the path."""


class MessagesFollowError(Exception):
    """Something was said after the compaction; undoing it would leave that behind."""


async def undo_compaction(window: Window, compactor: Compactor) -> str | None:
    """Go on from before the latest compaction, by appending; gives the leaf.

    No compaction begins by itself in this window until a request has been too long.

    Raises:
        NoCompactionError, MessagesFollowError: see there.
        SessionError, OSError: as `Window.write`.
    """
    [anchor] = await commit(window, _undo)
    compactor.held = True
    window.emit(SessionChanged())
    return anchor.id


def _undo(conversation: Conversation) -> Iterator[Entry]:
    tree = conversation.session.tree
    later = list(takewhile(lambda entry: entry.type != "compaction", tree.ancestors(conversation.leaf_id)))
    compaction = tree.parent(later[-1]) if later else tree.get(conversation.leaf_id or "")
    if compaction is None:
        raise NoCompactionError("no compaction is on the path to the leaf")
    if any(map(_is_said, later)):
        raise MessagesFollowError(
            "something was said after the compaction; to leave it behind, switch to an entry before the compaction"
        )
    before = tree.parent(compaction)
    yield move_leaf(conversation.session, before.id if before else None)


def _is_said(entry: Entry) -> bool:
    return entry.type in _SAID or (entry.type == "message" and role_of(entry.message) != "system")
