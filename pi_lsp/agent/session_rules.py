"""Which rule files the session has told the model of, and whether they still say the same."""

import os
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import as_object, as_str
from pi_lsp.session.messages import Message, text_of

RULES_MESSAGE = "pi-lsp.rules"
"""The custom type of a message that brings a rule file which no agent started here would read."""

Standing: TypeAlias = Literal["absent", "present", "changed"]


class SessionRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a session holds of rule files."""

    text: str | None
    """The section of the prompt that it has stored; None where it has stored no prompt."""
    messages: str = ""
    """Those that were brought by messages."""
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
        brought = (text_of(message) for message in conversation if message.get("customType") == RULES_MESSAGE)
        messages = "\n\n".join(brought)
        if stored_prompt is None:
            return cls(text=None, messages=messages, folders=folders)
        text = as_str(as_object(stored_prompt.get("sections")).get("project_context"))
        return cls(text=text, messages=messages)

    def standing(self, path: str, content: str, *, loaded: bool) -> Standing:
        """How a file stands to the session.

        Before the first request nothing is stored: then the model will see what is loaded, as it is. The tags are
        looked for as they are written, since neither path nor content is escaped in them.
        """
        if self.text is None:
            is_read = self.folders is None or os.path.dirname(path) in self.folders
            if loaded and is_read:
                return "present"
        opening = f'<project_instructions path="{path}">\n'
        texts = (self.text or "", self.messages)
        if any(f"{opening}{content}\n</project_instructions>" in text for text in texts):
            return "present"
        return "changed" if any(opening in text for text in texts) else "absent"
