from pathlib import Path

from pi_lsp.api.rules import RuleFile
from pi_lsp.base.paths import path_to_uri
from pi_lsp.cli.demo_choice import Place, folders_with_rules, places_to_hover, questions
from tests.unit.cli.test_show_tree import node


def rule(name: str, **fields: object) -> RuleFile:
    base = {"uri": name, "scope": "nested", "loaded": False, "in_session": False, "tokens": 1, "bytes": 1, "lines": 1}
    return RuleFile(**{**base, **fields})  # pyright: ignore[reportArgumentType]


def test_the_first_places_are_paths_that_exist(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "日 x.py").touch()
    (tmp_path / "src" / "a.py").touch()
    rules = tmp_path / "AGENTS.md"
    rules.write_text("# 🎈 Rules\n\nSee src/none.py, 🎈 `src/a.py` and README.md.\n", "utf-8")
    places = list(places_to_hover([path_to_uri(str(rules))], str(tmp_path)))
    assert places == [Place(str(rules), 2, 21, "src/a.py"), Place(str(rules), 0, 0, "# 🎈 Rules")]


def test_files_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe")
    uris = ["untitled:x", path_to_uri(str(tmp_path / "missing.md")), path_to_uri(str(tmp_path / "binary.md"))]
    assert list(places_to_hover(uris, str(tmp_path))) == []


def test_folders_are_those_below_with_rules_each_once() -> None:
    files = [
        rule("file:///w/AGENTS.md", scope="directory", applies_to="file:///w"),
        rule("file:///w/a/AGENTS.md", applies_to="file:///w/a"),
        rule("file:///w/a/CLAUDE.md", applies_to="file:///w/a"),
        rule("file:///w/b/AGENTS.md", applies_to="file:///w/b"),
    ]
    assert folders_with_rules(files) == ["file:///w/a", "file:///w/b"]


def test_what_is_asked_is_what_may_be_missing() -> None:
    nodes = [node("1", None, on_path=True), node("2", "1", on_path=True), node("x", "1"), node("y", "x")]
    asked = questions(nodes, [rule("a", loaded=True, title="Told"), rule("b", title="Untold")])
    assert [(question.entry_id, question.query) for question in asked] == [("1", None), ("y", None), (None, "Untold")]
    assert questions([], []) == []
