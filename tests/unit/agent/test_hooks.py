"""Hooks: where they come from, what they may do, and that none of them costs a turn."""

import asyncio
import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import HookFailed
from pi_lsp.agent.hook_loading import HookLoader
from pi_lsp.agent.hooks import Hooks
from pi_lsp.api import doing
from pi_lsp.api.compaction import CompactParams
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.explain import ExplainParams, explain
from pi_lsp.api.switching import SwitchParams
from pi_lsp.base.files import Disk
from tests.support.api_server_replies import Reply
from tests.support.chats import Talk, talking
from tests.support.windows import answered, said

HEAD = "import asyncio, time\nfrom pi_lsp.agent.hook_specs import hookimpl\n"


def plugin(folder: Path, text: str, name: str = "plugin.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(HEAD + text)
    return path


def of_user(talk: Talk, text: str, name: str = "plugin.py") -> Path:
    return plugin(talk.place.agent / "lsp", text, name)


def sent(talk: Talk) -> str:
    return json.dumps(talk.server.requests[-1].body["messages"])


async def test_input_changes_what_was_typed_one_plugin_after_the_other(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(talk, "@hookimpl\ndef input(text): return text + ' one'", "a.py")
        of_user(talk, "@hookimpl\nasync def input(text, cwd): return text + ' two in ' + cwd", "b.py")
        await talk.say("zero")
        assert (await talk.said())[0] == ("user", f"zero one two in {talk.place.workspace}")


async def test_transform_context_changes_the_request_and_not_the_session(tmp_path: Path) -> None:
    entries = [said("u", "a secret"), answered("a", "noted"), said("v", "and a mistake"), answered("b", "fine")]
    async with talking(tmp_path, entries=entries) as talk:
        path = of_user(
            talk,
            """
@hookimpl
def transform_context(messages, model):
    kept = [message for message in messages if message["entryId"] != "u"]
    for message in kept:
        if message["entryId"] == "v":
            message["content"] = "and no mistake"
    return [{"role": "user", "content": "said by a hook to " + model}, *kept]
""",
        )
        before = talk.stored
        await talk.say("go")
        assert talk.stored.startswith(before)
        assert "a secret" not in sent(talk)
        assert "and no mistake" in sent(talk)
        assert "said by a hook to claude-sonnet-4-5" in sent(talk)
        assert "entryId" not in sent(talk)
        [absent] = (await explain(talk.window, ExplainParams(entry_id="u"))).hits
        assert (absent.fate, absent.stage) == ("absent", "hook")
        assert str(path) in absent.detail
        [changed] = (await explain(talk.window, ExplainParams(entry_id="v"))).hits
        assert (changed.fate, changed.stage) == ("changed", "hook")
        path.unlink()
        await talk.say("without it")
        assert "a secret" in sent(talk)
        [hit] = (await explain(talk.window, ExplainParams(entry_id="u"))).hits
        assert hit.fate == "sent"


async def test_append_context_is_stored_once_until_it_changes(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        text = "@hookimpl\ndef append_context(cwd): return open(cwd + '/fact').read()"
        of_user(talk, text)
        (talk.place.workspace / "fact").write_text("main is red")
        await talk.say("one")
        await talk.say("two")
        assert sent(talk).count("main is red") == 1
        (talk.place.workspace / "fact").write_text("main is green")
        await talk.say("three")
        assert sent(talk).count("main is green") == 1
        reads = [request.usage["cache_read_input_tokens"] for request in talk.server.requests]
        writes = [request.usage["cache_creation_input_tokens"] for request in talk.server.requests]
        assert reads[1:] == [read + write for read, write in zip(reads, writes, strict=True)][:-1]


async def test_sections_of_the_prompt_come_change_and_go(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        text = "@hookimpl\ndef system_prompt_sections(sections): return {'sprint': 'rules' in sections and %s}"
        path = of_user(talk, text % "'week 1'")
        await talk.say("one")
        assert "<sprint>\\nweek 1\\n</sprint>" in json.dumps(talk.server.requests[-1].body["system"])
        path.write_text(HEAD + text % "'week 2, longer'")
        await talk.say("two")
        assert "week 2" in json.dumps(talk.server.requests[-1].body["system"])
        path.unlink()
        await talk.say("three")
        assert "sprint" not in json.dumps(talk.server.requests[-1].body["system"])


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("input", "def input(text): raise KeyError('x')"),
        ("input", "def input(text): return 5"),
        ("input", "async def input(text): raise SystemExit(3)"),
        ("input", "def input(text): raise SystemExit(3)"),
        ("input", "def input(text):\n    async def later(): pass\n    return later()"),
        ("transform_context", "def transform_context(messages): return 'all of them'"),
        ("transform_context", "def transform_context(messages): return [{'role': 'wizard'}]"),
        ("transform_context", "def transform_context(messages): return [5]"),
        (
            "transform_context",
            "def transform_context(messages): messages.clear()\n@hookimpl\ndef input(text): return 1",
        ),
        ("append_context", "def append_context(messages): return ['x']"),
        ("append_context", "def append_context(messages): raise StopIteration"),
        ("system_prompt_sections", "def system_prompt_sections(cwd): return {'Not A Name': 'x'}"),
        ("system_prompt_sections", "def system_prompt_sections(cwd): return ['x']"),
    ],
)
async def test_a_hook_that_fails_is_told_and_passed_over(tmp_path: Path, name: str, body: str) -> None:
    async with talking(tmp_path) as talk:
        path = of_user(talk, f"@hookimpl\n{body}")
        assert (await talk.say("go")).stop_reason == "done"
        assert (await talk.said())[0] == ("user", "go")
        failures = talk.told(HookFailed)
        assert {failure.plugin for failure in failures} == {str(path)}
        assert name in {failure.hook for failure in failures} or "clear" in body


@pytest.mark.parametrize("body", ["def input(text): time.sleep(2)", "async def input(text): await asyncio.sleep(2)"])
async def test_a_hook_that_hangs_is_left_behind(tmp_path: Path, body: str) -> None:
    path = plugin(tmp_path, f"@hookimpl\n{body}")
    failed: list[Any] = []
    hooks = Hooks(failed.append, patience_s=0.05)
    hooks.use(HookLoader().load(Disk(), [str(tmp_path)]).implementations)
    [hook] = hooks.of("input")
    begun = time.perf_counter()
    assert await hook.ask(text="x") is None
    assert time.perf_counter() - begun < 1
    assert failed == [HookFailed(hook="input", plugin=str(path), error="it took longer than 0.05 s")]
    if not body.startswith("async"):
        assert await hook.ask(text="x") is None  # it hangs still, and is not asked again
        assert len(failed) == 1


async def test_a_hook_runs_beside_the_event_loop_and_cannot_change_what_is_ours(tmp_path: Path) -> None:
    plugin(tmp_path, "import threading\n@hookimpl\ndef input(text, cwd):\n    return threading.current_thread().name")
    plugin(tmp_path, "@hookimpl\ndef append_context(messages): messages[0]['role'] = 'mine'", "b.py")
    hooks = Hooks(print)
    hooks.use(HookLoader().load(Disk(), [str(tmp_path)]).implementations)
    [hook] = hooks.of("input")
    assert await hook.ask(text="x", cwd="/") != threading.current_thread().name
    messages = [{"role": "user"}]
    [hook] = hooks.of("append_context")
    await hook.ask(messages=messages)
    assert messages == [{"role": "user"}]


async def test_an_abort_does_not_wait_for_a_hook(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(talk, "@hookimpl\ndef transform_context(messages): time.sleep(2)")
        run = talk.begin("go")
        await asyncio.sleep(0.1)
        begun = time.perf_counter()
        run.cancel()
        assert (await run).stop_reason == "cancelled"
        assert time.perf_counter() - begun < 1


async def test_files_that_cannot_be_loaded_are_told_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(talk, "raise SystemExit(1)", "a.py")
        of_user(talk, "def (", "b.py")
        of_user(talk, "@hookimpl\ndef input(text, mood): pass", "c.py")
        of_user(talk, "@hookimpl(wrapper=True)\ndef input(text):\n    yield", "d.py")
        of_user(talk, "@hookimpl\ndef input(text): return text + '!'", "e.py")
        await talk.say("go")
        assert (await talk.said())[0] == ("user", "go!")
        assert [Path(failure.plugin).name for failure in talk.told(HookFailed)] == ["a.py", "b.py", "c.py", "d.py"]
        await talk.say("go")
        assert len(talk.told(HookFailed)) == 4


async def test_nothing_of_an_untrusted_project_runs(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        ran = tmp_path / "ran"
        plugin(talk.place.workspace / ".pi" / "lsp", f"open({str(ran)!r}, 'w')\n@hookimpl\ndef input(text): return 'x'")
        talk.window.workspace.trust_override = None
        await talk.say("go")
        assert not ran.exists()
        talk.window.workspace.trust_override = True
        await talk.say("go")
        assert ran.exists()
        assert (await talk.said())[2] == ("user", "x")
        talk.window.workspace.trust_override = False
        await talk.say("go")
        assert (await talk.said())[4] == ("user", "go")


async def test_the_user_can_turn_hooks_off(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(talk, "@hookimpl\ndef input(text): return 'x'")
        (talk.place.agent / "settings.json").write_text('{"hooks": false}')
        await talk.say("go")
        assert (await talk.said())[0] == ("user", "go")


# --- compaction and switching -----------------------------------------------------------------------------------------


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


SMALL = {"compaction": {"keepRecentTokens": 20}}
MIGRATIONS = Path(__file__).parents[2] / "plugins" / "migrations.py"


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
