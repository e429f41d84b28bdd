"""What the next prompt holds of the system messages that a session stores."""

from typing import Any

from pi_lsp.context.fate import SENT
from pi_lsp.context.prompt_trace import PromptPart, StoredPrompt, trace_prompt


def stored(entry_id: str, **fields: Any) -> StoredPrompt:
    return StoredPrompt(entry_id, {"role": "system", "content": "", **fields})


def tool(name: str, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description}


def facts(parts: list[PromptPart]) -> list[tuple[str, str, str | None, str | None]]:
    return [(part.entry_id, part.fate.fate, part.fate.stage, part.fate.by) for part in parts]


def test_what_stands_in_the_prompt_is_sent() -> None:
    (part,) = trace_prompt([stored("a", sections={"docs": "D"}, toolsAdded=[tool("read")])], {"docs": "D"})
    assert part.fate == SENT
    assert part.sent == {"role": "system", "content": "", "sections": {"docs": "D"}, "toolsAdded": [tool("read")]}


def test_a_later_message_takes_the_place_of_a_section_and_of_a_tool() -> None:
    first = stored("a", sections={"docs": "D"}, toolsAdded=[tool("read")])
    second = stored("b", sections={"docs": "E"}, toolsAdded=[tool("read", "better")])
    assert facts(trace_prompt([first, second], {"docs": "E"})) == [
        ("a", "absent", "convert", "b"),
        ("b", "sent", None, None),
    ]


def test_what_is_taken_away_is_absent_and_so_is_who_takes_it() -> None:
    first = stored("a", sections={"docs": "D", "more": "M"}, toolsAdded=[tool("read"), tool("bash")])
    second = stored("b", sections={"docs": None}, toolsRemoved=[{"name": "read"}])
    parts = trace_prompt([first, second], {"more": "M"})
    assert facts(parts) == [("a", "changed", "convert", "b"), ("b", "absent", None, None)]
    assert parts[0].sent == {"role": "system", "content": "", "sections": {"more": "M"}, "toolsAdded": [tool("bash")]}
    assert "docs, read: replaced or taken out" in parts[0].fate.detail


def test_what_is_made_of_files_names_its_step() -> None:
    rules = stored("a", sections={"project_context": "old rules"})
    assert facts(trace_prompt([rules], {"project_context": "new rules"})) == [("a", "absent", "rule", None)]
    skills = stored("a", sections={"skills": "old"}, content="and more")
    assert facts(trace_prompt([skills], {})) == [("a", "changed", "skill", None)]
