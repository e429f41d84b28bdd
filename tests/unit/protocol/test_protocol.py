"""The contract with the clients: names, schema and recorded exchanges."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pi_lsp.agent.events import ToldAsItIs
from pi_lsp.api.errors import Reason
from pi_lsp.api.events import SessionChangedEvent
from pi_lsp.api.methods import METHODS, Method
from pi_lsp.api.names import METHOD_NAMES
from pi_lsp.lsp.commands import COMMANDS
from protocol.generate import SCHEMA, schema
from protocol.golden import exchanges, file_of

ROOT = Path(__file__).parents[3]


def test_the_names_that_are_announced_are_those_that_are_answered() -> None:
    assert tuple(method.name for method in METHODS) == METHOD_NAMES


def test_the_schema_is_what_the_wire_types_say() -> None:
    assert json.loads(SCHEMA.read_text()) == _json(schema())


def test_the_check_fails_on_a_stale_schema(tmp_path: Path) -> None:
    copy = tmp_path / "protocol"
    copy.mkdir()
    for name in ("__init__.py", "generate.py", "schema.json"):
        (copy / name).write_text((SCHEMA.parent / name).read_text())
    run = [sys.executable, "-m", "protocol.generate", "--check"]
    environ = {"PYTHONPATH": str(ROOT), "PATH": ""}
    assert subprocess.run(run, cwd=tmp_path, env=environ, check=False).returncode == 0
    (copy / "schema.json").write_text("{}")
    stale = subprocess.run(run, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert stale.returncode == 1
    assert "make schema" in stale.stderr


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_recorded_exchange_is_read_by_the_wire_types(method: Method) -> None:
    exchange = json.loads(file_of(method.name).read_text())
    assert exchange["method"] == method.name
    msgspec.convert(exchange["params"], method.params, strict=True)
    kinds = get_args(method.result) or (method.result,)
    [kind] = [kind for kind in kinds if set(exchange["result"]) <= _names(kind)]
    assert _json(msgspec.convert(exchange["result"], kind, strict=True)) == exchange["result"]


async def test_the_server_still_answers_as_recorded() -> None:
    for name, exchange in (await exchanges()).items():
        assert exchange == json.loads(file_of(name).read_text()), name


def _names(kind: type) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind)}


def _json(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def _words(text: str) -> set[str]:
    """What stands in backticks, taken apart: `a { b?, c }` is a, b and c."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"[\w./]+", code)}


def test_the_page_for_authors_names_what_there_is_and_nothing_else() -> None:
    page = (SCHEMA.parent / "README.md").read_text()
    rows = {row[0]: row[1] for row in re.findall(r"^\| `(pi/[\w/]+)` \| (.*) \|$", page, re.MULTILINE)}
    assert rows.keys() == set(METHOD_NAMES)
    for method in METHODS:
        assert _names(method.params) <= _words(rows[method.name].partition("| ")[0]), method.name
    assert {name for name in _words(page) if name.startswith("pi/")} == {*METHOD_NAMES, "pi/event"}
    assert set(COMMANDS) == {name for name in _words(page) if name.startswith("pi.")} - {"pi.rules.nested"}
    assert set(get_args(Reason)) <= _words(page.partition("## Methods")[0])
    told = dict(re.findall(r"^\| `([a-z_]+)`[^|]*\| (.*) \|$", page.partition("## Events")[2], re.MULTILINE))
    kinds = {kind.__struct_config__.tag: kind for kind in (*get_args(ToldAsItIs), SessionChangedEvent)}
    assert {*told, "turn_end"} == kinds.keys()
    for name, row in told.items():
        assert _names(kinds[name]) <= _words(row.partition("| ")[0]), name
