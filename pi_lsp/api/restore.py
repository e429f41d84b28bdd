"""`pi/context/restore` and `pi/rules/load`: what the model does not know and shall know from now on.

Both append a message, so Pi sees it too and the requests before stay as they were.
"""

import os
from collections.abc import Iterator

from pi_lsp.agent.committing import commit
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.nested_rules import load
from pi_lsp.agent.operations import BusyError
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.refusals import refusals
from pi_lsp.base.paths import path_to_uri, uri_to_path
from pi_lsp.base.text import cut_middle
from pi_lsp.base.wire import Wire
from pi_lsp.context.clean import is_blank
from pi_lsp.context.restore import text_to_restore
from pi_lsp.context.truncate import MAX_BYTES
from pi_lsp.context.wording import WORDING
from pi_lsp.resources.rule_reasons import why_not_loaded
from pi_lsp.resources.rules import RuleFile
from pi_lsp.session.actions import append_custom_message
from pi_lsp.session.entries import Entry

RESTORED = "pi-lsp.restored"
"""The custom type of a message that brings the text of an entry."""

MAX_UNITS = MAX_BYTES
"""UTF-16 units of a text that is brought back; of a longer one the two ends."""


class RestoreParams(Wire, frozen=True, kw_only=True):
    """The entry whose text the model shall have."""

    entry_id: str


class RestoreResult(Wire, frozen=True, kw_only=True):
    """The message that was appended."""

    entry_id: str


class LoadParams(Wire, frozen=True, kw_only=True):
    """Rule files."""

    uris: list[str]


class LoadResult(Wire, frozen=True, kw_only=True):
    """The files that were appended, and the messages; what the session has already is left out."""

    uris: list[str]
    entry_ids: list[str]


async def restore(window: Window, params: RestoreParams) -> RestoreResult:
    """Append the text of an entry. Raises RefusedError where there is none, or something is going on."""

    def append(conversation: Conversation) -> Iterator[Entry]:
        entry = conversation.entry(params.entry_id)
        text = text_to_restore(entry)
        if is_blank(text):
            raise RefusedError("notFound", f"the entry {entry.id} holds no text that a model could be shown")
        yield append_custom_message(
            conversation.session,
            RESTORED,
            f"{WORDING.restored_lead}\n\n{cut_middle(text, MAX_UNITS)}",
            details={"entryId": entry.id},
        )

    with refusals():
        _check_idle(window)
        [entry] = await commit(window, append)
    return RestoreResult(entry_id=entry.id)


async def load_rules(window: Window, params: LoadParams) -> LoadResult:
    """Append rule files that no agent started here would read. Raises RefusedError for a file that is none."""
    if not params.uris:
        raise ParamsError("uris must not be empty")
    await window.ready()
    files = [_rule_file(window, uri) for uri in dict.fromkeys(params.uris)]
    with refusals():
        _check_idle(window)
        loaded = await load(window, files)
    return LoadResult(uris=[path_to_uri(path) for path, _ in loaded], entry_ids=[entry.id for _, entry in loaded])


def _rule_file(window: Window, uri: str) -> RuleFile:
    path = uri_to_path(uri)
    if path is None:
        raise ParamsError(f"not the URI of a file: {uri}")
    record = next((one for one in window.workspace.chain(os.path.dirname(path)) if one.path == path), None)
    if record is None:
        raise RefusedError("notFound", f"{path} is no rule file")
    if not record.loaded:
        why = why_not_loaded(record.reason, by=record.by or "", detail=record.detail or "")
        raise RefusedError("notFound", f"{path} is not loaded: {why}")
    return record


def _check_idle(window: Window) -> None:
    """A message between a call and its result would part them."""
    if not window.operations.is_idle:
        raise BusyError(window.operations.phase)
