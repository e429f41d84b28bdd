"""Hooks: where they come from, what they may do, and that none of them costs a turn."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import HookFailed
from pi_lsp.agent.hook_loading import HookLoader
from pi_lsp.agent.hooks import Hooks
from pi_lsp.api.explain import ExplainParams, explain
from pi_lsp.base.files import Disk
from tests.support.chats import talking
from tests.support.waiting import until
from tests.support.windows import answered, said
from tests.unit.agent.plugins import HEAD, Gate, of_user, plugin, sent


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


@pytest.mark.parametrize("body", ["def input(text): time.sleep(60)", "async def input(text): await asyncio.sleep(60)"])
async def test_a_hook_that_hangs_is_left_behind(tmp_path: Path, body: str) -> None:
    path = plugin(tmp_path, f"@hookimpl\n{body}; return 'late'")
    failed: list[Any] = []
    hooks = Hooks(failed.append, patience_s=0.05)
    hooks.use(HookLoader().load(Disk(), [str(tmp_path)]).implementations)
    [hook] = hooks.of("input")
    assert await hook.ask(text="x") is None
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
        gate = Gate(tmp_path)
        of_user(talk, f"@hookimpl\ndef transform_context(messages): {gate.stopping}")
        run = talk.begin("go")
        await until(gate.is_reached)
        run.cancel()
        assert (await run).stop_reason == "cancelled"
        assert talk.told(HookFailed) == []  # it was not waited for until its time was over
        gate.open()


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
