"""What the user says in a run: into the session with whatever has to stand before it, and told."""

from collections.abc import Callable, Iterator

from pi_lsp.agent.committing import noting
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import MessageEnd, MessageStart
from pi_lsp.agent.recording import MovedError, begin_prompt
from pi_lsp.agent.requesting import Requests
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.window import Window
from pi_lsp.base.json import as_str
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message


class Saying:
    """That of one run."""

    def __init__(self, window: Window, requests: Requests) -> None:
        """`requests` foresee the one that follows, with the same visit to the worker thread."""
        self._window = window
        self._requests = requests

    def words(
        self, conversation: Conversation, message: Message, speaker: Speaker, now: Snapshot, moves: int | None
    ) -> Iterator[Entry]:
        """Append a message and what stands before it. `moves` as in `Run.go`, for the prompt alone.

        Raises:
            MovedError: other programs have moved the leaf since; nothing was appended.
            SessionError, OSError: as `Session.append`.
        """
        window = self._window
        if moves is not None and window.foreign_moves != moves:
            raise MovedError
        conversation.session.running = True
        yield from begin_prompt(conversation, [message], window.prompt_parts(now), speaker)
        self._requests.foresee(conversation, speaker, now)

    async def write(self, append: Callable[[Conversation], Iterator[Entry]]) -> bool:
        """Run a call that appends, and tell the messages: also those that stand when it fails or is aborted.

        Whether there are any. Raises what the call raises, and as `Window.write`.
        """
        written: list[Entry] = []
        try:
            await self._window.write(noting(written, append))
        finally:
            for entry in written:
                if entry.type == "message":
                    message = entry.message
                    self._window.emit(MessageStart(role=as_str(message.get("role"))))
                    self._window.emit(MessageEnd(message=message, entry_id=entry.id))
        return bool(written)
