"""`select` against a slow model of it, its laziness, and the fate of every entry."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.context.select import ModelChoice, go_on, project_entry, select
from pi_lsp.session.entries import Entry

Body = dict[str, Any]

IDS = [f"e{n}" for n in range(8)]
CONTENTS = st.sampled_from(["x", "", [{"type": "text", "text": "y"}], None])
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "toolResult", "system", "custom", "bashExecution"])},
    optional={"content": CONTENTS, "provider": st.just("p"), "model": st.sampled_from(["m", "n"])},
)
ENTRIES: st.SearchStrategy[Body] = st.one_of(
    st.fixed_dictionaries({"type": st.just("message"), "message": MESSAGES}),
    st.fixed_dictionaries({"type": st.just("message"), "message": MESSAGES}),
    st.fixed_dictionaries(
        {"type": st.just("compaction"), "summary": st.sampled_from(["", "S"])},
        optional={"firstKeptEntryId": st.sampled_from([*IDS, "gone"]), "systemMessage": st.just({"role": "system"})},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("context_edit"),
            "targetId": st.sampled_from([*IDS, "gone"]),
            "replacement": st.sampled_from(
                [None, {"content": "new"}, {"content": [{"type": "text", "text": "z"}]}, 5, {}]
            ),
        }
    ),
    st.fixed_dictionaries({"type": st.just("branch_summary"), "summary": st.sampled_from(["", "B", None])}),
    st.fixed_dictionaries({"type": st.just("custom_message")}, optional={"content": CONTENTS}),
    st.fixed_dictionaries({"type": st.just("model_change"), "provider": st.just("q"), "modelId": st.just("k")}),
    st.fixed_dictionaries({"type": st.just("thinking_level_change"), "thinkingLevel": st.sampled_from(["low", "max"])}),
    st.fixed_dictionaries({"type": st.sampled_from(["label", "custom", "session_info", "odd"])}),
)
# No short ones: an edit has to find its target.
PATHS = st.lists(ENTRIES, min_size=6, max_size=len(IDS)).map(
    lambda bodies: [{"id": IDS[n], "timestamp": "2025-01-01T00:00:01Z", **body} for n, body in enumerate(bodies)]
)


def slow_select(path: list[Body]) -> list[tuple[str, list[Body]]]:
    """The rules of a context, one after another and with no regard to cost."""
    context = list(path)
    compactions = [body for body in path if body["type"] == "compaction"]
    if compactions:
        last = compactions[-1]
        before, after = path[: path.index(last)], path[path.index(last) + 1 :]
        while before and before[0]["id"] != last.get("firstKeptEntryId"):
            before = before[1:]
        kept = [body for body in before if body.get("message", {}).get("role") != "system"]
        context = [last, *kept, *after]
    made = []
    for body in context:
        messages = slow_messages(body)
        if body["type"] == "compaction" and body is not context[0]:
            messages = []
        for edit in [edit for edit in context if edit["type"] == "context_edit" and edit["targetId"] == body["id"]][
            -1:
        ]:
            messages = slow_edit(messages, edit["replacement"])
        made.append((body["id"], messages))
    return made


def slow_messages(body: Body) -> list[Body]:
    time = {"timestamp": 1735689601000}
    if body["type"] == "message":
        message = dict(body["message"])
        if message.get("content") is None and message["role"] in ("user", "assistant", "toolResult", "system"):
            message["content"] = "" if message["role"] == "system" else []
        return [message]
    if body["type"] == "custom_message":
        content = [] if body.get("content") is None else body["content"]
        return [{"role": "custom", "content": content, **time}]
    if body["type"] == "branch_summary" and body["summary"]:
        return [{"role": "branchSummary", "summary": body["summary"], **time}]
    if body["type"] == "compaction":
        prompt = [body["systemMessage"]] if "systemMessage" in body else []
        return [*prompt, {"role": "compactionSummary", "summary": body["summary"], **time}]
    return []


def slow_edit(messages: list[Body], replacement: Any) -> list[Body]:
    if replacement is None:
        return []
    if not isinstance(replacement, dict) or "content" not in replacement:
        return messages
    edited = []
    for message in messages:
        content = replacement["content"]
        if message["role"] in ("assistant", "toolResult") and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if message["role"] in ("user", "assistant", "toolResult", "custom"):
            message = {**message, "content": content}
        edited.append(message)
    return edited


def entries(path: list[Body]) -> list[Entry]:
    return [Entry.of(body) for body in path]


@given(PATHS)
def test_selects_as_the_slow_model_does(path: list[Body]) -> None:
    projection = select(entries(path))
    assert [(one.entry.id, list(one.messages)) for one in projection.entries] == slow_select(path)


@given(PATHS)
def test_every_entry_of_the_path_has_its_fate(path: list[Body]) -> None:
    projection = select(entries(path))
    assert set(projection.fates) == {body["id"] for body in path}
    owners = set(projection.message_entries)
    types = {body["id"]: body["type"] for body in path}
    for entry_id, fate in projection.fates.items():
        assert (fate.fate != "absent") == (entry_id in owners)
        assert fate.detail or fate.fate == "sent"
        match fate.stage:
            case "compaction":
                assert types[fate.by or ""] == "compaction"
            case "contextEdit":
                assert types[fate.by or ""] == "context_edit"
            case _:
                assert fate.stage is None
                assert fate.by is None


@given(PATHS)
def test_settings_come_from_the_whole_path(path: list[Body]) -> None:
    projection = select(entries(path))
    levels = [body["thinkingLevel"] for body in path if body["type"] == "thinking_level_change"]
    assert projection.thinking_level == [*["off"], *levels][-1]
    model = None
    for body in path:
        message = body.get("message", {})
        if body["type"] == "model_change":
            model = ModelChoice(provider="q", model_id="k")
        elif message.get("role") == "assistant":
            model = ModelChoice(provider=message.get("provider"), model_id=message.get("model"))
    assert projection.model == model


def lazy(path: list[Body]) -> tuple[list[Entry], list[str]]:
    """Entries that write down each decoding of a body."""
    read: list[str] = []

    def reader(body: Body) -> Callable[[], Body]:
        def decode() -> Body:
            read.append(body["id"])
            return body

        return decode

    return [Entry(body["type"], body["id"], None, "", reader(body)) for body in path], read


def said(entry_id: str, role: str = "user", content: Any = "x") -> Body:
    return {"type": "message", "id": entry_id, "message": {"role": role, "content": content}}


def test_what_a_compaction_replaced_is_never_decoded() -> None:
    summarized = [said(f"s{n}") for n in range(40_000)]
    later = [
        {"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "k"},
        said("l1", "assistant"),
        {"type": "context_edit", "id": "x", "targetId": "k", "replacement": None},
    ]
    path, read = lazy([*summarized, said("k"), *later])
    projection = select(path)
    assert set(read) == {"c", "k", "l1", "x"}
    assert len(projection.fates) == 40_004
    assert projection.fates["s0"].by == "c"


def test_without_a_compaction_each_body_is_decoded_once() -> None:
    path, read = lazy([said(f"s{n}") for n in range(1000)])
    select(path)
    assert len(read) == 1000


def test_C1_a_second_compaction_keeps_what_the_first_one_kept() -> None:
    first = {"type": "compaction", "id": "c1", "summary": "1", "firstKeptEntryId": "b"}
    second = {"type": "compaction", "id": "c2", "summary": "2", "firstKeptEntryId": "b"}
    projection = select(entries([said("a"), said("b"), first, said("d"), second]))
    assert [one.entry.id for one in projection.entries if one.messages] == ["c2", "b", "d"]
    assert projection.fates["c1"].by == "c2"


@pytest.mark.parametrize(
    "body",
    [{}, {"message": None}, {"message": 5}, {"message": []}, {"type": "compaction", "firstKeptEntryId": {}}],
)
def test_bodies_of_wrong_shapes_are_read_as_empty(body: Body) -> None:
    path = [said("a"), {"type": "message", "id": "b", "timestamp": 5, **body}, said("c")]
    assert "c" in select(entries(path)).message_entries


@pytest.mark.parametrize("kind", ["compaction", "branch_summary", "custom_message"])
def test_a_time_may_be_a_number_or_missing(kind: str) -> None:
    body = {"type": kind, "id": "a", "summary": "S"}
    times = [{"timestamp": 1_735_689_600_000}, {"timestamp": "2025-01-01T00:00:00.000Z"}, {"timestamp": None}, {}]
    made = [project_entry(Entry.of(body | time), None)[0]["timestamp"] for time in times]
    assert made == [1_735_689_600_000, 1_735_689_600_000, 0, None]


def test_an_edit_without_a_usable_replacement_changes_nothing() -> None:
    entry = Entry.of(said("a"))
    for replacement in (5, {}, {"content": 7}, "text"):
        edit = Entry.of({"type": "context_edit", "id": "e", "targetId": "a", "replacement": replacement})
        assert project_entry(entry, edit) == project_entry(entry, None)


@given(PATHS, st.integers(0, len(IDS)))
def test_going_on_gives_what_selecting_all_gives(bodies: list[Body], split: int) -> None:
    path = [Entry.of(body) for body in bodies]
    gone_on = go_on(select(path[:split]), path[split:])
    if gone_on is None:
        assert any(entry.type in ("compaction", "context_edit") for entry in path)
    else:
        assert gone_on == select(path)
