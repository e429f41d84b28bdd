from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.context.prompt_state import (
    collapse,
    current_system,
    diff_sections,
    render_update,
    system_text,
    tool_changes,
)
from pi_lsp.session.messages import Message

sections = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", "1", "2"]))
tool = st.builds(
    lambda name, text: {"name": name, "description": text, "parameters": {}},
    st.sampled_from("xyz"),
    st.sampled_from("12"),
)
tool_sets = st.lists(tool, unique_by=lambda one: one["name"])


def system(**fields: object) -> Message:
    return {"role": "system", "content": "", "timestamp": 1, **fields}  # pyright: ignore[reportReturnType]


@given(st.lists(sections, min_size=1, max_size=5))
def test_replaying_the_differences_gives_the_last_sections(history: list[dict[str, str]]) -> None:
    messages: list[Message] = []
    known: dict[str, str] = {}
    for wanted in history:
        patch = diff_sections(known, wanted)
        assert (patch is None) == (known == wanted)
        messages.append(system(sections=patch or {}))
        known = wanted
    whole = current_system(messages)
    assert whole is not None
    assert whole.get("sections", {}) == history[-1]


@given(st.lists(tool_sets, min_size=1, max_size=5))
def test_replaying_the_changes_gives_the_last_tools(history: list[list[JsonObject]]) -> None:
    messages: list[Message] = []
    known: list[JsonObject] = []
    for wanted in history:
        changes = tool_changes(known, wanted)
        messages.append(system(toolsAdded=changes.tools_added, toolsRemoved=changes.tools_removed))
        known = wanted
    whole = current_system(messages)
    assert whole is not None
    tools = whole.get("toolsAdded", [])
    assert isinstance(tools, list)
    assert {str(one) for one in tools} == {str(one) for one in history[-1]}


def test_the_patch_has_what_is_new_first_and_what_went_last() -> None:
    patch = diff_sections({"a": "1", "b": "2", "c": "3"}, {"c": "3", "b": "2x", "d": "4"})
    assert patch is not None
    assert list(patch.items()) == [("b", "2x"), ("d", "4"), ("a", None)]


def test_a_tool_changes_only_in_what_a_model_is_told() -> None:
    before: list[JsonObject] = [{"name": "a", "description": "1", "parameters": {}, "label": "old"}]
    assert tool_changes(before, [{**before[0], "label": "new"}]).tools_added == []
    changed = tool_changes(before, [{**before[0], "description": "2"}])
    assert [one["name"] for one in changed.tools_added] == ["a"]
    assert changed.tools_removed == [{"name": "a"}]


def test_a_section_keeps_its_place_and_one_that_comes_back_goes_last() -> None:
    messages = [
        system(sections={"a": "1", "b": "2", "c": "3"}),
        system(sections={"a": None, "b": "2x"}),
        system(sections={"a": "1x"}),
    ]
    whole = current_system(messages)
    assert whole is not None
    assert system_text(whole) == "2x\n\n3\n\n1x"


def test_a_prompt_without_a_time_is_not_lost() -> None:
    assert current_system([{"role": "system", "content": "x"}]) == {"role": "system", "content": "x", "timestamp": 0}


def test_shapes_that_are_wrong_read_as_missing() -> None:
    broken = system(content=None, sections=["x"], toolsAdded=[None, "x"], toolsRemoved={"name": "x"})
    assert current_system([broken]) == {"role": "system", "content": "", "timestamp": 1}
    assert render_update(broken) == "" == system_text(broken)


def test_collapse_puts_the_whole_prompt_first() -> None:
    user: Message = {"role": "user", "content": "u"}
    messages = [user, system(sections={"a": "1"}), system(content="c")]
    assert collapse(messages) == [{"role": "system", "content": "c", "sections": {"a": "1"}, "timestamp": 1}, user]
    assert collapse([user]) == [user]


def test_an_update_names_its_sections() -> None:
    message = system(content="now", sections={"rules": "R", "cwd": None})
    assert render_update(message) == (
        'now\n\nUpdated system prompt section "rules":\n\nR\n\nRemoved system prompt section "cwd".'
    )


def test_constrained_sampling_is_a_part_of_what_a_model_is_told() -> None:
    plain: JsonObject = {"name": "a", "description": "", "parameters": {}, "label": "L"}
    changes = tool_changes([plain], [{**plain, "constrainedSampling": True}])
    assert changes.tools_added == [{"name": "a", "description": "", "parameters": {}, "constrainedSampling": True}]
    assert changes.tools_removed == [{"name": "a"}]
