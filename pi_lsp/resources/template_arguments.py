"""The arguments of a prompt template: how they are written, and where they go."""

import re
from collections.abc import Sequence

from pi_lsp.base.text import JS_SPACE

_MANY = 10**9
"""Stands for every argument number that nobody can mean."""

_ARGUMENT = re.compile(
    rf"""(?P<quote>["'])(?P<quoted>(?:\\(?P=quote)|(?!(?P=quote)).)*+)(?P=quote)(?P<rest>[^{JS_SPACE}]*)"""
    rf"""|(?P<plain>[^{JS_SPACE}]+)""",
    re.DOTALL,
)
_SIMPLE = r"\$(?P<simple>ARGUMENTS|@|[0-9]+)"
_PLACEHOLDER = re.compile(
    r"\$\{(?P<target>[0-9]+|ARGUMENTS|@):-(?P<default>[^}]*)\}"
    r"|\$\{@:(?P<first>[0-9]+)(?::(?P<count>[0-9]+))?\}"
    rf"|{_SIMPLE}"
)
_SIMPLE_PLACEHOLDER = re.compile(_SIMPLE)


def parse_arguments(text: str) -> list[str]:
    """Split what stands behind a command, as Pi 1.6.0 does.

    White space separates. A quote opens only at the beginning of an argument, and a backslash only escapes the quote
    that is open; a quote that is never closed stands for itself.
    """
    arguments: list[str] = []
    for match in _ARGUMENT.finditer(text):
        quote, quoted, rest, plain = match.group("quote", "quoted", "rest", "plain")
        arguments.append(plain if quote is None else quoted.replace(f"\\{quote}", quote) + rest)
    return arguments


def substitute(content: str, arguments: Sequence[str]) -> str:
    """Put arguments into the text of a template.

    `$1`, `$@` and `$ARGUMENTS` (all, separated by blanks), `${1:-default}`, `${@:-default}`, `${@:2}` (from the second
    on), `${@:2:3}` (three of them). One that is missing is empty. What was put in is not looked through again.
    """
    everything = " ".join(arguments)

    def one(target: str) -> str:
        if target in ("@", "ARGUMENTS"):
            return everything
        index = _number(target) - 1
        return arguments[index] if 0 <= index < len(arguments) else ""

    def replace(match: re.Match[str]) -> str:
        if (target := match["target"]) is not None:
            return one(target) or match["default"]
        if (first := match["first"]) is not None:
            start = max(_number(first) - 1, 0)
            count = _MANY if match["count"] is None else _number(match["count"])
            return " ".join(arguments[start : start + count])
        return one(match["simple"])

    # Behind the last brace there is nothing to close, and a search for it from every `${` would be quadratic.
    end = content.rfind("}") + 1
    head = _PLACEHOLDER.sub(replace, content[:end])
    return head + _SIMPLE_PLACEHOLDER.sub(lambda match: one(match["simple"]), content[end:])


def _number(digits: str) -> int:
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) < 10 else _MANY
