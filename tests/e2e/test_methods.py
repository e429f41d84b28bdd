"""Every pi/ method through the real server: what it answers, what it refuses, and with which words."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.api.names import METHOD_NAMES
from pi_lsp.base.paths import path_to_uri
from tests.support.editor import Editor, Home, bundled, entry, session_lines, write
from tests.support.rpc import RpcError

TALK = [("user", "Fix the harbour bug"), ("assistant", "I will look"), ("user", "Never push"), ("assistant", "Done")]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = Home(tmp_path_factory.mktemp("methods"))
    write(
        home.agent,
        {"AGENTS.md": "# Everywhere\n", "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\n"},
    )
    write(
        home.workspace, {"AGENTS.md": "# Root\n", "CLAUDE.md": "# Shadow\n", "api/AGENTS.md": "# API\n", "api/x.py": ""}
    )
    path = home.sessions / "a.jsonl"
    write(home.sessions, {path.name: session_lines(home.workspace, *TALK)})
    with path.open("a") as file:
        branch = entry("b1", "e1", "user", "Another branch")
        file.write(json.dumps(branch) + "\n")
        file.write(json.dumps(entry("b2", "e4", "user", "The harbour again")) + "\n")
    with Editor(home) as started:
        started.initialize(session={"file": str(path)})
        started.count()
        yield started


def refusal(editor: Editor, method: str, params: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        editor.call(method, params)
    return caught.value


def misfit(editor: Editor, method: str, params: Any) -> str:
    """What -32602 says."""
    error = refusal(editor, method, params)
    assert error.code == -32602, error
    assert all(isinstance(line, str) for line in error.data["errors"])
    return "\n".join(error.data["errors"])


def reason(editor: Editor, method: str, params: Any) -> str:
    """The reason of -32803."""
    error = refusal(editor, method, params)
    assert error.code == -32803, error
    return error.data["reason"]


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_params_that_are_no_object_are_refused(editor: Editor, method: str) -> None:
    assert misfit(editor, method, [1]) and misfit(editor, method, "x") and misfit(editor, method, 5)


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("pi/rules", {"uri": 5}, "$.uri"),
        ("pi/rules", {"uris": ["file:///x", None]}, "$.uris[1]"),
        ("pi/session/list", {"all": "yes"}, "$.all"),
        ("pi/session/list", {"limit": "5"}, "$.limit"),
        ("pi/session/entries", {"onPath": 1}, "$.onPath"),
        ("pi/session/entries", {"before": 1}, "$.before"),
        ("pi/rules/session", {"uri": 5}, "$.uri"),
        ("pi/session/open", {"file": 1}, "$.file"),
        ("pi/session/new", {"name": 1}, "$.name"),
        ("pi/tree", {"filter": "some"}, "$.filter"),
        ("pi/tree", {"depth": 1.5}, "$.depth"),
        ("pi/context", {"leafId": 7}, "$.leafId"),
        ("pi/explain", {"entryId": True}, "$.entryId"),
        ("pi/compact/preview", {"keepRecentTokens": "many"}, "$.keepRecentTokens"),
        ("pi/trust/set", {"trusted": "yes"}, "$.trusted"),
        ("pi/trust/set", {"trusted": True, "remember": 0}, "$.remember"),
    ],
)
def test_a_misfit_is_told_by_its_wire_name(editor: Editor, method: str, params: Any, name: str) -> None:
    assert name in misfit(editor, method, params)


def test_what_is_missing_is_told(editor: Editor) -> None:
    assert "trusted" in misfit(editor, "pi/trust/set", {})
    assert "file" in misfit(editor, "pi/session/open", {})
    assert "keepRecentTokens" in misfit(editor, "pi/compact/preview", {"keepRecentTokens": -1})
    assert "uri" in misfit(editor, "pi/rules/session", {})
    assert misfit(editor, "pi/rules", {"uri": "untitled:Untitled-1"})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pi/session/entries", {"ids": ["nope"]}),
        ("pi/session/entries", {"after": "nope"}),
        ("pi/session/entries", {"before": "nope"}),
        ("pi/rules/session", {"uri": "file:///nowhere/AGENTS.md"}),
        ("pi/session/open", {"id": "nope"}),
        ("pi/session/open", {"file": "/nowhere/at/all.jsonl"}),
        ("pi/session/new", {"cwd": "/nowhere/at/all"}),
        ("pi/tree", {"under": "nope"}),
        ("pi/tree", {"outline": True, "before": "nope"}),
        ("pi/tree", {"outline": True, "under": "b1", "before": "e2"}),
        ("pi/context", {"leafId": "nope"}),
        ("pi/explain", {"entryId": "nope"}),
    ],
)
def test_unknown_ids_and_places_are_not_found(editor: Editor, method: str, params: Any) -> None:
    assert reason(editor, method, params) == "notFound"


def test_state(editor: Editor) -> None:
    state = editor.call("pi/state")
    assert state["phase"] == "idle" and state["trusted"] is True
    assert state["session"]["leafId"] == "b2" and state["session"]["entries"] == 6
    assert state["model"]["contextWindow"] == state["context"]["window"]
    assert state["context"]["tokens"] > 0 and state["context"]["source"] == "estimated"


def test_R1_R7_rules_in_reading_order_with_what_is_shadowed(editor: Editor) -> None:
    found = editor.call("pi/rules", {"uri": path_to_uri(str(editor.home.workspace / "api" / "x.py"))})
    assert [(Path(file["uri"]).name, file["loaded"], file.get("reason")) for file in found["files"]] == [
        ("AGENTS.md", True, None),
        ("AGENTS.md", True, None),
        ("CLAUDE.md", False, "shadowed"),
        ("AGENTS.md", True, None),
    ]
    assert [file["scope"] for file in found["files"]] == ["global", "ancestor", "ancestor", "directory"]
    shadowed = found["files"][2]
    assert shadowed["by"] == found["files"][1]["uri"]
    assert found["tokens"] == sum(file["tokens"] for file in found["files"] if file["loaded"])
    uris = [path_to_uri(str(editor.home.workspace)), found["directory"]]
    assert [result["directory"] for result in editor.call("pi/rules", {"uris": uris})["results"]] == uris


def test_R3_a_rule_file_below_the_working_directory_is_told_as_such(editor: Editor) -> None:
    files = editor.call("pi/rules/all")["files"]
    nested = next(file for file in files if file["uri"].endswith("/api/AGENTS.md"))
    assert nested["reason"] == "belowCwd" and nested["scope"] == "nested" and not nested["loaded"]
    assert nested["appliesTo"] == path_to_uri(str(editor.home.workspace / "api"))
    assert not nested["inSession"]


def test_skills(editor: Editor) -> None:
    assert [(skill["name"], skill["scope"], skill["listed"]) for skill in editor.call("pi/skills")["skills"]] == [
        ("review", "user", True)
    ]


def test_session_list_and_pages(editor: Editor) -> None:
    found = editor.call("pi/session/list", {"query": "harbour"})
    assert [session["current"] for session in found["sessions"]] == [True]
    assert found["sessions"][0]["firstMessage"] == "Fix the harbour bug"
    assert editor.call("pi/session/list", {"query": "nobody said this"})["sessions"] == []
    assert len(editor.call("pi/session/list", {"all": True})["sessions"]) == 1


def test_entries_as_stored_in_pages(editor: Editor) -> None:
    first = editor.call("pi/session/entries", {"limit": 4})
    rest = editor.call("pi/session/entries", {"after": first["next"]})
    assert [stored["id"] for stored in first["entries"] + rest["entries"]] == ["e1", "e2", "e3", "e4", "b1", "b2"]
    last = editor.call("pi/session/entries", {"newest": True, "limit": 4})
    before = editor.call("pi/session/entries", {"before": last["next"]})
    assert before["entries"] + last["entries"] == first["entries"] + rest["entries"]
    assert "next" not in before
    assert "after" in misfit(editor, "pi/session/entries", {"after": "e1", "before": "b2"})
    on_path = editor.call("pi/session/entries", {"onPath": True})["entries"]
    assert [stored["id"] for stored in on_path] == ["e1", "e2", "e3", "e4", "b2"]
    assert (
        editor.call("pi/session/entries", {"ids": ["b1"]})["entries"][0]["message"]["content"][0]["text"]
        == "Another branch"
    )


def test_tree(editor: Editor) -> None:
    found = editor.call("pi/tree")
    assert found["roots"] == ["e1"] and found["leafId"] == "b2"
    assert {node["id"] for node in found["nodes"] if node["onPath"]} == {"e1", "e2", "e3", "e4", "b2"}
    assert [node["id"] for node in editor.call("pi/tree", {"filter": "userOnly"})["nodes"]] == ["e1", "e3", "b2", "b1"]
    assert editor.call("pi/tree", {"limit": 2})["more"] is True
    assert [node["id"] for node in editor.call("pi/tree", {"query": "another"})["nodes"]] == ["b1"]
    outline = editor.call("pi/tree", {"outline": True, "limit": 5})
    assert [node["id"] for node in outline["nodes"]] == ["b1", "e2", "e3", "e4", "b2"] and outline["more"] is True
    assert [node.get("branch") for node in outline["nodes"]] == [1, None, None, None, None]


def test_context(editor: Editor) -> None:
    found = editor.call("pi/context", {"full": True})
    assert [message["entryId"] for message in found["messages"]] == ["e1", "e2", "e3", "e4", "b2"]
    assert any(section.get("uri", "").endswith("/work/AGENTS.md") for section in found["sections"])
    assert found["request"]["messages"][-1]["role"] == "user"
    assert "request" not in editor.call("pi/context", {"leafId": "e2"})


def test_explain(editor: Editor) -> None:
    hits = editor.call("pi/explain", {"query": "Another branch"})["hits"]
    assert [(hit["entryId"], hit["fate"], hit["stage"]) for hit in hits] == [("b1", "absent", "path")]
    assert editor.call("pi/explain", {"entryId": "b2"})["hits"][0]["fate"] == "sent"
    shadow = editor.call("pi/explain", {"query": "Shadow"})["hits"][0]
    assert shadow["fate"] == "absent" and shadow["stage"] == "rule" and shadow["uri"].endswith("CLAUDE.md")


def test_compact_preview_writes_nothing(editor: Editor) -> None:
    path = editor.home.sessions / "a.jsonl"
    before = path.read_bytes()
    assert reason(editor, "pi/compact/preview", {}) == "nothingToCompact"
    preview = editor.call("pi/compact/preview", {"keepRecentTokens": 5})
    assert preview["firstKeptEntryId"] and preview["summarized"]
    assert "harbour" in preview["localSummary"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", ["visual-studio-code", "neovim@0.11.0", "neovim@0.6.1"])
def test_every_method_answers_under_the_capabilities_of_editors(start: Any, home: Home, client: str) -> None:
    write(home.workspace, {"AGENTS.md": "# R\n"})
    editor = start()
    editor.initialize(bundled(client), pi=None)
    methods = ("pi/state", "pi/rules", "pi/rules/all", "pi/skills", "pi/session/list", "pi/session/entries")
    for method in (*methods, "pi/tree", "pi/context", "pi/session/new"):
        assert editor.call(method)
    assert editor.call("pi/explain", {"query": "R"})["hits"]
    assert editor.call("pi/trust/set", {"trusted": True}) == {"trusted": True}
    assert reason(editor, "pi/session/open", {"id": "x"}) == "notFound"
    assert reason(editor, "pi/compact/preview", {}) == "nothingToCompact"
