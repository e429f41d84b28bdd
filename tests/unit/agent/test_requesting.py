"""The requests of a run, and what can be told of them afterwards."""

import json
from pathlib import Path

from pi_lsp.agent.chat import speaker_of
from pi_lsp.agent.hooked import Chosen, Hooked, fates_of, labelled, read_back
from pi_lsp.agent.requesting import Requests
from pi_lsp.api.context import ContextParams, context
from pi_lsp.session.messages import role_of
from tests.support.chats import talking
from tests.support.windows import answered, said
from tests.unit.agent.plugins import of_user

GIVEN = [
    Chosen("u", {"role": "user", "content": "one"}),
    Chosen("a", {"role": "assistant", "content": []}),
    Chosen("c", {"role": "user", "content": "two"}),
    Chosen("c", {"role": "user", "content": "three"}),
]


def test_what_a_hook_gives_back_unchanged_is_unchanged() -> None:
    assert list(read_back(labelled(GIVEN), GIVEN)) == GIVEN
    assert fates_of(GIVEN, GIVEN, "p") == {}


def test_what_a_hook_did_is_told_for_each_entry() -> None:
    messages = labelled(GIVEN)
    after = list(read_back([{**messages[0], "content": "x"}, {"role": "user", "content": "new"}, messages[3]], GIVEN))
    assert after == [
        Chosen("u", {"role": "user", "content": "x"}),
        Chosen("u", {"role": "user", "content": "new"}, added=True),
        Chosen("c", {"role": "user", "content": "three"}),
    ]
    fates = fates_of(GIVEN, after, "p")
    assert {entry: fate.fate for entry, fate in fates.items()} == {"u": "changed", "a": "absent", "c": "changed"}
    assert {fate.stage for fate in fates.values()} == {"hook"}


def test_what_came_after_the_request_stands_as_it_is() -> None:
    hooked = Hooked(chosen=[GIVEN[0]], fates={}, seen=frozenset({"u", "a", "c"}))
    later = Chosen("z", {"role": "user", "content": "later"})
    assert hooked.over([*GIVEN, later]) == [GIVEN[0], later]
    assert hooked.over([GIVEN[1], later]) == [later]


async def test_a_request_states_the_prompt_first_and_is_what_pi_context_shows(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=[said("u", "x"), answered("a", "y")]) as talk:
        await talk.say("go")
        sent = talk.server.requests[-1].body
        shown = (await context(talk.window, ContextParams(leaf_id=(await talk.path())[-2].id, full=True))).request
        assert shown
        assert {key: sent[key] for key in ("system", "messages", "thinking", "model")} == {
            key: shown[key] for key in ("system", "messages", "thinking", "model")
        }


async def test_what_a_hook_added_is_shown_as_added(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(
            talk,
            "@hookimpl\ndef transform_context(messages): return [*messages, {'role': 'user', 'content': 'by a hook'}]",
        )
        await talk.say("go")
        shown = (await context(talk.window, ContextParams())).messages
        assert [(message.preview, message.added) for message in shown] == [
            ("go", False),
            ("by a hook", True),
            ("I got 2 messages.", False),
            ("Go on.", True),
        ]


async def test_a_hook_that_takes_everything_out_ends_the_run_with_an_error(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        of_user(talk, "@hookimpl\ndef transform_context(messages): return []")
        result = await talk.say("go")
        assert result.stop_reason == "error"
        assert result.error
        assert "nothing is left to send" in result.error
        assert talk.server.requests == []
        assert "go" in talk.stored


async def test_looking_runs_no_hook(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        ran = tmp_path / "ran"
        of_user(talk, f"@hookimpl\ndef transform_context(messages): open({str(ran)!r}, 'a').write('x')")
        await talk.say("go")
        assert ran.read_text() == "x"
        await context(talk.window, ContextParams(full=True))
        assert ran.read_text() == "x"


async def test_a_request_is_built_without_a_trace_of_our_own_keys(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=[said("u", "x")]) as talk:
        of_user(talk, "@hookimpl\ndef transform_context(messages): return messages")
        await talk.window.load_hooks()
        request = await Requests(talk.window).build(await speaker_of(talk.window), talk.window.now())
        assert [role_of(message) for message in request.messages] == ["system", "user"]
        assert "entryId" not in json.dumps(list(request.messages))
