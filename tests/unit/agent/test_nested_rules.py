"""Rules below the working directory: offered once, loaded on touch, or left alone."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import RulesOffered
from pi_lsp.agent.nested_rules import applying
from pi_lsp.agent.prompting import Reference
from pi_lsp.agent.workspace import Workspace
from pi_lsp.api.errors import ParamsError
from pi_lsp.api.restore import LoadParams, load_rules
from pi_lsp.api.sessions import NewParams, new_session
from pi_lsp.base.json import as_object, as_str
from pi_lsp.base.paths import path_to_uri
from tests.support.api_server_replies import Reply
from tests.support.chats import Talk, talking
from tests.support.editor import write
from tests.support.waiting import until

FILES = {
    "AGENTS.md": "Root.",
    "api/AGENTS.md": "No SQL.",
    "api/v2/CLAUDE.md": "Version two.",
    "api/v2/x.py": "x = 1\n",
    "web/AGENTS.md": "No frames.",
    "web/y.ts": "let y\n",
}


def shown(talk: Talk, *names: str) -> dict[str, Any]:
    return {"references": tuple(Reference(uri=path_to_uri(str(talk.place.workspace / name))) for name in names)}


def offers(talk: Talk) -> list[list[str]]:
    root = path_to_uri(str(talk.place.workspace)) + "/"
    return [[uri.removeprefix(root) for uri in event.uris] for event in talk.told(RulesOffered)]


async def test_R3_each_file_is_offered_once_in_a_session(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        write(talk.place.workspace, FILES)
        await talk.say("nothing is touched")
        assert offers(talk) == []
        await talk.say("look", **shown(talk, "api/v2/x.py"))
        assert offers(talk) == [["api/AGENTS.md", "api/v2/CLAUDE.md"]]
        await talk.say("again", **shown(talk, "api/v2/x.py", "web/y.ts", "AGENTS.md"))
        assert offers(talk) == [["api/AGENTS.md", "api/v2/CLAUDE.md"], ["web/AGENTS.md"]]
        assert "No SQL." not in str(talk.server.requests[-1].body)
        await talk.say("once more", **shown(talk, "web/y.ts"))
        assert len(offers(talk)) == 2
        await new_session(talk.window, NewParams())
        await talk.say("anew", **shown(talk, "web/y.ts"))
        assert offers(talk)[2:] == [["web/AGENTS.md"]]


async def test_what_was_offered_is_loaded_by_the_client_and_then_not_offered(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        write(talk.place.workspace, FILES)
        uri = path_to_uri(str(talk.place.workspace / "api/AGENTS.md"))
        await talk.say("first")
        await load_rules(talk.window, LoadParams(uris=[uri]))
        await talk.say("look", **shown(talk, "api/v2/x.py"))
        assert offers(talk) == [["api/v2/CLAUDE.md"]]
        assert "No SQL." in str(talk.server.requests[-1].body)


async def test_on_touch_they_are_in_the_request_that_touches(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"rules": {"nested": "onTouch"}}) as talk:
        write(talk.place.workspace, FILES)
        await talk.say("look", **shown(talk, "api/v2/x.py"))
        await talk.say("again", **shown(talk, "api/v2/x.py"))
        brought = [entry for entry in await talk.path() if entry.type == "custom_message"]
        paths = [as_str(as_object(entry.get("details")).get("path")) for entry in brought]
        assert [Path(path).name for path in paths] == ["AGENTS.md", "CLAUDE.md"]
        first = str(talk.server.requests[0].body["messages"])
        assert 0 < first.index("No SQL.") < first.index("Version two.") < first.index("look")
        assert offers(talk) == []
        (talk.place.workspace / "api/AGENTS.md").write_text("A little SQL.")
        await talk.say("once more", **shown(talk, "api/v2/x.py"))
        assert "A little SQL." in str(talk.server.requests[-1].body)


async def test_while_a_run_goes_on_they_are_offered(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"rules": {"nested": "onTouch"}}) as talk:
        write(talk.place.workspace, FILES)
        talk.server.replies[:] = [Reply(text="one", delay_s=0.1), Reply(text="two")]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        await talk.say("look there", mode="steer", **shown(talk, "web/y.ts"))
        assert (await run).stop_reason == "done"
        assert offers(talk) == [["web/AGENTS.md"]]
        assert not any(entry.type == "custom_message" for entry in await talk.path())


async def test_off_is_off_and_what_cannot_be_sent_touches_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path, settings={"rules": {"nested": "off"}}) as talk:
        write(talk.place.workspace, FILES)
        await talk.say("look", **shown(talk, "web/y.ts"))
        assert offers(talk) == []
    async with talking(tmp_path / "other") as talk:
        write(talk.place.workspace, FILES)
        with pytest.raises(ParamsError, match="cannot be read"):
            await talk.say("look", **shown(talk, "web/y.ts", "web/missing.ts"))
        await asyncio.sleep(0)
        assert offers(talk) == []


def test_which_files_apply(tmp_path: Path) -> None:
    root, beside, outside = tmp_path / "work", tmp_path / "second", tmp_path / "outside"
    write(root, FILES)
    write(root, {"node_modules/pkg/AGENTS.md": "Obey.", "node_modules/pkg/i.js": "", "same/z": ""})
    (root / "same" / "AGENTS.md").symlink_to(root / "AGENTS.md")
    write(beside, {"AGENTS.md": "Second.", "z": ""})
    write(outside, {"AGENTS.md": "Elsewhere.", "z": ""})
    workspace = Workspace([str(root), str(beside)], str(tmp_path / "agent"))

    def names(*paths: Path, cwd: Path = root) -> list[str]:
        found = applying(workspace, str(cwd), [str(path) for path in paths])
        return [str(Path(record.path).relative_to(tmp_path)) for record in found]

    assert names(root / "x", root / "api/none/x") == ["work/api/AGENTS.md"]
    assert names(beside / "z") == ["second/AGENTS.md"]
    assert names(root / "web/y.ts", root / "api/v2/x.py", root / "web/z") == [
        "work/web/AGENTS.md",
        "work/api/AGENTS.md",
        "work/api/v2/CLAUDE.md",
    ]
    assert names(root / "node_modules/pkg/i.js", outside / "z", root / "same/z") == []
    assert names(root / "api/v2/x.py", cwd=root / "api") == ["work/api/v2/CLAUDE.md"]
    assert names(root / "web/y.ts", cwd=root / "api") == ["work/web/AGENTS.md"]
