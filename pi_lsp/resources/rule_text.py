"""The text of a rule file, with what a person wants to know about it."""

import re

import msgspec

_BOM = "\ufeff"
_FENCE_OR_HEADING = re.compile(r"^ {0,3}(?:(`{3,}|~{3,})|#{1,6}[ \t]+(.+))", re.MULTILINE)


class RuleText(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A decoded rule file.

    `content` is what the model gets: one leading byte order mark dropped, what is not UTF-8 replaced by U+FFFD, every
    other byte as it is. `bytes` is the size of the file; `lines` does not count an empty one behind the last newline.
    `title` is the first heading outside code fences. `bad_byte` is the offset of the first byte that is not UTF-8
    text: UTF-16 fails at its mark or at its first NUL, Latin-1 at its first accented letter.
    """

    content: str = ""
    bytes: int = 0
    lines: int = 0
    title: str | None = None
    bad_byte: int | None = None


def decode_rule(raw: bytes) -> RuleText:
    """Read the bytes of a rule file; every byte string is one."""
    content = raw.decode(errors="replace").removeprefix(_BOM)
    return RuleText(
        content=content,
        bytes=len(raw),
        lines=content.count("\n") + (content != "" and not content.endswith("\n")),
        title=_title(content),
        bad_byte=_bad_byte(raw),
    )


def _bad_byte(raw: bytes) -> int | None:
    end = raw.find(b"\0")
    try:
        (raw if end < 0 else raw[:end]).decode()
    except UnicodeDecodeError as error:
        return error.start
    return None if end < 0 else end


def _title(content: str) -> str | None:
    fence = ""
    for mark in _FENCE_OR_HEADING.finditer(content):
        ticks, heading = mark.groups()
        if ticks is None:
            if not fence and (title := _without_closing_marks(heading.strip())):
                return title
        elif not fence:
            fence = ticks
        elif ticks.startswith(fence):
            fence = ""
    return None


def _without_closing_marks(heading: str) -> str:
    text = heading.rstrip("#")
    return text.rstrip() if not text or text[-1].isspace() else heading
