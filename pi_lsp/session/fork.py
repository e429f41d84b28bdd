"""A session that begins with one path of another: forks and clones, as Pi 1.6.0 writes them.

Labels are entries, so they stand between others on a path. A fork takes them out, links their neighbours, and writes
those that still count behind the rest.
"""

import os
from collections.abc import Sequence

from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.location import new_entry_id
from pi_lsp.session.store import Session
from pi_lsp.session.tree import Tree


def fork(session: Session, leaf_id: str | None) -> Session:
    """A new session beside this one with the path up to an entry (None: no entry).

    It is written at once if it holds a user or assistant message, else with the first one.

    Raises:
        EntryNotFoundError: the session has no such entry.
        OSError: it could not be written.
    """
    if leaf_id is not None and leaf_id not in session.tree:
        raise EntryNotFoundError(leaf_id)
    folder = os.path.dirname(session.path) if session.path else None
    cwd = as_str(session.header.get("cwd"))
    new = Session.new(folder, cwd, parent_session=session.path, entries=path_for_fork(session.tree, leaf_id))
    new.save()
    return new


def path_for_fork(tree: Tree[Entry], leaf_id: str | None) -> list[Entry]:
    """The path up to an entry, its labels behind the rest under new ids."""
    kept = _without_labels(tree.path(leaf_id))
    taken = {entry.id for entry in kept}
    labels = [(target, label) for target, label in tree.label_entries().items() if target in taken]
    parent_id = kept[-1].id if kept else None
    for target, label in labels:
        entry_id = new_entry_id(taken)
        taken.add(entry_id)
        kept.append(_label(entry_id, parent_id, target, label))
        parent_id = entry_id
    return kept


def _without_labels(path: Sequence[Entry]) -> list[Entry]:
    """The entries that are no labels, each following the one before; a link to a label goes to what followed it."""
    kept: list[Entry] = []
    successor: dict[str, str] = {}
    labels: list[str] = []
    for entry in path:
        if entry.type == "label":
            labels.append(entry.id)
            continue
        successor |= dict.fromkeys(labels, entry.id)
        labels = []
        kept.append(_relinked(entry, kept[-1].id if kept else None, successor))
    return kept


def _relinked(entry: Entry, parent_id: str | None, successor: dict[str, str]) -> Entry:
    """The entry behind another parent; the very same one, to be copied as it stands, where nothing changes."""
    says_so = parent_id is not None or entry.body.get("parentId", "") is None
    changes: JsonObject = {} if entry.parent_id == parent_id and says_so else {"parentId": parent_id}
    if entry.type == "compaction" and successor:
        first_kept = as_str(entry.get("firstKeptEntryId"))
        if first_kept in successor:
            changes["firstKeptEntryId"] = successor[first_kept]
    return Entry.of({**entry.body, **changes}) if changes else entry


def _label(entry_id: str, parent_id: str | None, target: str, label: Entry) -> Entry:
    head: JsonObject = {"type": "label", "id": entry_id, "parentId": parent_id}
    time: JsonObject = {key: value for key, value in label.body.items() if key == "timestamp"}
    return Entry.of({**head, **time, "targetId": target, "label": label.get("label")})
