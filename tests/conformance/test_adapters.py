"""The adapters only map shapes: what the vectors test is the product."""

from pathlib import Path

import pytest

from tests.conformance.adapter_rules import ops_without_product, product_calls, violations

FOLDER = Path(__file__).parent / "adapters"
ADAPTERS = sorted(path for path in FOLDER.glob("*.py") if path.name != "__init__.py")

HONEST = """
from pi_lsp.base.json import Json, as_object
from pi_lsp.context import truncate
from pi_lsp.context.wording import WORDING
from tests.conformance.case import Case
from tests.conformance.shapes import answer_or_error, to_json

def head(case: Case) -> Json:
    options = case.input.get("options", {})
    result = truncate.head(case.input["content"], **options)
    return {"content": result.content, "by": result.by if result.by is not None else None, **to_json(result)}

async def load(case: Case) -> Json | None:
    names = [case.path(name) for name in case.input["names"] if "x" in case.input]
    return answer_or_error(lambda: truncate.load(*names))

def limits(case: Case) -> Json:
    return {"lines": truncate.MAX_LINES, "none": truncate.NOTHING or None, "no": -1}

def check(case: Case) -> Json:
    def ask() -> Json:
        truncate.check(case.input["x"])
        return {"ok": True}

    return answer_or_error(ask)
"""

CHEATS = {
    "an answer without the product": "return {'ok': True}",
    "values only": "return as_object(case.input)",
    "a loop": "for item in case.input['items']:\n        truncate.head(item)\n    return None",
    "a while": "while case.input:\n        truncate.head('')",
    "arithmetic": "return truncate.head(case.input['n']) + 1",
    "dict union": "return truncate.head('') | {}",
    "and/or": "return truncate.head('') or {}",
    "a comparison": "return truncate.head('') if case.input['n'] == 3 else None",
    "a filter": "return [truncate.head(x) for x in case.input['items'] if x > 'a']",
    "a condition that computes": "return truncate.head('') if truncate.tail('') else None",
    "a statement's condition": "if case.input['n'] < 3:\n        return truncate.head('')",
    "a method of strings": "return truncate.head(case.input['x'].strip())",
    "a method of strings, not called": "return list(map(truncate.head('').replace, []))",
    "join": "return ''.join(truncate.lines(case.input))",
    "a slice": "return truncate.head(case.input['x'][:5])",
    "an f-string": "return truncate.head(f'{case.input}')",
    "sorted": "return sorted(truncate.lines(case.input))",
    "a choice of values": "return truncate.head('') if case.input['x'] in ('a', 'b') else None",
    "max": "return max(truncate.lines(case.input))",
    "getattr": "return getattr(truncate, 'he')('x')",
    "an assignment to a part": "x = truncate.head(case.input)\n    x['y'] = 1\n    return x",
    "swallowing everything": "try:\n        return truncate.head('')\n    except Exception:\n        return None",
    "a walrus": "return [y for x in truncate.head(case.input) if (y := x)]",
    "an import inside": "import json\n    return truncate.head(json.dumps(case.input))",
    "match": "match truncate.head(case.input):\n        case x:\n            return x",
    "raise": "raise ValueError(truncate.head(case.input))",
    "a nested function": "def f():\n        return 1 + 1\n    return truncate.head(f())",
    "a default that decides": "return case.input.get('x') and truncate.head('')",
    "a lambda": "return truncate.head(lambda x: x * 2)",
    "a class inside": "class A:\n        pass\n    return truncate.head(A())",
    "a decorator": "return truncate.head('')\n\n@truncate.twice\ndef more(case):\n    return 1",
}


@pytest.mark.parametrize("path", ADAPTERS, ids=[path.stem for path in ADAPTERS])
def test_adapter_only_maps_shapes(path: Path) -> None:
    assert violations(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", ADAPTERS, ids=[path.stem for path in ADAPTERS])
def test_every_op_calls_the_product(path: Path) -> None:
    siblings = {sibling.stem: sibling.read_text(encoding="utf-8") for sibling in ADAPTERS}
    assert ops_without_product(path.read_text(encoding="utf-8"), product_calls(siblings)) == []


def test_an_honest_adapter_passes() -> None:
    assert violations(HONEST) == []
    assert ops_without_product(HONEST) == []


@pytest.mark.parametrize("body", CHEATS.values(), ids=CHEATS)
def test_a_cheating_adapter_is_caught(body: str) -> None:
    source = f"{HONEST}\ndef cheat(case: Case) -> Json:\n    {body}\n"
    assert violations(source) or ops_without_product(source) == ["cheat"]


@pytest.mark.parametrize(
    "line", ["import re", "import json", "from functools import reduce", "from tests.conformance.compare import digest"]
)
def test_a_foreign_import_is_caught(line: str) -> None:
    assert violations(f"{line}\n{HONEST}")


@pytest.mark.parametrize(
    "line",
    [
        "class Engine:\n    pass",
        "tail = lambda case: {}",
        "tail: Json = truncate.tail",
        "if True:\n    pass",
        "del head",
    ],
)
def test_other_things_at_the_top_are_caught(line: str) -> None:
    assert violations(f"{HONEST}\n{line}\n")


def test_a_helper_may_call_the_product_for_an_op() -> None:
    helper = "def _ask(case: Case) -> Json:\n    return truncate.head(case.input)\n"
    op = "def tail(case: Case) -> Json:\n    return _ask(case)\n"
    source = f"{HONEST}\n{helper}\n{op}"
    assert violations(source) == []
    assert ops_without_product(source) == []
