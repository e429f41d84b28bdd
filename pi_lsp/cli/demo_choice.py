"""What to ask about in a folder that nobody has seen before."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pi_lsp.api.rules import RuleFile
from pi_lsp.api.tree import TreeNode
from pi_lsp.base.paths import is_within, uri_to_path
from pi_lsp.base.text import one_line, utf16_length

_PATH = re.compile(r"[\w.@-]+(?:/[\w.@-]+)+/?|[\w@-]+\.[A-Za-z]{1,5}\b")
_MAX_BYTES = 1 << 20
_QUESTION_UNITS = 60


class Place(NamedTuple):
    """A place in a file as LSP has it (from 0, UTF-16 units), and the text that stands there."""

    file: str
    line: int
    character: int
    text: str


class Question(NamedTuple):
    """What `pi/explain` is asked: about an entry or about a text."""

    query: str | None = None
    entry_id: str | None = None
    preview: str = ""

    @property
    def text(self) -> str:
        """The question as a person reads it."""
        return self.query or one_line(self.preview, _QUESTION_UNITS)


def places_to_hover(uris: Iterable[str], workspace: str) -> Iterator[Place]:
    """Mentions, in the files, of paths that exist in the workspace; then the heads of the files."""
    heads: list[Place] = []
    for file in filter(None, map(uri_to_path, uris)):
        try:
            if os.path.getsize(file) > _MAX_BYTES:
                continue
            lines = Path(file).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        heads.append(Place(file, 0, 0, lines[0] if lines else ""))
        yield from _mentions(file, lines, workspace)
    yield from heads


def _mentions(file: str, lines: Sequence[str], workspace: str) -> Iterator[Place]:
    """Paths that exist and are told of from the file's folder or from the workspace."""
    for number, line in enumerate(lines):
        for match in _PATH.finditer(line):
            for folder in (os.path.dirname(file), workspace):
                path = os.path.normpath(os.path.join(folder, match.group()))
                if is_within(workspace, path) and os.path.dirname(path) != workspace and os.path.exists(path):
                    yield Place(file, number, utf16_length(line[: match.start()]), match.group())
                    break


def folders_with_rules(files: Iterable[RuleFile]) -> list[str]:
    """The URIs of the folders below that have rules of their own."""
    return list(dict.fromkeys(file.applies_to for file in files if file.scope == "nested" and file.applies_to))


def questions(nodes: Sequence[TreeNode], files: Iterable[RuleFile]) -> list[Question]:
    """The oldest wish of the person, the newest thing on a branch that was left, a rule file that is not loaded."""
    wish = next((node for node in nodes if node.on_path and node.role == "user"), None)
    left = next((node for node in reversed(nodes) if not node.on_path and node.type == "message"), None)
    title = next((file.title for file in files if not file.loaded and file.title), None)
    return [
        *(Question(entry_id=node.id, preview=node.preview) for node in (wish, left) if node),
        *([Question(query=title)] if title else []),
    ]
