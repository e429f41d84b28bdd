"""Which rule files the session has told the model of, what it said of them, and whether they still say the same."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import as_object, as_str
from pi_lsp.session.messages import Message, text_of

RULES_MESSAGE = "pi-lsp.rules"
"""The custom type of a message that brings a rule file which no agent started here would read."""

Standing: TypeAlias = Literal["absent", "present", "changed"]

_BLOCK = '<project_instructions path="'
_CLOSING = "\n</project_instructions>"
_END = re.compile(rf"{_CLOSING}(?=\n\n{_BLOCK}|\n</project_context>\Z|\Z)")
"""Where a file ends in the section: its own text may hold the tag, so what follows must be the next file or the end."""


class SessionRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a session holds of rule files."""

    text: str | None
    """The section of the prompt that it has stored; None where it has stored no prompt."""
    messages: tuple[str, ...] = ()
    """Those that were brought by messages, one in each, oldest first."""
    folders: frozenset[str] | None = None
    """Before the first request: the folders whose rules it will hold; None: whichever."""

    @classmethod
    def of(
        cls,
        stored_prompt: Message | None,
        conversation: Iterable[Message] = (),
        folders: frozenset[str] | None = None,
    ) -> "SessionRules":
        """The rules in a replayed system message and in the messages of a context."""
        messages = tuple(text_of(message) for message in conversation if message.get("customType") == RULES_MESSAGE)
        if stored_prompt is None:
            return cls(text=None, messages=messages, folders=folders)
        text = as_str(as_object(stored_prompt.get("sections")).get("project_context"))
        return cls(text=text, messages=messages)

    def standing(self, path: str, content: str, *, loaded: bool) -> Standing:
        """How a file stands to the session.

        Before the first request nothing is stored: then the model will see what is loaded, as it is.
        """
        if self.text is None:
            is_read = self.folders is None or os.path.dirname(path) in self.folders
            if loaded and is_read:
                return "present"
        told = self.told(path, content)
        return "absent" if told is None else "present" if told == content else "changed"

    def told(self, path: str, content: str) -> str | None:
        """What the session was told of a file, None where nothing: `content` if that was told, else what came last.

        The tags are looked for as they are written, since neither path nor content is escaped in them.
        """
        section, opening = self.text or "", f'{_BLOCK}{path}">\n'
        if f"{opening}{content}{_CLOSING}" in section:
            return content
        told = [*_in_section(section, opening), *_in_messages(self.messages, opening)]
        return content if content in told else told[-1] if told else None


def _in_section(section: str, opening: str) -> Iterator[str]:
    at = section.find(opening)
    while at >= 0:
        begin = at + len(opening)
        end = _END.search(section, begin)
        yield section[begin : end.start()] if end else section[begin:]
        at = section.find(opening, begin)


def _in_messages(messages: Iterable[str], opening: str) -> Iterator[str]:
    """A message brings the file that its first tag names, and ends with it."""
    for message in messages:
        at = message.find(_BLOCK)
        if at >= 0 and message.startswith(opening, at):
            yield message[at + len(opening) :].removesuffix(_CLOSING)
