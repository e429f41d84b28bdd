"""Session entries: a typed view over the JSON object of a line, which is kept whole.

Nothing of an entry is lost by reading it: fields that nobody here knows stay in `body`, in their order. The four
fields that every entry has are read once; everything else is asked of the body, whatever shape it turns out to have.
Format: session JSONL version 3 of Pi 1.6.0.
"""

from collections.abc import Callable
from typing import Protocol

from pi_lsp.base.json import Json, JsonObject, as_object, as_str


class Node(Protocol):
    """What the tree needs to know of an entry."""

    @property
    def type(self) -> str:
        """`message`, `compaction`, `label` and so on; any string."""
        ...

    @property
    def id(self) -> str:
        """The entry's id."""
        ...

    @property
    def parent_id(self) -> str | None:
        """The id of the entry that this one follows; None for a root."""
        ...

    @property
    def timestamp(self) -> str:
        """ISO 8601 time of writing."""
        ...

    def get(self, key: str) -> Json:
        """One field of the body; None where it is missing."""
        ...


class Entry:
    """One entry of a session. The body may be given later, by a function that reads it from the file.

    A lazily read body is decoded at every access and kept by nobody: hold on to it where it is used twice.
    """

    __slots__ = ("_body", "id", "parent_id", "timestamp", "type")

    def __init__(
        self,
        type: str,  # noqa: A002  the format's own name
        id: str,  # noqa: A002  likewise
        parent_id: str | None,
        timestamp: str,
        body: JsonObject | Callable[[], JsonObject],
    ) -> None:
        self.type = type
        self.id = id
        self.parent_id = parent_id
        self.timestamp = timestamp
        self._body = body

    @classmethod
    def of(cls, body: JsonObject) -> "Entry":
        """The entry that a decoded line stands for; fields of a wrong type read as missing."""
        parent = body.get("parentId")
        return cls(
            as_str(body.get("type")),
            as_str(body.get("id")),
            parent if isinstance(parent, str) else None,
            as_str(body.get("timestamp")),
            body,
        )

    @property
    def body(self) -> JsonObject:
        """The whole object as stored."""
        return self._body() if callable(self._body) else self._body

    @property
    def message(self) -> JsonObject:
        """The message of a `message` entry; empty where there is none."""
        return as_object(self.body.get("message"))

    def get(self, key: str) -> Json:
        """One field of the body; None where it is missing."""
        return self.body.get(key)

    def __repr__(self) -> str:
        return f"Entry({self.type} {self.id} <- {self.parent_id})"
