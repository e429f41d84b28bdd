"""How our pages and hovers are written.

Nothing of a file reaches a page as Markdown: names and texts stand in code spans, where no client follows a link,
loads an image or reads HTML. A client without Markdown gets the same sentences without marks.
"""

import os
import re

import msgspec

from pi_lsp.base.paths import uri_to_path
from pi_lsp.base.text import one_line

_LONGEST_TEXT = 1200
"""UTF-16 units of a description or a name; more is cut with an ellipsis."""
_PROSE = re.compile(r"(?:[A-Za-z0-9 ,.;'()-]|: )+")
_BACKTICKS = re.compile("`+")


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """How a page is written: with or without Markdown, and with which folders its reader is at home."""

    markdown: bool
    folders: tuple[str, ...]
    home: str

    def code(self, text: str) -> str:
        """A text that is not ours, on one line and inert."""
        if not text.isprintable():
            text = "".join(char if char.isprintable() else " " for char in text)
        text = one_line(text, _LONGEST_TEXT)
        if not self.markdown:
            return text
        fence = "`" * (_longest_run(text) + 1)
        room = " " if not text or text[0] == "`" or text[-1] == "`" else ""
        return f"{fence}{room}{text}{room}{fence}"

    def prose(self, text: str) -> str:
        """A sentence that may hold names which are not ours: as it is where no letter of it can mean anything."""
        return text if _PROSE.fullmatch(text) and "www." not in text else self.code(text)

    def block(self, text: str) -> str:
        """A text that is not ours, as it is and inert."""
        if not self.markdown:
            return text
        fence = "`" * max(3, _longest_run(text) + 1)
        return f"{fence}\n{text}\n{fence}"

    def strong(self, text: str) -> str:
        """The sentence that is read first."""
        return f"**{text}**" if self.markdown else text

    def path(self, path: str) -> str:
        """A path as a reader knows it: below a workspace folder by that folder's name, below home by `~`."""
        roots = [(folder, os.path.basename(folder)) for folder in self.folders]
        for root, name in [*sorted(roots, key=lambda each: len(each[0]), reverse=True), (self.home, "~")]:
            if path == root or path.startswith(root + os.sep):
                return self.code(name + path[len(root) :])
        return self.code(path)

    def uri(self, uri: str) -> str:
        """The path of a URI."""
        path = uri_to_path(uri)
        return self.code(uri) if path is None else self.path(path)


def _longest_run(text: str) -> int:
    return max((len(ticks) for ticks in _BACKTICKS.findall(text)), default=0)


def about_tokens(count: int) -> str:
    """A number of tokens, which is always an estimate."""
    return f"about {count:,} token{'' if count == 1 else 's'}"


def paragraphs(*parts: str | None) -> str:
    """Those that are there, a blank line between them."""
    return "\n\n".join(filter(None, parts))
