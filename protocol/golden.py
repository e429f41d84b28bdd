"""Write one exchange for each method, as the server answers it on the sample workspace: `protocol/golden/*.json`.

`python -m protocol.golden` writes them; a test asks again and compares. What differs from machine to machine is
named: `file:///sample` is the sample's folder, `<time>` a time, `<id>` a fresh id.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from pi_lsp.agent.window import Start, Window
from pi_lsp.api.methods import METHODS
from pi_lsp.base.paths import path_to_uri
from pi_lsp.cli.stage import Stage, sample_stage

GOLDEN = Path(__file__).with_name("golden")

# The ids are entries of the sample's session.
PARAMS: dict[str, Any] = {
    "pi/rules": {"uris": ["file:///sample/harbour", "file:///sample/harbour/apps/web/src/calendar.ts"]},
    "pi/rules/session": {"uri": "file:///sample/harbour/AGENTS.md"},
    "pi/session/list": {"limit": 5},
    "pi/session/entries": {"ids": ["812fab2b"]},
    "pi/tree": {"filter": "userOnly"},
    "pi/explain": {"query": "parse it by hand"},
    "pi/compact/preview": {"keepRecentTokens": 500},
    "pi/rules/load": {"uris": ["file:///sample/harbour/services/api/AGENTS.md"]},
    "pi/context/restore": {"entryId": "400eccb8"},
    "pi/tree/label": {"entryId": "812fab2b", "label": "no migration of stored times"},
    "pi/session/rename": {"name": "Half-open intervals"},
    "pi/queue/set": {"steer": [], "followUp": []},
    "pi/auth/set": {"provider": "anthropic", "apiKey": "sk-ant-of-this-window"},
    "pi/thinking/set": {"level": "low"},
    "pi/model/set": {"provider": "scripted", "id": "scripted"},
    "pi/chat": {
        "text": "/skill:review the calendar",
        "references": [
            {
                "uri": "file:///sample/harbour/apps/web/src/calendar.ts",
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}},
            }
        ],
    },
    "pi/compact": {"instructions": "Keep the months.", "summarizer": "local"},
    "pi/tree/switch": {"targetId": "751affa8", "summarizer": "local"},
    "pi/session/open": {"file": "file:///sample/session.jsonl"},
    "pi/session/fork": {"entryId": "dc183105"},
    "pi/session/new": {"name": "A new one"},
    "pi/session/delete": {"file": "file:///sample/home/.pi/agent/sessions/old.jsonl"},
    "pi/trust/set": {"trusted": True},
}
WRITING = (
    "pi/rules/load",
    "pi/context/restore",
    "pi/tree/label",
    "pi/session/rename",
    "pi/queue/set",
    "pi/abort",
    "pi/auth/set",
    "pi/thinking/set",
    "pi/model/set",
    "pi/chat",
    "pi/compact",
    "pi/compact/undo",
    "pi/tree/switch",
    "pi/session/open",
    "pi/session/clone",
    "pi/session/fork",
    "pi/session/new",
    "pi/session/delete",
    "pi/trust/set",
)
"""These change something, so they come after the others, in this order."""

_FRESH = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z)"
    r"|(?P<id>(?<![0-9a-f-])[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?(?![0-9a-f-]))"
)


async def exchanges() -> dict[str, Any]:
    """Every method's name, params and result."""
    with sample_stage() as stage, _environment(stage):
        root, recorded = _prepared(stage)
        start = Start(
            folders=(stage.workspace,),
            agent_dir=stage.environ["PI_CODING_AGENT_DIR"],
            trusted=True,
            settings={"compaction": {"keepRecentTokens": 500}},
            session=stage.session or "new",
        )
        window = Window(start, lambda _event: None)
        await window.begin(_nothing())
        found: dict[str, Any] = {}
        for method in sorted(METHODS, key=lambda method: WRITING.index(method.name) if method.name in WRITING else -1):
            params = PARAMS.get(method.name, {})
            text = json.dumps(params).replace("file:///sample", path_to_uri(str(root)))
            text = text.replace(f"{path_to_uri(str(root))}/session.jsonl", path_to_uri(stage.session or ""))
            result = await method.call(window, msgspec.json.decode(text, type=method.params))
            found[method.name] = {"method": method.name, "params": params, "result": _named(result, root, recorded)}
        await window.aclose()
        return found


def _prepared(stage: Stage) -> tuple[Path, str]:
    """The sample's folder, with a session in it that can be deleted, and what is recorded in the sample's session."""
    root = Path(stage.workspace).parent
    recorded = Path(stage.session or "").read_text(encoding="utf-8")
    Path(stage.environ["PI_CODING_AGENT_DIR"], "sessions", "old.jsonl").write_text(recorded, encoding="utf-8")
    return root, recorded


@contextmanager
def _environment(stage: Stage) -> Generator[None, None, None]:
    """No key, a home of the stage's own, and no trash."""
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"), "")
    with patch.dict(os.environ, {**keys, "HOME": stage.home}), patch("send2trash.send2trash", os.unlink):
        yield


def _named(result: Any, root: Path, recorded: str) -> Any:
    text = msgspec.json.encode(result).decode()
    text = text.replace(path_to_uri(str(root)), "file:///sample").replace(str(root), "/sample")
    text = text.replace(str(root).replace("/", "-").lstrip("-"), "sample")
    return json.loads(_FRESH.sub(lambda match: match[0] if match[0] in recorded else f"<{match.lastgroup}>", text))


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
