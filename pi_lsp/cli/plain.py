"""Text that came from somewhere, made fit for a terminal; and how a command says that it cannot do something."""

import re

_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class CommandError(Exception):
    """What was asked for cannot be done; the message names the file and says what to do."""


def clean(text: str) -> str:
    """The text without what would act on a terminal or cannot be written: control characters become pictures."""
    return _UNPRINTABLE.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 9:
        return " "
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"
