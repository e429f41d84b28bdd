"""Text specs of the vectors: how an input writes a long text or raw bytes.

A spec is `{"parts": [[text, count], ...]}` (repeats, joined) or `{"base64": ...}` (bytes); inside messages a text is
`{"$text": {"parts": ...}}`. Everything else is an ordinary JSON value and stays as it is.
"""

import base64
from typing import TypeAlias

from pi_lsp.base.json import Json

Resolved: TypeAlias = "bool | int | float | str | bytes | list[Resolved] | dict[str, Resolved] | None"


def resolve(value: Json) -> Resolved:
    """A copy of an input with every text spec written out; `{"base64"}` becomes bytes."""
    match value:
        case {"parts": list(parts), **rest} if not rest and all(_is_part(part) for part in parts):
            return join_pairs("".join(text * count for text, count in parts))
        case {"base64": str(encoded), **rest} if not rest:
            return base64.b64decode(encoded)
        case {"$text": spec, **rest} if not rest:
            return resolve(spec)
        case dict():
            return {key: resolve(item) for key, item in value.items()}
        case list():
            return [resolve(item) for item in value]
        case _:
            return value


def join_pairs(text: str) -> str:
    """The text with neighbouring halves of a surrogate pair made one character, as UTF-16 has it anyway."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf16_units(text: str, start: int | None, end: int | None) -> str:
    """The slice of a text by UTF-16 units; half a pair at an edge stays as a lone surrogate."""
    data = text.encode("utf-16-le", "surrogatepass")
    units = slice(start, end).indices(len(data) // 2)
    return data[units[0] * 2 : units[1] * 2].decode("utf-16-le", "surrogatepass")


def _is_part(part: Json) -> bool:
    return isinstance(part, list) and len(part) == 2 and isinstance(part[0], str) and isinstance(part[1], int)
