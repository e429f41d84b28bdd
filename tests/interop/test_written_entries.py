"""Sessions written by our own functions, entry by entry: the real Pi sees the same messages, leaf, name and labels."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.session.actions import (
    append_compaction,
    append_context_edit,
    append_custom,
    append_custom_message,
    append_label,
    append_leaf_anchor,
    append_message,
    append_model,
    append_name,
    append_thinking_level,
    branch_with_summary,
)
from pi_lsp.session.fork import fork
from pi_lsp.session.store import Session
from tests.interop.agree import assert_pi_agrees
from tests.support.api_server import ApiServer
from tests.support.editor import Editor, Home
from tests.support.pi_models import MODEL
from tests.support.pi_rpc import PiRpc
from tests.support.windows import answered, said


class Writing:
    """A session of ours, begun with a question and an answer."""

    def __init__(self, home: Home) -> None:
        self.session = Session.new(str(home.sessions), str(home.workspace))
        append_model(self.session, "anthropic", MODEL)
        append_thinking_level(self.session, "off")
        prompt = {"role": "system", "content": "", "sections": {"preamble": "You help."}, "timestamp": 1}
        append_message(self.session, prompt)
        self.say("one")

    def say(self, text: str) -> tuple[str, str]:
        """A question and its answer; gives their ids."""
        asked = append_message(self.session, said("", text)["message"])
        message = answered("", f"Answer to {text}", 100)["message"]
        return asked.id, append_message(self.session, message).id

    def call_tool(self, output: str) -> str:
        append_message(self.session, said("", "run it")["message"])
        call = {"type": "toolCall", "id": "toolu_1", "name": "bash", "arguments": {"command": "true"}}
        append_message(self.session, {**answered("", "")["message"], "content": [call], "stopReason": "toolUse"})
        result = {"role": "toolResult", "toolCallId": "toolu_1", "toolName": "bash", "isError": False, "timestamp": 2}
        return append_message(self.session, {**result, "content": [{"type": "text", "text": output}]}).id

    @property
    def file(self) -> Path:
        assert self.session.path
        return Path(self.session.path)


def moved_without_summary(it: Writing) -> None:
    asked, _ = it.say("two")
    it.session.move(it.session.tree.get(asked).parent_id)  # type: ignore[union-attr]  it was just appended
    append_leaf_anchor(it.session)


def moved_before_the_first_entry(it: Writing) -> None:
    it.session.move(None)
    append_leaf_anchor(it.session)


def moved_and_went_on(it: Writing) -> None:
    moved_without_summary(it)
    it.say("another two")


def summarised_branch(it: Writing) -> None:
    asked, _ = it.say("two")
    parent = it.session.tree.get(asked).parent_id  # type: ignore[union-attr]  it was just appended
    details = {"readFiles": ["a.txt"], "modifiedFiles": []}
    entry = branch_with_summary(it.session, parent, "Was about two.", details=details, from_hook=False)
    append_label(it.session, entry.id, "back")


def summarised_root(it: Writing) -> None:
    branch_with_summary(it.session, None, "All of it.")
    it.say("anew")


def compacted(it: Writing) -> None:
    first_kept, _ = it.say("two")
    it.say("three")
    prompt = {"role": "system", "content": "", "sections": {"preamble": "You help more."}, "timestamp": 3}
    append_compaction(it.session, "One.", first_kept, 1234, system_message=prompt, details={"readFiles": []})


def compacted_whole(it: Writing) -> None:
    append_compaction(it.session, "Everything.", None, 99, system_message=None, from_hook=True)
    it.say("two")


def undone_compaction(it: Writing) -> None:
    before = it.session.leaf_id
    compacted_whole(it)
    it.session.move(before)
    append_leaf_anchor(it.session)


def trimmed_result(it: Writing) -> None:
    result = it.call_tool("long " * 2000)
    it.say("two")
    append_context_edit(it.session, result, {"content": "long ... [9000 of 10000 characters left out]"})


def omitted_attempt(it: Writing) -> None:
    append_message(it.session, said("", "two")["message"])
    failed = {**answered("", "")["message"], "content": [], "stopReason": "error", "errorMessage": "529 Overloaded"}
    append_context_edit(it.session, append_message(it.session, failed).id, None)
    append_message(it.session, answered("", "At last.")["message"])


def messages_beside(it: Writing) -> None:
    append_custom(it.session, "somebody.else", {"kept": [1, None, 1.5]})
    append_custom_message(it.session, "pi-lsp.rules", "Rules of a nested folder.", details={"path": "/x"})
    shell = {"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 0, "cancelled": False}
    append_message(it.session, {**shell, "truncated": False, "timestamp": 4})


def named_and_labelled(it: Writing) -> None:
    asked, answer = it.say("two")
    append_label(it.session, asked, "here")
    append_label(it.session, answer, "gone")
    append_label(it.session, answer, None)
    append_name(it.session, "  Two\nlines  ")


def odd_texts(it: Writing) -> None:
    for text in ("\u2028\u2029\x85", "\0\x1b[31m", "😀 e\u0301 👩‍👩‍👧", '"\\\n\t/', "\ufeff", "x" * 70_000):
        it.say(text)


@pytest.mark.parametrize(
    "write",
    [
        lambda it: None,
        moved_without_summary,
        moved_before_the_first_entry,
        moved_and_went_on,
        summarised_branch,
        summarised_root,
        compacted,
        compacted_whole,
        undone_compaction,
        trimmed_result,
        omitted_attempt,
        messages_beside,
        named_and_labelled,
        odd_texts,
    ],
)
def test_pi_sees_what_we_wrote(
    write: Callable[[Writing], Any], home: Home, pi: PiRpc, editor: Editor, api: ApiServer
) -> None:
    it = Writing(home)
    write(it)
    assert_pi_agrees(pi, editor, it.file)


@pytest.mark.parametrize("write", [compacted, summarised_branch, named_and_labelled])
@pytest.mark.parametrize("whole", [True, False])
def test_pi_sees_our_forks(
    write: Callable[[Writing], Any], whole: bool, home: Home, pi: PiRpc, editor: Editor, api: ApiServer
) -> None:
    """Whole: a clone."""
    it = Writing(home)
    write(it)
    path = it.session.tree.path(it.session.leaf_id)
    forked = fork(it.session, it.session.leaf_id if whole else path[-2].id)
    assert forked.path
    seen = assert_pi_agrees(pi, editor, Path(forked.path))
    assert seen.session.header["parentSession"] == str(it.file)


def test_pi_goes_on_from_our_anchor(home: Home, pi: PiRpc, editor: Editor, api: ApiServer) -> None:
    it = Writing(home)
    moved_without_summary(it)
    anchor = it.session.leaf_id
    pi.call("switch_session", sessionPath=str(it.file))
    pi.prompt("and now?")
    first = next(entry for entry in pi.entries() if entry["parentId"] == anchor)
    assert first["type"] == "message"
    assert "two" not in [block["text"] for message in pi.messages() for block in message["content"] or []]
