"""The session half of a window: which session it has, what others write into it, and what is written.

Everything here but the properties runs in the window's worker thread.
"""

import logging
from collections.abc import Callable, Iterable

from pi_lsp.agent.conversation import Conversation, Followed
from pi_lsp.agent.counting import Counting
from pi_lsp.agent.events import Emit, EntryAppended, ForeignAppend, SessionChanged
from pi_lsp.agent.session_rules import SessionRules
from pi_lsp.context.prompt import PromptParts
from pi_lsp.context.refs import entry_ref
from pi_lsp.resources.rules import lineage
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import FileReplacedError
from pi_lsp.session.presence import Presence, mark
from pi_lsp.session.store import Session

MANY_ENTRIES = 100
"""So many new entries at once are told as a change of the whole session."""

logger = logging.getLogger(__name__)


class Keeper:
    """Keeps the one session of a window."""

    def __init__(self, counting: Counting, emit: Emit) -> None:
        self._counting = counting
        self._emit = emit
        self._conversation: Conversation | None = None
        self._presence: Presence | None = None
        self._warned: set[str] = set()
        self._untold: list[Entry] = []
        """Entries of this window that are not in the file yet."""
        self._rules: tuple[tuple[str, str | None], SessionRules] | None = None
        self._run_is_over = False
        self.foreign_moves = 0
        """How often other programs have moved the leaf."""

    # --- for any thread -----------------------------------------------------------------------------------------

    @property
    def session_id(self) -> str:
        """The id of the session; empty before there is one."""
        return self._conversation.id if self._conversation else ""

    @property
    def leaf_id(self) -> str | None:
        """The leaf as it was last known."""
        return self._conversation.leaf_id if self._conversation else None

    @property
    def session_file(self) -> str | None:
        """The path of the session's file, whether it is written yet or not."""
        return self._conversation.session.path if self._conversation else None

    @property
    def last_rules(self) -> SessionRules | None:
        """What was last known of the rules that the session has."""
        return self._rules[1] if self._rules else None

    def release(self) -> None:
        """Let other processes have the session."""
        if self._presence:
            self._presence.release()

    # --- in the worker thread -----------------------------------------------------------------------------------

    def adopt(self, session: Session) -> Conversation:
        """Take a session over, and leave the one before."""
        self._conversation = Conversation(session)
        self._rules = None
        self._warned = set()
        self._untold = []
        self.release()
        self._presence = mark(session.path) if session.path and session.is_saved else None
        return self._conversation

    def replace(self, make: Callable[[Conversation], Session]) -> Conversation:
        """Go over to the session that `make` gives for the present one, and tell it. Raises what `make` raises."""
        return self._go_over(make(self.followed()))

    def end_run(self) -> None:
        """A run is over: see `Window.end_run`. For any thread; the next visit takes it in."""
        self._run_is_over = True

    def followed(self) -> Conversation:
        """The session as it stands in its file now; what others wrote is told.

        Where the file cannot be looked at, as it was read: nothing can be appended then, and that says why.
        """
        if self._run_is_over:
            self._run_is_over = False
            try:
                self._follow()  # what came during the run does not move its leaf
            finally:
                if self._conversation:
                    self._conversation.session.running = False
        return self._follow()

    def _follow(self) -> Conversation:
        conversation = self._conversation
        if conversation is None:
            raise RuntimeError("the window has no session")
        try:
            self._tell(conversation, conversation.follow())
        except FileReplacedError as error:
            self._warn(error)
            conversation = self._reopen(conversation)
        except OSError as error:
            self._warn(error)
        self._counting.learn(conversation)
        return conversation

    def write(self, call: Callable[[Conversation], Iterable[Entry]]) -> list[Entry]:
        """Run a call that appends entries, then tell each; see `Window.write`.

        None is told before it is in the file: what comes before the first message of a session gets there with that.
        """
        conversation = self.followed()
        written: list[Entry] = []
        try:
            written.extend(call(conversation))  # where it raises, what it gave before
        finally:
            self._untold += written
            if conversation.session.is_saved or not conversation.session.path:
                self._tell_written(conversation)
        return written

    def rules(self, conversation: Conversation, place: str, agent_dir: str) -> SessionRules:
        """The rules that the session has now."""
        key = (conversation.id, conversation.leaf_id)
        if self._rules is None or self._rules[0] != key:
            view = conversation.view(conversation.leaf_id, PromptParts(cwd=place))
            folders = frozenset([agent_dir, *lineage(place)])
            self._rules = key, SessionRules.of(view.stored_prompt, view.conversation, folders)
        return self._rules[1]

    def _go_over(self, session: Session) -> Conversation:
        conversation = self.adopt(session)
        self._emit(SessionChanged())
        return conversation

    def _reopen(self, conversation: Conversation) -> Conversation:
        """The file is another one: read it anew. A file that is gone leaves what was read of it."""
        path = conversation.session.path
        if path is None or conversation.session.running:
            return conversation
        try:
            return self._go_over(Session.open(path, conversation.cwd))
        except (OSError, ValueError) as error:
            self._warn(error)
            return conversation

    def _warn(self, error: Exception) -> None:
        """Log what is wrong with the file, each thing once for a session: every visit meets it again."""
        if str(error) not in self._warned:
            self._warned.add(str(error))
            logger.warning("%s", error)

    def _tell_written(self, conversation: Conversation) -> None:
        path = conversation.session.path
        if self._presence is None and path:
            self._presence = mark(path)
        told, self._untold = self._untold, []
        for entry in told:
            self._tell_entry(conversation, entry)

    def _tell(self, conversation: Conversation, followed: Followed) -> None:
        if not followed.entries:
            return
        self.foreign_moves += followed.leaf_moved
        self._emit(ForeignAppend(count=len(followed.entries), leaf_moved=followed.leaf_moved))
        if len(followed.entries) > MANY_ENTRIES:
            self._emit(SessionChanged())
            return
        for entry in followed.entries:
            self._tell_entry(conversation, entry)

    def _tell_entry(self, conversation: Conversation, entry: Entry) -> None:
        ref = entry_ref(entry, self._counting.counter)
        self._emit(EntryAppended(entry=ref, parent_id=entry.parent_id, leaf_id=conversation.leaf_id))
