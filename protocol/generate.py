"""Write the schema of the pi/ methods from the wire types: `protocol/schema.json`.

`python -m protocol.generate` writes it; with `--check` it only says whether the file is up to date.
"""

import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from pi_lsp.api.events import EventParams
from pi_lsp.api.methods import METHODS
from pi_lsp.api.names import VERSION

SCHEMA = Path(__file__).with_name("schema.json")


def schema() -> dict[str, Any]:
    """The methods with references to the schemas of their params and results, and those schemas."""
    types = [kind for method in METHODS for kind in (method.params, *_choices(method.result))] + [EventParams]
    references, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    found = iter(references)
    methods = {
        method.name: {"params": next(found), "result": _any_of([next(found) for _ in _choices(method.result)])}
        for method in METHODS
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The pi/ methods of pi-lsp",
        "version": VERSION,
        "methods": methods,
        "notifications": {"pi/event": {"params": next(found)}},
        "$defs": dict(sorted(components.items())),
    }


def _choices(result: Any) -> tuple[Any, ...]:
    """The types of a union, which msgspec does not take as one."""
    return get_args(result) or (result,)


def _any_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def main() -> int:
    """Write or check the file."""
    text = msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode() + "\n"
    if "--check" in sys.argv:
        if SCHEMA.exists() and SCHEMA.read_text(encoding="utf-8") == text:
            return 0
        sys.stderr.write(f"{SCHEMA.name} is not what the wire types say; run `make schema`\n")
        return 1
    SCHEMA.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
