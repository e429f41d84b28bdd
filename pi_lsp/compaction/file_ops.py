"""The files that the summarised part of a conversation read and changed, carried on from summary to summary.

What counts are the calls of the tools `read`, `write` and `edit` with a path, and the lists that earlier summaries
of ours stored in their `details` (as Pi 1.6.0 does). Such stored lists may hold anything; what they hold is kept.
"""

from collections.abc import Iterable

import msgspec

from pi_lsp.base.json import Json, JsonObject, as_list, as_object, encode, objects
from pi_lsp.session.messages import Message, role_of, tool_calls_of


class FileLists(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The files by what was done to them in the end, each sorted by UTF-16 units; no file is in both.

    This is the shape of `details` in a compaction entry and a branch summary.
    """

    read_files: tuple[Json, ...] = ()
    """Read and never changed."""
    modified_files: tuple[Json, ...] = ()


class FileOps(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The files by what was done to them, each once, in order of first appearance."""

    read: tuple[Json, ...] = ()
    written: tuple[Json, ...] = ()
    edited: tuple[Json, ...] = ()

    @property
    def lists(self) -> FileLists:
        """What belongs into a summary: edited and written files as one list, the others that were read."""
        modified = _unique((*self.edited, *self.written))
        read = {key: path for key, path in _unique(self.read).items() if key not in modified}
        return FileLists(
            read_files=tuple(sorted(read.values(), key=_utf16_order)),
            modified_files=tuple(sorted(modified.values(), key=_utf16_order)),
        )


def file_ops(messages: Iterable[Message], earlier: Iterable[JsonObject] = ()) -> FileOps:
    """The file operations of messages.

    Args:
        messages: assistant messages count by their tool calls, tool results by the calls nested in them.
        earlier: bodies of earlier compaction or branch summary entries, whose stored lists come first; entries that
            a hook made are ignored.
    """
    read: list[Json] = []
    edited: list[Json] = []
    written: list[Json] = []
    for body in earlier:
        if not body.get("fromHook"):
            details = as_object(body.get("details"))
            read += as_list(details.get("readFiles"))
            edited += as_list(details.get("modifiedFiles"))
    by_tool = {"read": read, "edit": edited, "write": written}
    for message in messages:
        for call in _calls_of(message):
            name, path = call.get("name"), as_object(call.get("arguments")).get("path")
            if isinstance(name, str) and name in by_tool and isinstance(path, str) and path:
                by_tool[name].append(path)
    return FileOps(
        read=tuple(_unique(read).values()),
        written=tuple(_unique(written).values()),
        edited=tuple(_unique(edited).values()),
    )


def format_file_lists(lists: FileLists) -> str:
    """The tagged blocks that end a summary, with the blank line before each; empty where no file was touched."""
    blocks = (("read-files", lists.read_files), ("modified-files", lists.modified_files))
    return "".join(
        f"\n\n<{tag}>\n" + "\n".join(_as_text(path) for path in paths) + f"\n</{tag}>" for tag, paths in blocks if paths
    )


def _calls_of(message: Message) -> Iterable[JsonObject]:
    match role_of(message):
        case "assistant":
            return tool_calls_of(message)
        case "toolResult" if isinstance(nested := message.get("nestedCalls"), dict):
            return objects(nested.get("calls"))
        case _:
            return ()


def _unique(paths: Iterable[Json]) -> dict[object, Json]:
    """The values once each, in order, under a key: a text is its own, anything else has one by its JSON text."""
    unique: dict[object, Json] = {}
    for path in paths:
        unique.setdefault(path if isinstance(path, str) else (encode(path),), path)
    return unique


def _as_text(path: Json) -> str:
    return path if isinstance(path, str) else encode(path)


def _utf16_order(path: Json) -> bytes:
    return _as_javascript_sorts(path).encode("utf-16-be", "surrogatepass")


def _as_javascript_sorts(path: Json) -> str:
    """What JavaScript compares where a list holds other things than texts."""
    match path:
        case dict():
            return "[object Object]"
        case list():
            return ",".join("" if item is None else _as_javascript_sorts(item) for item in path)
        case _:
            return _as_text(path)
