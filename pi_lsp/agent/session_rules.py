"""Which rule files the session has told the model of, and whether they still say the same."""

import os
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.json import as_object, as_str
from pi_lsp.session.messages import Message

Standing: TypeAlias = Literal["absent", "present", "changed"]


class SessionRules(msgspec.Struct, frozen=True, kw_only=True):
    """The section of rule files in the prompt that a session has stored; None where it has stored no prompt."""

    text: str | None
    folders: frozenset[str] | None = None
    """Before the first request: the folders whose rules it will hold; None: whichever."""

    @classmethod
    def of(cls, stored_prompt: Message | None, folders: frozenset[str] | None = None) -> "SessionRules":
        """The rules in a replayed system message."""
        if stored_prompt is None:
            return cls(text=None, folders=folders)
        return cls(text=as_str(as_object(stored_prompt.get("sections")).get("project_context")))

    def standing(self, path: str, content: str, *, loaded: bool) -> Standing:
        """How a file stands to the session.

        Before the first request nothing is stored: then the model will see what is loaded, as it is. The tags are
        looked for as they are written, since neither path nor content is escaped in them.
        """
        if self.text is None:
            is_read = self.folders is None or os.path.dirname(path) in self.folders
            return "present" if loaded and is_read else "absent"
        opening = f'<project_instructions path="{path}">\n'
        if f"{opening}{content}\n</project_instructions>" in self.text:
            return "present"
        return "changed" if opening in self.text else "absent"
