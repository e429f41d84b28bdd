"""Write one exchange for each method, as the server answers it on the sample workspace: `protocol/golden/*.json`.

`python -m protocol.golden` writes them; a test asks again and compares. What differs from machine to machine is
named: `file:///sample` is the sample's folder, `<time>` a time, `<id>` a fresh id.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from pi_lsp.agent.window import Start, Window
from pi_lsp.api.methods import METHODS
from pi_lsp.base.paths import path_to_uri
from pi_lsp.cli.stage import sample_stage

GOLDEN = Path(__file__).with_name("golden")

# The ids are entries of the sample's session.
PARAMS: dict[str, Any] = {
    "pi/rules": {"uris": ["file:///sample/harbour", "file:///sample/harbour/apps/web/src/calendar.ts"]},
    "pi/session/list": {"limit": 5},
    "pi/session/entries": {"ids": ["812fab2b"]},
    "pi/session/open": {"file": "file:///sample/session.jsonl"},
    "pi/session/new": {"name": "A new one"},
    "pi/tree": {"filter": "userOnly"},
    "pi/explain": {"query": "parse it by hand"},
    "pi/compact/preview": {"keepRecentTokens": 500},
    "pi/trust/set": {"trusted": True},
}
LAST = ("pi/session/open", "pi/session/new", "pi/trust/set")
"""These change the window, so they come after the others."""


async def exchanges() -> dict[str, Any]:
    """Every method's name, params and result."""
    with sample_stage() as stage:
        root = Path(stage.workspace).parent
        start = Start(
            folders=(stage.workspace,),
            agent_dir=stage.environ["PI_CODING_AGENT_DIR"],
            trusted=True,
            session=stage.session or "new",
        )
        window = Window(start, lambda _event: None)
        await window.begin(_nothing())
        found: dict[str, Any] = {}
        for method in sorted(METHODS, key=lambda method: method.name in LAST):
            params = PARAMS.get(method.name, {})
            text = json.dumps(params).replace("file:///sample", path_to_uri(str(root)))
            text = text.replace(f"{path_to_uri(str(root))}/session.jsonl", path_to_uri(stage.session or ""))
            result = await method.call(window, msgspec.json.decode(text, type=method.params))
            found[method.name] = {"method": method.name, "params": params, "result": _named(result, root)}
        window.close()
        return found


def _named(result: Any, root: Path) -> Any:
    text = msgspec.json.encode(result).decode()
    text = text.replace(path_to_uri(str(root)), "file:///sample").replace(str(root), "/sample")
    text = text.replace(str(root).replace("/", "-").lstrip("-"), "sample")
    result = json.loads(text)
    if isinstance(state := result.get("state"), dict) and "file" not in state["session"]:
        state["session"] |= {"id": "<id>", "leafId": "<id>"}
    return result


async def _nothing() -> dict[str, Any]:
    return {}


def file_of(method: str) -> Path:
    """The file of a method's exchange."""
    return GOLDEN / f"{method.removeprefix('pi/').replace('/', '-')}.json"


def main() -> int:
    """Write the files."""
    GOLDEN.mkdir(exist_ok=True)
    for name, exchange in asyncio.run(exchanges()).items():
        file_of(name).write_text(json.dumps(exchange, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
