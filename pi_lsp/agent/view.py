"""What a request from a leaf would hold: the prompt, the tools and the messages, before anything is sent.

Looking is pure: it runs no hook, calls no model and writes nothing. `pi/context`, `pi/state`, `pi/explain` and the
compaction preview all look at the same view, so that no two of them can disagree.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import msgspec

from pi_lsp.agent.hooked import Chosen, Hooked
from pi_lsp.agent.replay import stale_thinking, without_stale
from pi_lsp.base.json import JsonObject, as_object, objects
from pi_lsp.context.estimate import TokenCounter, last_usage_index
from pi_lsp.context.fate import SENT, Change, Fate
from pi_lsp.context.finish import changed_fates, finish
from pi_lsp.context.model import Model
from pi_lsp.context.prompt import PromptParts, build_sections
from pi_lsp.context.prompt_state import current_system
from pi_lsp.context.prompt_trace import PromptPart, StoredPrompt, trace_prompt
from pi_lsp.context.select import Projection, select
from pi_lsp.context.tokens import BYTE_COUNTER, tokens_of_bytes
from pi_lsp.context.trace import Item, Traced
from pi_lsp.context.usage import measure
from pi_lsp.llm.models import find_model
from pi_lsp.llm.thinking import nearest_level
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of

OWN_SECTIONS = frozenset({"preamble", "tools", "rules", "addendum", "project_context", "skills", "cwd"})
"""Sections that every request states as they are now; those of other programs (`docs`, an extension's) are kept."""

_BLOCKS = {"project_context": "<project_instructions", "skills": "<available_skills>"}
"""Where the part of a section begins that is not another program's wording of the same."""

_MANY_WINDOWS = 4
"""A context of so many windows is too large in any case, and by how much need not be known well."""

_STALE = "its thinking was left out: what is sent before it is not what it was thought behind"


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What a request depends on beside the path and the prompt."""

    find: Callable[[str | None, str | None], Model] = find_model
    """The model of a provider and an id."""
    level: str | None = None
    """The thinking level that the user chose for what comes; None: what the path says."""
    default_level: str = "off"
    """Where the path says nothing."""
    hooked: Hooked | None = None
    """What hooks made of the last request."""
    thought_behind: Mapping[str, bytes] | None = None
    """See `replay.stale_thinking`; None: thinking is not looked at."""


class View:
    """A path and what would be sent of it. Everything is computed at first need and kept: a view never changes."""

    def __init__(
        self,
        path: Sequence[Entry],
        parts: PromptParts,
        model: Model | None = None,
        default: Model | None = None,
        outlook: Outlook | None = None,
        projector: Callable[[Sequence[Entry]], Projection] = select,
        finisher: Callable[[Sequence[Message], Model], Traced] = finish,
    ) -> None:
        """A view of a path.

        `model` is asked instead of the one that the path speaks to, `default` where the path names none; `outlook` is
        what the window knows beside; `projector` and `finisher` give what `select` and `finish` give.
        """
        self.path = path
        self.parts = parts
        self._model = model
        self._default = default
        self._outlook = outlook or Outlook()
        self._projector = projector
        self._finisher = finisher

    @cached_property
    def projection(self) -> Projection:
        """The chosen entries and the fates of all."""
        return self._projector(self.path)

    @property
    def model(self) -> Model:
        """The model that is asked."""
        if self._model:
            return self._model
        choice = self.projection.model
        if choice is None:
            return self._default or self._outlook.find(None, None)
        return self._outlook.find(choice.provider, choice.model_id)

    @property
    def level(self) -> str:
        """The thinking level of the next request; one that the model does not know gives way to the nearest."""
        said = any(entry.type == "thinking_level_change" for entry in self.path)
        stated = self.projection.thinking_level if said else self._outlook.default_level
        return nearest_level(self.model, self._outlook.level or stated)

    @cached_property
    def stored_prompt(self) -> Message | None:
        """The system message that the session has now; None before the first request, and in old files."""
        return current_system(self.projection.system)

    @property
    def stored_sections(self) -> JsonObject:
        """The sections that the session has now, by name."""
        return as_object((self.stored_prompt or {}).get("sections"))

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """The sections of the next request: those stored, with our own stated anew.

        Rules and skills that differ from the stored ones in their lead alone stay as the other program put them:
        what says the same is not said twice.
        """
        built = build_sections(self.parts)
        stored = {name: text for name, text in self.stored_sections.items() if isinstance(text, str)}
        kept = {
            name: text
            for name, text in stored.items()
            if name in built or (name not in OWN_SECTIONS and self.parts.sections.get(name) != "")
        }
        anew = {name: text for name, text in built.items() if not _says_the_same(name, stored.get(name), text)}
        return {**kept, **anew}

    @property
    def tools(self) -> list[JsonObject]:
        """The declarations of the tools that the session has now."""
        return list(objects((self.stored_prompt or {}).get("toolsAdded")))

    @cached_property
    def prompt(self) -> Message:
        """The system message of the next request."""
        stored = self.stored_prompt or {"role": "system", "content": "", "timestamp": 0}
        return {**stored, "sections": {**self.sections}}

    @cached_property
    def conversation(self) -> list[Message]:
        """The chosen messages without system ones."""
        return [message for message in self.projection.messages if role_of(message) != "system"]

    @cached_property
    def chosen(self) -> Sequence[Chosen]:
        """The conversation that is finished: the chosen messages without system ones, as hooks left them."""
        stored = zip(self.projection.message_entries, self.projection.messages, strict=True)
        chosen = [Chosen(entry_id, message) for entry_id, message in stored if role_of(message) != "system"]
        return self._outlook.hooked.over(chosen) if self._outlook.hooked else chosen

    @cached_property
    def finished(self) -> Traced:
        """The conversation as a request would carry it, and what that changed."""
        messages = [one.message for one in self.chosen]
        finished = self._finisher(messages, self.model)
        if self._outlook.thought_behind is None:
            return finished
        owners = [one.entry_id for one in self.chosen]
        stale = stale_thinking(self.prompt, finished.items, owners, self._outlook.thought_behind)
        if not stale:
            return finished
        left_out = [Change(index=place, fate="changed", stage="repair", detail=_STALE) for place in sorted(stale)]
        again = finish(without_stale(messages, stale), self.model)
        return Traced(items=again.items, changes=left_out + again.changes)

    @cached_property
    def prompt_trace(self) -> Sequence[PromptPart]:
        """What the prompt holds of each system message that the path stores, in order."""
        stored = zip(self.projection.message_entries, self.projection.messages, strict=True)
        return trace_prompt(
            [StoredPrompt(entry_id, message) for entry_id, message in stored if role_of(message) == "system"],
            self.sections,
        )

    @cached_property
    def fates(self) -> Mapping[str, Fate]:
        """What became of every entry of the path, by id; a compaction counts by its summary alone."""
        changes = [change for change in self.finished.changes if not self.chosen[change.index].added]
        before = dict(self.projection.fates)
        if hooked := self._outlook.hooked:
            before |= {entry_id: fate for entry_id, fate in hooked.fates.items() if before.get(entry_id, SENT) == SENT}
        fates = dict(changed_fates(before, [one.entry_id for one in self.chosen], changes))
        of_conversation = {entry_id for entry_id, _ in self.sent_conversation}
        fates |= {part.entry_id: part.fate for part in self.prompt_trace if part.entry_id not in of_conversation}
        return fates

    @cached_property
    def sent_conversation(self) -> Sequence[tuple[str, Item]]:
        """The messages of the next request behind the system prompt, each with the id of the entry that it is of."""
        return [
            (one.entry_id, item._replace(made=True) if one.added else item)
            for item in self.finished.items
            for one in [self.chosen[item.source]]
        ]

    @cached_property
    def sent(self) -> Mapping[str, Sequence[Message]]:
        """What the next request holds of each entry, by id; an entry of which it holds nothing is missing."""
        sent: dict[str, list[Message]] = {}
        for part in self.prompt_trace:
            if part.sent is not None:
                sent.setdefault(part.entry_id, []).append(part.sent)
        for entry_id, item in self.sent_conversation:
            if not item.made:
                sent.setdefault(entry_id, []).append(item.message)
        return sent

    @property
    def request_messages(self) -> list[Message]:
        """The messages of the next request: the whole prompt first, said once, then the conversation."""
        return [self.prompt, *(item.message for _, item in self.sent_conversation)]

    def size(self, counter: TokenCounter) -> "Size":
        """How many tokens the next request takes. The one function behind every meter."""
        measured = measure(self.path, self.projection, counter, self.model.context_window)
        if measured.last_usage_index is not None:
            return Size(measured.tokens, measured=True)
        counter = self.affordable(counter)
        prompt = counter.message(self.prompt)
        tokens = prompt + sum(map(counter.message, self.conversation))
        known = self._answered_since_compaction()
        return Size(tokens, measured=False, known=known, doubt=measured.doubt)

    def affordable(self, counter: TokenCounter) -> TokenCounter:
        """The counter for all messages: what fills the model's window many times over is counted by its bytes."""
        size = self.projection.stored_bytes or 0
        return BYTE_COUNTER if tokens_of_bytes(size) > _MANY_WINDOWS * self.model.context_window else counter

    def _answered_since_compaction(self) -> bool:
        """Whether there is no compaction, or a provider has reported a usage after it (as Pi 1.6.0 asks)."""
        latest = next((at for at in range(len(self.path) - 1, -1, -1) if self.path[at].type == "compaction"), None)
        if latest is None:
            return True
        later = {entry.id for entry in self.path[latest + 1 :]}
        since = [one for selected in self.projection.entries if selected.entry.id in later for one in selected.messages]
        return last_usage_index(since) is not None


class Size(msgspec.Struct, frozen=True):
    """A number of tokens: measured up to the last answer by its provider, or estimated."""

    tokens: int
    measured: bool
    known: bool = True
    """Pi calls the number unknown after a compaction, until a provider has reported one: then this is false."""
    doubt: str | None = None
    """Why a usage that a provider reported is not believed."""


def _says_the_same(name: str, stored: str | None, built: str) -> bool:
    mark = _BLOCKS.get(name)
    if stored is None or mark is None or mark not in stored:
        return stored == built
    return stored[stored.index(mark) :] == built[built.index(mark) :]
