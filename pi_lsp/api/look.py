"""The one way in which the methods look at what the model sees, so that they all see the same."""

from pi_lsp.agent import requesting
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import RefusedError
from pi_lsp.context.model import Model
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError


def view_of(window: Window, conversation: Conversation, leaf_id: str | None = None) -> View:
    """What the next request would hold, from the window's leaf or from another. Raises RefusedError."""
    try:
        return requesting.view_of(window, conversation, leaf_id)
    except EntryNotFoundError as error:
        raise RefusedError("notFound", str(error)) from error


def entry_of(conversation: Conversation, entry_id: str) -> Entry:
    """An entry by its id. Raises RefusedError."""
    try:
        return conversation.entry(entry_id)
    except EntryNotFoundError as error:
        raise RefusedError("notFound", str(error)) from error


def compaction_settings(window: Window, model: Model) -> CompactionSettings:
    """The compaction settings for a model; a number that is none gives way to the default."""
    return window.settings().usable_compaction(model.provider, model.id)
