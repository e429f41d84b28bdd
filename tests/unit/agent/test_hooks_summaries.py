"""Hooks on compaction and switching: they write summaries, forbid them, and hear what came of it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import HookFailed
from pi_lsp.api import doing
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.switching import SwitchParams
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.windows import answered, said
from tests.unit.agent.plugins import of_user, sent

SMALL = {"compaction": {"keepRecentTokens": 20}}
MIGRATIONS = Path(__file__).parents[2] / "plugins" / "migrations.py"


def migrated() -> list[dict[str, Any]]:
    """A conversation that wrote two migrations; the second failed."""

    def call(n: int, name: str, **arguments: str) -> dict[str, Any]:
        block = {"type": "toolCall", "id": f"c{n}", "name": name, "arguments": arguments}
        return answered(f"a{n}", "", content=[block], stopReason="toolUse")

    def result(n: int, text: str, *, error: bool = False) -> dict[str, Any]:
        return said(f"r{n}", text, role="toolResult", toolCallId=f"c{n}", toolName="x", isError=error)

    return [
        said("u", "Shorten departures. " + "And mind the history. " * 60),
        *(call(1, "write", path="db/migrations/0006_times.sql", content="x" * 2000), result(1, "written")),
        *(call(2, "bash", command="psql -f db/migrations/0006_times.sql"), result(2, "UPDATE 7")),
        *(call(3, "write", path="db/migrations/0007_cut.sql", content="y" * 2000), result(3, "written")),
        *(call(4, "bash", command="psql -f db/migrations/0007_cut.sql"), result(4, "ERROR: out of range", error=True)),
        answered("b", "It failed."),
        said("v", "Leave it then. " + "z" * 400),
        answered("c", "Left."),
    ]


async def test_the_example_plugin_keeps_the_state_of_migrations_through_two_compactions(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=migrated(), settings=SMALL) as talk:
        (talk.place.agent / "lsp").mkdir()
        shutil.copy(MIGRATIONS, talk.place.agent / "lsp")
        done = await doing.compact(talk.window, CompactParams())
        assert (done.stop_reason, done.summarizer) == ("done", "hook")
        assert done.summary
        assert "- 0006_times.sql: applied" in done.summary
        assert "- 0007_cut.sql: failed: ERROR: out of range" in done.summary
        assert "Shorten departures." in done.summary
        entry = (await talk.path())[-1]
        assert entry.get("fromHook") is True
        assert entry.get("details") == {
            "migrations": {"0006_times.sql": "applied", "0007_cut.sql": "failed: ERROR: out of range"}
        }
        assert talk.server.requests == []
        talk.server.replies = [Reply(text="w" * 2000)]
        await talk.say("What next? " + "q" * 2000)
        await talk.say("And then?")
        again = await doing.compact(talk.window, CompactParams(instructions="mind the harbour"))
        assert again.summary
        assert "- 0007_cut.sql: failed: ERROR: out of range" in again.summary
        assert "Shorten departures." in again.summary
        assert "mind the harbour" in again.summary
        await talk.say("go on")
        assert "0007_cut.sql: failed" in sent(talk)


async def test_a_hook_may_forbid_a_compaction_and_hears_that_there_was_none(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=migrated(), settings=SMALL) as talk:
        of_user(
            talk,
            f"""
@hookimpl
def session_before_compact(reason): return {{"cancel": reason == "manual"}}
@hookimpl
def session_compact_failed(error_message, aborted):
    open({str(tmp_path / "heard")!r}, "w").write(f"{{aborted}} {{error_message}}")
""",
        )
        before = talk.stored
        with pytest.raises(RefusedError) as refused:
            await doing.compact(talk.window, CompactParams())
        assert refused.value.reason == "cancelledByHook"
        assert talk.stored == before
        assert (tmp_path / "heard").read_text().startswith("False ")


async def test_an_answer_of_another_form_counts_as_none(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=migrated(), settings=SMALL) as talk:
        of_user(talk, "@hookimpl\ndef session_before_compact(preparation): return {'compaction': {'summary': 5}}")
        done = await doing.compact(talk.window, CompactParams(summarizer="local"))
        assert done.summarizer == "local"
        [failure] = talk.told(HookFailed)
        assert failure.hook == "session_before_compact"


async def test_a_hook_writes_the_summary_of_a_branch(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=migrated()) as talk:
        heard = tmp_path / "heard"
        of_user(
            talk,
            f"""
import json
@hookimpl
def session_before_tree(preparation):
    return {{"summary": {{"summary": "left " + str(len(preparation["entriesToSummarize"]))}}, "label": "there"}}
@hookimpl
def session_tree(new_leaf_id, summary_entry, from_extension):
    open({str(heard)!r}, "w").write(json.dumps([summary_entry["summary"], from_extension]))
""",
        )
        done = await doing.switch(talk.window, SwitchParams(target_id="b", summarizer="local"))
        assert done.summarizer == "hook"
        assert json.loads(heard.read_text()) == ["left 2", True]
        assert [entry.type for entry in (await talk.path())[-2:]] == ["branch_summary", "label"]
