"""JSON as JavaScript reads and prints it, for files that a JavaScript program shares with us.

Reading goes through msgspec; what msgspec refuses and `JSON.parse` accepts (escapes of lone surrogates, numbers
past the range of a float, bytes that are not UTF-8) falls back to the standard library. Printing gives the very
text of `JSON.stringify`: no spaces, keys in stored order, non-ASCII raw, lone surrogates as `\\udxxx`.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import msgspec

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
else:  # msgspec, which reads wire types at run time, knows no recursive aliases
    Json = Any
JsonObject: TypeAlias = dict[str, Json]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_INDEX = re.compile("0|[1-9][0-9]{0,9}")
_decode_fast = msgspec.json.Decoder(type=object).decode


class JsonError(ValueError):
    """The text is not JSON; the message says where (line and column, or a byte offset)."""


def decode(raw: bytes | str) -> Json:
    """Read one JSON text.

    Raises:
        JsonError: what `JSON.parse` would refuse as well, and nesting too deep for the interpreter.
    """
    try:
        return _decode_fast(raw)  # pyright: ignore[reportReturnType]  msgspec gives builtins only
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _decode_tolerant(raw)


def decode_object(raw: bytes | str) -> JsonObject:
    """Read one JSON text that must be an object. Raises JsonError."""
    value = decode(raw)
    if not isinstance(value, dict):
        raise JsonError(f"expected an object, found {kind(value)}")
    return value


Fields: TypeAlias = Callable[[JsonObject], Iterable[tuple[str, Json]]]
"""The fields of an object in some order."""


def encode(value: Json, fields: Fields = lambda value: value.items()) -> str:
    """Print a value as `JSON.stringify` does (NaN and infinities become null).

    The fields of an object keep their order, which a JavaScript program that has read them would not everywhere:
    see `javascript_fields`.
    """
    parts: list[str] = []
    _print(value, parts, fields)
    return "".join(parts)


def javascript_fields(value: JsonObject) -> Iterable[tuple[str, Json]]:
    """The fields in the order of a JavaScript object: names that could be indices of a list first, as numbers."""
    indices = sorted((name for name in value if _INDEX.fullmatch(name) and int(name) < 2**32 - 1), key=int)
    return {**dict.fromkeys(indices), **value}.items()


def to_utf8(text: str) -> bytes:
    """The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, as JavaScript writes it."""
    return _LONE_SURROGATE.sub("\ufffd", text).encode()


def kind(value: Json) -> str:
    """The JSON name of a value's type, for messages to people."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "an object"


def as_object(value: Json) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_str(value: Json) -> str:
    """The value where it is a string, else the empty one."""
    return value if isinstance(value, str) else ""


def as_int(value: Json) -> int:
    """The value where it is a number (cut to an integer) that 64 bits hold, else 0: nothing counts further."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -(2**63) <= value < 2**63:
        return 0
    return int(value)


def objects(value: Json) -> Iterable[JsonObject]:
    """The objects among the items of a list; nothing where it is no list."""
    return (item for item in as_list(value) if isinstance(item, dict))


def without_none(value: Mapping[str, Json]) -> JsonObject:
    """A copy without the keys whose value is None, as `JSON.stringify` drops undefined."""
    return {key: item for key, item in value.items() if item is not None}


def number_text(value: float) -> str:
    """A number as JavaScript prints it: 5 for 5.0, 1e-7, 1e+21, 0 for -0.0; null where it is not finite."""
    try:
        value = float(value)  # JavaScript has no other numbers: digits past 2**53 are lost there, so they are here
    except OverflowError:
        return "null"
    if not math.isfinite(value):
        return "null"
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    power = int(exponent or 0)
    digits = mantissa.replace(".", "").lstrip("-")
    if power == 0 or power < -6 or power >= 21:
        sign = "-" if power < 0 else "+"
        return mantissa.removesuffix(".0") + (f"e{sign}{abs(power)}" if exponent else "")
    if power < 0:
        return f"{value:.{len(digits.removesuffix('0') or digits) - 1 - power}f}"
    return ("-" if value < 0 else "") + digits.ljust(power + 1, "0")


def _decode_tolerant(raw: bytes | str) -> Json:
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else raw
    try:
        return json.loads(text, parse_int=_number, parse_constant=_refuse_constant)
    except RecursionError:
        raise JsonError("nested too deeply") from None
    except ValueError as error:
        raise JsonError(str(error)) from None


def _number(digits: str) -> float:
    """An integer that a float can hold, or the infinity that JavaScript reads."""
    return int(digits) if len(digits) < 300 else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _print(value: Json, parts: list[str], fields: Fields) -> None:
    """Without recursion, so that whatever could be read can be printed. Each value is followed by a comma at first."""
    open_: list[tuple[Iterator[Json | tuple[str, Json]], str]] = [(iter([value]), "")]
    while open_:
        items, end = open_[-1]
        for item in items:
            if isinstance(item, tuple):
                key, item = item
                parts.append(_quoted(key) + ":")
            if isinstance(item, str):
                parts += _quoted(item), ","
            elif isinstance(item, dict):
                parts.append("{")
                open_.append((iter(fields(item)), "}"))
                break
            elif isinstance(item, list):
                parts.append("[")
                open_.append((iter(item), "]"))
                break
            else:
                parts += _scalar(item), ","
        else:
            open_.pop()
            if parts[-1] == ",":
                parts.pop()
            parts += end, ","
    parts.pop()


def _scalar(value: bool | float | None) -> str:
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else number_text(value)


def _quoted(text: str) -> str:
    quoted = encode_basestring(text)
    return quoted if quoted.isascii() else _LONE_SURROGATE.sub(_escape_surrogate, quoted)


def _escape_surrogate(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
