"""The strict checker finds what it is there to find: one broken body a rule."""

from typing import Any

import pytest

from pi_lsp.context.model import Model
from tests.support.histories import image
from tests.support.strict_api import RULES, violations

MODEL = Model(id="m", max_tokens=9000, reasoning=True)
TEXT = {"type": "text", "text": "x"}
USE = {"type": "tool_use", "id": "a", "name": "n", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
MARK = {"cache_control": {"type": "ephemeral"}}


def said(*contents: Any) -> dict[str, Any]:
    """A conversation that begins with the person."""
    roles = ["user", "assistant"] * len(contents)
    return {"messages": [{"role": role, "content": content} for role, content in zip(roles, contents, strict=False)]}


def sent_image(**source: str) -> dict[str, Any]:
    block = image()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": block["data"]} | source}


def tool(**fields: Any) -> dict[str, Any]:
    return {"name": "t", "input_schema": {"type": "object"}} | fields


BROKEN: dict[str, list[dict[str, Any]]] = {
    "types": [{"max_tokens": "1"}, {"messages": [5]}, said([{"type": "text"}]), {"tools": [1]}],
    "surrogates": [said("\ud800")],
    "nul": [said("\0x")],
    "body_size": [said("x" * 33_000_000)],
    "extra": [{"temperature": 1}, said([TEXT | {"x": 1}])],
    "max_tokens": [{"max_tokens": 9001}],
    "budget": [{"thinking": {"type": "enabled", "budget_tokens": 1000}}],
    "thinking_type": [{"thinking": {"type": "adaptive"}}],
    "tool_name": [{"tools": [tool(name="a.b")]}],
    "tool_unique": [{"tools": [tool(), tool()]}],
    "tool_schema": [{"tools": [tool(input_schema=schema)]} for schema in ({}, {"type": "object", "anyOf": []})],
    "messages_empty": [{"messages": []}],
    "messages_max": [{"messages": [{"role": "user", "content": "x"}] * 100_001}],
    "role": [{"messages": [{"role": "tool", "content": "x"}]}],
    "system_role": [{"messages": [{"role": "system", "content": "x"}]}],
    "first_user": [{"messages": [{"role": "assistant", "content": "x"}, {"role": "user", "content": "x"}]}],
    "empty_content": [said([]), said("")],
    "prefill": [said("x", "y")],
    "block_type": [said([USE]), said("x", [RESULT], "x")],
    "blank_text": [said([TEXT | {"text": " "}]), {"system": [TEXT | {"text": ""}]}],
    "blank_result": [said("x", [USE], [RESULT | {"content": "\n"}])],
    "tool_id": [said("x", [USE | {"id": ""}], "x"), said("x", [USE | {"id": "a.b"}], "x")],
    "tool_input": [said("x", [USE | {"input": None}], "x")],
    "tool_results": [
        said("x", [USE], "x"), said("x", "y", [RESULT]), said("x", [USE], [RESULT, RESULT]), said("x", [USE]),
        said("x", [USE], [TEXT, RESULT]),
    ],
    "tool_use_dup": [said("x", [USE], [RESULT], [USE], [RESULT])],
    "error_text_only": [said("x", [USE], [RESULT | {"is_error": True, "content": [sent_image()]}])],
    "signature_missing": [said("x", [{"type": "thinking", "thinking": "x", "signature": ""}], "x")],
    "thinking_first": [
        said("x", [USE], [RESULT]) | {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    ],
    "images": [
        said([sent_image(media_type="image/tiff")]), said([sent_image(media_type="image/gif")]),
        said([sent_image(data="%")]), said([sent_image(data=image(9000)["data"])]), said([sent_image()] * 101),
        said([sent_image(data=image(3000)["data"])] * 21),
    ],
    "cache": [said([TEXT | MARK] * 5), said([TEXT | {"cache_control": {"type": "x"}}])],
}  # fmt: skip


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9000, **said("x")} | fields


def test_a_plain_body_is_fine() -> None:
    assert violations(body(), MODEL) == []
    whole = body(**said("x", [TEXT, USE], [RESULT, TEXT, sent_image()]), tools=[tool() | MARK], system=[TEXT | MARK])
    assert violations(whole, MODEL) == []


@pytest.mark.parametrize("name", ["types", *(rule.__name__ for rule in RULES)])
def test_each_rule_finds_what_breaks_it(name: str) -> None:
    for fields in BROKEN[name]:
        assert name in {finding.split(":")[0] for finding in violations(body(**fields), MODEL)}, fields
