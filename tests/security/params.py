"""Params for any method: shaped as its schema says, then spoiled in a few places."""

from random import Random
from typing import Any

from msgspec import inspect

from pi_lsp.api.methods import Method

GARBAGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    -(2**63),
    10**40,
    1.5,
    1e308,
    "",
    " ",
    "\0",
    "\ud800",
    "x" * 100_000,
    "\N{RIGHT-TO-LEFT OVERRIDE}\r\n\x1b[2J`</x>",
    "../../../../etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "/etc",
    "~",
    "~nobody/x",
    "file:///",
    "file:///%00",
    "file:///c%3A/x",
    "file://host/share/x",
    "untitled:Untitled-1",
    "pi:/context/x",
    "command:workbench.action.quit",
    [],
    ["", None],
    [[[[[]]]]],
    {},
    {"uri": "file:///dev/zero"},
    {"": {"": {}}},
)


class Params:
    """Makes params. `texts` are strings that mean something here: ids, paths, URIs."""

    def __init__(self, random: Random, texts: list[str]) -> None:
        self._random = random
        self.texts = texts

    def of(self, method: Method) -> Any:
        """Params of a method, more often right than wrong."""
        chance = self._random.random()
        if chance < 0.05:
            return self._garbage()
        return self._value(inspect.type_info(method.params), 0 if chance < 0.6 else 0.3)

    def _value(self, wanted: inspect.Type, wrong: float) -> Any:
        """A value of a type; `wrong`: the chance that any part of it is not."""
        if self._random.random() < wrong / 3:
            return self._garbage()
        match wanted:
            case inspect.StructType(fields=fields):
                given = [field for field in fields if field.required or self._random.random() < 0.5]
                value = {field.encode_name: self._value(field.type, wrong) for field in given}
                if value and self._random.random() < wrong / 3:
                    del value[self._random.choice(list(value))]
                return value
            case inspect.UnionType(types=types):
                return self._value(self._random.choice(types), wrong)
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                return [self._value(item, wrong) for _ in range(self._random.choice((0, 1, 1, 2, 5)))]
            case inspect.LiteralType(values=values):
                return self._random.choice(values)
            case inspect.BoolType():
                return self._random.random() < 0.5
            case inspect.IntType():
                return self._random.choice((0, 1, 2, 10, 100, 20_000, -1, 2**31, 2**62))
            case inspect.StrType():
                return self._text()
            case inspect.NoneType():
                return None
            case _:
                raise NotImplementedError(wanted)

    def _text(self) -> str:
        if self._random.random() < 0.2:
            return self._random.choice([text for text in GARBAGE if isinstance(text, str)])
        return self._random.choice(self.texts)

    def _garbage(self) -> Any:
        return self._random.choice(GARBAGE)
