"""Frontmatter: the YAML block at the head of a Markdown file. The only place that knows ruamel.yaml.

The rules are Pi 1.6.0's: line ends are made "\\n", one leading byte order mark is dropped, the text begins with
`---`, and the block ends at the first line that begins with `---`. The YAML is version 1.2 with its core schema:
`yes` and dates are strings, a key stands once, tags of others are ignored.

Nearly all frontmatter is simple enough to be read without importing ruamel.yaml; see plain_yaml.py.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

import msgspec

from pi_lsp.base.json import JsonObject
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.plain_yaml import read_plain
from pi_lsp.resources.yaml_values import MAX_DEPTH, TOO_DEEP, Event, Mark, YamlError, build, prepare

# ruamel.yaml leaves its scanner untyped.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

MAX_YAML_LENGTH = 64 * 1024
"""Characters of YAML that are read; a longer block is an error unless it is plain (the parser is slow)."""


class YamlProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a block could not be read, and the line of the file (from 1) where."""

    message: str
    line: int


class Frontmatter(msgspec.Struct, frozen=True, kw_only=True):
    """A Markdown text, split."""

    body: str
    """The text behind the block, without white space around it; the whole text where there is no block."""
    fields: JsonObject = {}
    """The block's mapping; empty where there is no block, or it is no mapping, or it is broken."""
    lines: Mapping[str, int] = {}
    """The line of the file (from 1) of every key in `fields`."""
    problem: YamlProblem | None = None


def split(text: str) -> Frontmatter:
    """Split a Markdown text into its frontmatter and its body. Broken YAML is given as `problem`, never raised."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    end = text.find("\n---", 3) if text.startswith("---") else -1
    if end < 0:
        return Frontmatter(body=text)
    body = text[end + 4 :].strip(JS_SPACE)
    # Pi takes four characters off without a look at the fourth, so `---yaml` leaves `aml` in the block.
    yaml = text[4:end]
    first_line = 2 if text[3] == "\n" else 1
    try:
        fields, lines = read_plain(yaml) or _read_yaml(yaml)
    except YamlError as error:
        return Frontmatter(body=body, problem=YamlProblem(message=str(error), line=first_line + error.line))
    return Frontmatter(body=body, fields=fields, lines={key: first_line + line for key, line in lines.items()})


class _Problem(Protocol):
    """What is used of ruamel.yaml's errors."""

    context: str | None
    context_mark: Mark | None
    problem: str | None
    problem_mark: Mark | None


class _Parser(Protocol):
    def parse(self, stream: str) -> Iterable[Event]: ...


def _read_yaml(yaml: str) -> tuple[JsonObject, dict[str, int]]:
    """The mapping of a block, and the line (from 0) of every key. Raises YamlError."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import, and most files do without
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415
    from ruamel.yaml.reader import Reader  # noqa: PLC0415
    from ruamel.yaml.scanner import Scanner  # noqa: PLC0415

    class LenientReader(Reader):
        def check_printable(self, data: object) -> None:
            """Let control characters pass, as Pi's parser does."""

    class BoundedScanner(Scanner):
        def save_possible_simple_key(self) -> None:
            """Stop at brackets in brackets before they are all scanned, each slower than the one before."""
            if len(self.flow_context) > MAX_DEPTH:
                raise YamlError(TOO_DEEP, self.reader.line)
            super().save_possible_simple_key()

    if len(yaml) > MAX_YAML_LENGTH:
        raise YamlError(f"the frontmatter is longer than {MAX_YAML_LENGTH} characters", 0)
    parser = YAML(typ="safe", pure=True)
    parser.Reader, parser.Scanner = LenientReader, BoundedScanner
    text = prepare(yaml if yaml.endswith("\n") else f"{yaml}\n")
    try:
        return build(text, cast("_Parser", parser).parse(text))
    except MarkedYAMLError as error:
        problem = cast("_Problem", error)
        mark = problem.problem_mark or problem.context_mark
        message = ", ".join(part for part in (problem.context, problem.problem) if part)
        raise YamlError(message, mark.line if mark else 0) from None
    except (YAMLError, ValueError, IndexError, AttributeError) as error:
        # The last three are the parser's own failures on broken input.
        raise YamlError(str(error) or "this is not YAML", 0) from None
