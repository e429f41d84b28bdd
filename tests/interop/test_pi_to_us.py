"""Sessions that the real Pi writes: we give the same messages, leaf, name and labels, and change nothing."""

from pi_lsp.session.messages import texts_of
from tests.interop.agree import assert_we_agree
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.editor import Editor
from tests.support.pi_models import OTHER_MODEL
from tests.support.pi_rpc import PiRpc

LONG = "The harbour master wants the bookings sorted by tide. " * 12


def user_ids(pi: PiRpc) -> list[str]:
    return [entry["id"] for entry in pi.entries() if (entry.get("message") or {}).get("role") == "user"]


def test_chat_of_several_turns(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="Hello."), Reply(text="Zwölf Boxkämpfer 😀", thinking="")]
    pi.prompt("Hi there")
    pi.prompt("Say something in German, with U+2028 \u2028 in it")
    assert_we_agree(pi, editor)


def test_tool_calls_with_pis_own_tools(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    (editor.home.workspace / "tide.txt").write_text("high\nlow\n")
    api.replies += [
        Reply(
            text="Let me look.",
            tools=[
                {"id": "toolu_1", "name": "read", "input": {"path": "tide.txt"}},
                {"id": "toolu_2", "name": "bash", "input": {"command": "echo out; echo err >&2; exit 3"}},
                {"id": "toolu_3", "name": "read", "input": {"path": "missing.txt"}},
            ],
        ),
        Reply(tools=[{"id": "toolu_4", "name": "write", "input": {"path": "new.txt", "content": "x\n"}}]),
        Reply(text="Done."),
    ]
    pi.prompt("Look at the tide")
    seen = assert_we_agree(pi, editor)
    assert [entry.message["role"] for entry in seen.path(seen.leaf_id) if entry.type == "message"].count(
        "toolResult"
    ) == 4


def test_thinking_and_images(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(thinking="A red dot.", text="It is a red dot.")]
    pi.call("set_thinking_level", level="low")
    pi.prompt("What is this?", images=[{"type": "image", "data": DOT, "mimeType": "image/png"}])
    pi.call("set_thinking_level", level="off")
    seen = assert_we_agree(pi, editor)
    assert editor.call("pi/state")["thinkingLevel"] == "off"
    assert any(entry.type == "thinking_level_change" for entry in seen.path(seen.leaf_id))


def test_compaction_twice(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    for number in range(3):
        api.replies += [Reply(text=f"Answer {number}. {LONG}")]
        pi.prompt(f"Question {number}. {LONG}")
    api.replies += [Reply(text="## Goal\nSort the bookings.")]
    pi.call("compact", customInstructions="the tides")
    assert_we_agree(pi, editor)
    for number in range(2):
        api.replies += [Reply(text=f"Later answer {number}. {LONG}")]
        pi.prompt(f"Later question {number}. {LONG}")
    api.replies += [Reply(text="## Goal\nSort the bookings, again."), Reply(text="Go on.")]
    pi.call("compact")
    pi.prompt("And now?")
    seen = assert_we_agree(pi, editor)
    assert sum(entry.type == "compaction" for entry in seen.session.tree) == 2


def test_compaction_within_a_turn(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One.")]
    pi.prompt(f"one {LONG}")
    calls = [{"id": f"toolu_{number}", "name": "bash", "input": {"command": "seq 200"}} for number in range(3)]
    api.replies += [*(Reply(text=LONG, tools=[call]) for call in calls), Reply(text="Counted.")]
    pi.prompt("Count")
    api.replies += [Reply(text="## Goal\nOne."), Reply(text="## Original Request\nCount."), Reply(text="Go on.")]
    pi.call("compact")
    pi.prompt("And now?")
    assert_we_agree(pi, editor)


def test_labels_and_a_name(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One."), Reply(text="Two.")]
    pi.prompt("one")
    pi.prompt("two")
    first, second = user_ids(pi)
    pi.label(first, "the start")
    pi.label(second, "wrong")
    pi.label(second, None)
    pi.call("set_session_name", name="Tides and berths")
    assert pi.labels() == {first: "the start"}
    assert_we_agree(pi, editor)


def test_branches_with_and_without_a_summary(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One."), Reply(text="Two."), Reply(text="Another two.")]
    pi.prompt("one")
    pi.prompt("two")
    _, second = user_ids(pi)
    pi.navigate(second)
    pi.prompt("another two")
    assert_we_agree(pi, editor)
    api.replies += [Reply(text="## Goal\nWas about two."), Reply(text="Three.")]
    pi.navigate(second, summarize=True, label="back again")
    pi.prompt("three")
    seen = assert_we_agree(pi, editor)
    assert sum(entry.type == "branch_summary" for entry in seen.session.tree) == 1


def test_fork_and_clone(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One."), Reply(text="Two."), Reply(text="Forked."), Reply(text="Cloned.")]
    pi.prompt("one")
    pi.label(user_ids(pi)[0], "kept by the fork")
    pi.prompt("two")
    original = pi.file
    pi.call("fork", entryId=user_ids(pi)[1])
    pi.prompt("forked")
    assert pi.file != original
    assert_we_agree(pi, editor)
    forked = pi.file
    pi.call("clone")
    pi.prompt("cloned")
    assert pi.file not in (original, forked)
    assert_we_agree(pi, editor)
    pi.call("switch_session", sessionPath=str(original))
    assert_we_agree(pi, editor)


def test_commands_of_the_user(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    pi.call("bash", command="echo before the first prompt")
    api.replies += [Reply(text="One."), Reply(text="Two.")]
    pi.prompt("one")
    pi.call("bash", command="echo seen; exit 4")
    pi.call("bash", command="echo not for the model", excludeFromContext=True)
    pi.prompt("two")
    assert_we_agree(pi, editor)
    request = str(editor.call("pi/context", {"full": True})["request"])
    assert "echo seen" in request and "echo not for the model" not in request


def test_another_model(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="One."), Reply(text="Two.")]
    pi.prompt("one")
    pi.call("set_model", provider="anthropic", modelId=OTHER_MODEL)
    pi.prompt("two")
    assert_we_agree(pi, editor)
    assert editor.call("pi/state")["model"]["id"] == OTHER_MODEL
    pi.call("set_model", provider="anthropic", modelId="claude-sonnet-4-5")


def test_an_aborted_answer(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text="I will never finish this sentence", stall_after=6), Reply(text="Good.")]
    since = pi.begin_prompt("one")
    pi.event("message_update", since)
    pi.call("abort")
    pi.settled(since)
    assert_we_agree(pi, editor)
    pi.prompt("two")
    seen = assert_we_agree(pi, editor)
    assert any(entry.message.get("stopReason") == "aborted" for entry in seen.session.tree)


def test_attempts_that_fail(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    overloaded = {"status": 529, "error": "Overloaded"}
    api.replies += [Reply(**overloaded), Reply(text="half an ans", error_after=4), Reply(text="At last.")]
    said = pi.prompt("one")
    assert texts_of(said[-1]) == ["At last."]
    assert_we_agree(pi, editor)
    api.replies += [Reply(**overloaded) for _ in range(3)]
    pi.prompt("two")
    seen = assert_we_agree(pi, editor)
    assert [entry.type for entry in seen.session.tree].count("context_edit") == 4
    api.replies += [Reply(status=400, error="no such thing"), Reply(text="Three.")]
    pi.prompt("three")
    pi.prompt("three again")
    assert_we_agree(pi, editor)


def test_an_overflow_that_is_compacted(pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    api.replies += [Reply(text=f"One. {LONG}"), Reply(text=f"Two. {LONG}")]
    pi.prompt(f"one {LONG}")
    pi.prompt(f"two {LONG}")
    too_long = Reply(status=400, error="prompt is too long: 210000 tokens > 200000 maximum")
    api.replies += [too_long, Reply(text="## Goal\nOne and two."), Reply(text="Three.")]
    pi.prompt("three")
    seen = assert_we_agree(pi, editor)
    assert {"compaction", "context_edit"} <= {entry.type for entry in seen.session.tree}


DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
