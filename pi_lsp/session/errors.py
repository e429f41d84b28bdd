"""What can be wrong with a session, said so that a person can act on it."""

from collections.abc import Sequence

from pi_lsp.session.entries import Entry


class SessionError(ValueError):
    """A session cannot do what was asked; the message says why."""


class InvalidSessionError(SessionError):
    """The file is not a session. It was not touched."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(
            f"{path}, line {line}: not a Pi session: {reason}. The file was left as it is; open another one."
        )
        self.path = path
        self.line = line


class FileReplacedError(SessionError):
    """The file under an open session was deleted, cut short or replaced: open it again."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} {reason} while it was open. Open it again.")
        self.path = path


class StaleTipError(SessionError):
    """Another process appended to the file since we looked; nothing was written.

    The tree holds its entries now, and `Session.follow` will tell them: follow them by moving the leaf, or append again
    to branch off.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__(f"another program appended {len(entries)} entries to this session")
        self.entries = entries


class EntryNotFoundError(SessionError):
    """No entry of the session has that id."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"Entry {entry_id} not found")
