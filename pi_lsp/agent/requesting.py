"""The requests of a run: what the session says, as hooks leave it, in a form that the provider takes.

A request states the whole system prompt first. What hooks did to the conversation is kept, so that `pi/context` and
`pi/explain` can tell; so is what stood before each answer, so that its thinking goes back only behind the same.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.hooked import Chosen, Hooked, fates_of, labelled, read_back
from pi_lsp.agent.hooks import Hook
from pi_lsp.agent.replay import Prefix, thinks
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.base.json import Json, as_object
from pi_lsp.context.fate import Fate
from pi_lsp.context.model import Model
from pi_lsp.llm.contract import ChatRequest
from pi_lsp.session.actions import append_custom_message
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of, text_of

HOOK_MESSAGE = "pi-lsp.hook"
"""The custom type of what the hook `append_context` says."""

_ROLES = frozenset({"user", "assistant", "toolResult", "custom", "bashExecution", "branchSummary", "compactionSummary"})


class NothingToSendError(Exception):
    """No message is left for the model."""


def view_of(
    window: Window,
    conversation: Conversation,
    leaf_id: str | None = None,
    model: Model | None = None,
    *,
    now: Snapshot | None = None,
    with_hooks: bool = True,
) -> View:
    """What the next request would hold, from the window's leaf or from another. In the worker thread.

    `now` is a look that was taken already. Raises EntryNotFoundError.
    """
    talk, now = window.talk, now or window.now()
    choice = talk.speaking.choice(conversation.id)
    return conversation.view(
        conversation.leaf_id if leaf_id is None else leaf_id,
        window.prompt_parts(now),
        model or choice.model,
        talk.speaking.default(now.settings),
        talk.outlook(conversation.id, now.settings, with_hooks=with_hooks),
    )


class Requests:
    """Makes the requests of one run."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._sent: Sequence[Message] = ()
        self._foreseen: tuple[str | None, Snapshot, ChatRequest] | None = None

    def foresee(self, conversation: Conversation, speaker: Speaker, now: Snapshot) -> None:
        """Make the request from this leaf already, with one visit to the worker thread; `build` gives it.

        Not where hooks have a say, which are asked in the event loop.
        """
        talk = self._window.talk
        if talk.hooked is None and not talk.hooks.any_of("transform_context", "append_context"):
            with suppress(Exception):  # whatever it is, `build` meets it, too
                self._foreseen = conversation.leaf_id, now, self._request(conversation, speaker, now)

    async def build(self, speaker: Speaker, now: Snapshot) -> ChatRequest:
        """The next request. Raises NothingToSendError, and what `Window.write` raises."""
        foreseen, self._foreseen = self._foreseen, None
        if foreseen and foreseen[:2] == (self._window.leaf_id, now):
            return foreseen[2]
        talk = self._window.talk
        talk.hooked = None
        if talk.hooks.any_of("transform_context", "append_context"):
            await self._ask_hooks(speaker, now)
        return await self._window.in_session(self._request, speaker, now)

    def answered(self, entry: Entry) -> None:
        """The last request got this answer."""
        if thinks(entry.message):
            self._window.talk.thought_behind[entry.id] = Prefix(self._sent).digest

    def _request(self, conversation: Conversation, speaker: Speaker, now: Snapshot) -> ChatRequest:
        view = view_of(self._window, conversation, model=speaker.model, now=now)
        messages = view.request_messages
        if all(role_of(message) == "system" for message in messages):
            raise NothingToSendError("nothing is left to send: hooks or edits took all messages out of the context")
        self._sent = messages
        return ChatRequest(messages=messages, model=speaker.model, level=speaker.level, session_id=conversation.id)

    async def _ask_hooks(self, speaker: Speaker, now: Snapshot) -> None:
        window = self._window
        session_id, given = await window.in_session(self._before_hooks, speaker, now)
        chosen, fates = await self._transform(given, speaker)
        if fates or chosen != list(given):
            seen = frozenset(one.entry_id for one in given)
            window.talk.hooked = session_id, Hooked(chosen=chosen, fates=fates, seen=seen)
        for hook in window.talk.hooks.of("append_context"):
            text = await hook.ask(messages=labelled(chosen), cwd=window.place)
            if text is None or text == _last_said(given, hook.plugin):
                continue
            if isinstance(text, str) and text.strip():
                await self._append(text, hook)
            else:
                hook.complain("it did not give a text")

    def _before_hooks(
        self, conversation: Conversation, speaker: Speaker, now: Snapshot
    ) -> tuple[str, Sequence[Chosen]]:
        view = view_of(self._window, conversation, model=speaker.model, now=now, with_hooks=False)
        return conversation.id, view.chosen

    async def _transform(self, given: Sequence[Chosen], speaker: Speaker) -> tuple[list[Chosen], dict[str, Fate]]:
        chosen, fates = list(given), dict[str, Fate]()
        for hook in self._window.talk.hooks.of("transform_context"):
            answer = await hook.ask(messages=labelled(chosen), cwd=self._window.place, model=speaker.model.id)
            if answer is None:
                continue
            messages = _read(answer)
            if messages is None:
                hook.complain("it did not give a list of messages, each with its role")
                continue
            after = list(read_back(messages, chosen))
            fates |= fates_of(chosen, after, hook.plugin)
            chosen = after
        return chosen, fates

    async def _append(self, text: str, hook: Hook) -> None:
        def append(conversation: Conversation) -> Iterator[Entry]:
            yield append_custom_message(
                conversation.session, HOOK_MESSAGE, text, display=False, details={"plugin": hook.plugin}
            )

        await self._window.write(append)


def _read(answer: object) -> list[Message] | None:
    """The messages that a hook gave; None where it gave something else."""
    try:
        messages = msgspec.convert(answer, list[dict[str, Json]], strict=True)
    except msgspec.ValidationError:
        return None
    return messages if all(role_of(message) in _ROLES for message in messages) else None


def _last_said(conversation: Sequence[Chosen], plugin: str) -> str | None:
    """What a plugin said last in a context."""
    for one in reversed(conversation):
        message = one.message
        if message.get("customType") == HOOK_MESSAGE and as_object(message.get("details")).get("plugin") == plugin:
            return text_of(message)
    return None
