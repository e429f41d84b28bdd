"""Old session files brought to version 3 in memory; the file stays as it is. Rules: Pi 1.6.0.

Version 1 was a list without ids: entries get ids and follow each other in one line; a compaction named its first
kept entry by its place in the file. Version 2 called the role `custom` `hookMessage`. Pi makes up random ids; ours
are hashes of place and content, so the same file gives the same ids every time it is read.
"""

import hashlib
import math
from collections.abc import Container, Sequence

from pi_lsp.base.json import Json, JsonObject, encode, to_utf8
from pi_lsp.session.entries import Entry

VERSION = 3


def migrate(values: Sequence[Json]) -> list[Json]:
    """The values of a session file, header included, as version 3; new objects where something changed.

    The version is that of the first header; without a header, or without a version in it, it is 1.
    """
    version = version_of(next((value for value in values if _is_session(value)), None))
    migrated = list(values)
    if version < 2:
        migrated = _with_ids(migrated)
    if version < VERSION:
        migrated = [_with_version_3(value) for value in migrated]
    return migrated


def entries_of(values: Sequence[Json]) -> list[Entry]:
    """The entries among the values of a session, as version 3. Without a header nothing is known of the version."""
    values = migrate(values) if any(map(_is_session, values)) else values
    return [Entry.of(value) for value in values if isinstance(value, dict) and not _is_session(value)]


def version_of(header: Json) -> float:
    """The version in a header, 1 where it has none. One that is no number is NaN: nothing is known about it."""
    version = header.get("version") if isinstance(header, dict) else None
    if version is None:
        return 1
    try:
        return float(version or 0) if isinstance(version, int | float | str) else math.nan
    except ValueError:
        return math.nan


def _with_ids(values: Sequence[Json]) -> list[Json]:
    migrated = list(values)
    taken: set[str] = set()
    last: str | None = None
    for place, value in enumerate(values):
        if isinstance(value, dict) and not _is_session(value):
            entry_id = _hash_id(place, value, taken)
            taken.add(entry_id)
            migrated[place] = entry = {**value, "id": entry_id, "parentId": last}
            migrated[place] = _with_first_kept(entry, migrated)
            last = entry_id
    return migrated


def _hash_id(place: int, value: JsonObject, taken: Container[str]) -> str:
    digest = hashlib.sha256(to_utf8(f"{place} {encode(value)}"))
    while (entry_id := digest.hexdigest()[:8]) in taken:
        digest.update(b"+")
    return entry_id


def _with_first_kept(entry: JsonObject, migrated: Sequence[Json]) -> JsonObject:
    """A compaction's place of its first kept entry turned into the id that this entry has by now, if any."""
    place = entry.get("firstKeptEntryIndex")
    if entry.get("type") != "compaction" or isinstance(place, bool) or not isinstance(place, int | float):
        return entry
    kept = {key: value for key, value in entry.items() if key != "firstKeptEntryIndex"}
    target = migrated[int(place)] if place in range(len(migrated)) else None
    if isinstance(target, dict) and not _is_session(target):
        kept["firstKeptEntryId"] = target.get("id")
        if kept["firstKeptEntryId"] is None:
            del kept["firstKeptEntryId"]
    return kept


def _with_version_3(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    if _is_session(value):
        return {**value, "version": VERSION}
    message = value.get("message")
    if value.get("type") == "message" and isinstance(message, dict) and message.get("role") == "hookMessage":
        return {**value, "message": {**message, "role": "custom"}}
    return value


def _is_session(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "session"
