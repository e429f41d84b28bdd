"""Skills of one folder and of Pi's three places: what is found, what wins, and why the rest does not count."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.files import Disk, Overlay
from pi_lsp.resources.resource import local_source
from pi_lsp.resources.skill_check import Finding, check_skill
from pi_lsp.resources.skills import SkillSet, load_folder, load_skills, validate_name

GOOD = "---\nname: {name}\ndescription: Does {name}.\n---\nBody.\n"


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def skill(name: str) -> str:
    return GOOD.format(name=name)


def load(root: Path, *paths: str) -> SkillSet:
    return load_skills(Disk(), cwd=str(root / "p"), agent_dir=str(root / "agent"), skill_paths=paths)


def names(loaded: SkillSet) -> list[str]:
    return [each.name for each in loaded.skills]


def reasons(loaded: SkillSet) -> dict[str, str]:
    return {each.name: each.reason for each in loaded.skipped}


def test_user_before_project_before_named(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/u/SKILL.md": skill("u"), "p/.pi/skills/a/SKILL.md": skill("a")})
    write(tmp_path, {"p/more/m/SKILL.md": skill("m")})
    loaded = load(tmp_path, " more ")
    assert names(loaded) == ["u", "a", "m"]
    assert [each.source.scope for each in loaded.skills] == ["user", "project", "temporary"]


def test_R10_collision_names_both_and_marks_the_winner(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/one/SKILL.md": skill("same"), "p/.pi/skills/two/SKILL.md": skill("same")})
    loaded = load(tmp_path)
    winner, loser = str(tmp_path / "agent/skills/one/SKILL.md"), str(tmp_path / "p/.pi/skills/two/SKILL.md")
    assert [each.file_path for each in loaded.skills] == [winner]
    (found,) = loaded.diagnostics
    assert found.collision is not None
    assert (found.collision.winner_path, found.collision.loser_path, found.path) == (winner, loser, loser)
    (skipped,) = loaded.skipped
    assert (skipped.path, skipped.reason, skipped.by) == (loser, "shadowed", winner)


def test_every_file_that_is_no_skill_has_its_reason(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "agent/skills/.gitignore": "hidden/\n",
            "agent/skills/good/SKILL.md": skill("good"),
            "agent/skills/hidden/SKILL.md": skill("hidden"),
            "agent/skills/broken/SKILL.md": "---\nname: broken\ndescription: a: b\n---\n",
            "agent/skills/bare/SKILL.md": "# no frontmatter\n",
            "agent/skills/wide/SKILL.md": "---\nname: wide\ndescription: d\n---\n".encode("utf-16"),
            "agent/skills/README.md": "# about these skills\n",
        },
    )
    os.symlink(tmp_path / "agent/skills/good", tmp_path / "agent/skills/zlink")
    loaded = load(tmp_path)
    assert names(loaded) == ["good"]
    assert reasons(loaded) == {
        "hidden": "ignored",
        "broken": "invalid",
        "bare": "noDescription",
        "wide": "unreadable",
        "README": "noDescription",
        "good": "duplicate",
    }
    broken = next(each for each in loaded.skipped if each.name == "broken")
    assert broken.line == 3
    # Of a loose Markdown file that is no skill, nothing is reported.
    assert not any(each.path.endswith("README.md") for each in loaded.diagnostics)


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/x/SKILL.md": skill("x"), "agent/skills/y/SKILL.md": skill("y")})

    class Refusing(Disk):
        def read(self, path: str) -> bytes:
            if "/x/" in path:
                raise PermissionError(13, "Permission denied", path)
            return super().read(path)

    loaded = load_skills(Refusing(), cwd=str(tmp_path), agent_dir=str(tmp_path / "agent"))
    assert names(loaded) == ["y"]
    assert reasons(loaded) == {"x": "unreadable"}
    assert "Permission denied" in loaded.diagnostics[0].message


def test_open_buffer_counts_before_the_file_is_saved(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/x/SKILL.md": skill("old")})
    path = str(tmp_path / "agent/skills/x/SKILL.md")
    files = Overlay(Disk(), {path: skill("new")})
    assert names(load_skills(files, cwd=str(tmp_path / "p"), agent_dir=str(tmp_path / "agent"))) == ["new"]


def test_links_that_lead_back_up_end(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/m/SKILL.md": skill("m"), "agent/skills/sub/z/SKILL.md": skill("z")})
    for link, target in (("a", "."), ("sub/b", ".."), ("sub/c", "."), ("sub/d", "../sub"), ("self", "self")):
        os.symlink(target, tmp_path / "agent/skills" / link)
    loaded = load(tmp_path)
    assert sorted(names(loaded)) == ["m", "z"]
    assert loaded.diagnostics == ()


def test_links_among_each_other_end(tmp_path: Path) -> None:
    root = tmp_path / "agent/skills"
    write(root, {f"{name}/{name}/SKILL.md": skill(name) for name in "abcdefghij"})
    for one in "abcdefghij":
        for other in "abcdefghij":
            os.symlink(f"../{other}", root / one / f"to-{other}")
    assert sorted(names(load(tmp_path))) == list("abcdefghij")


def test_linked_folder_is_searched_under_its_own_path(tmp_path: Path) -> None:
    write(tmp_path, {"ext/pdf/SKILL.md": skill("pdf"), "agent/skills/keep/SKILL.md": skill("keep")})
    os.symlink(tmp_path / "ext", tmp_path / "agent/skills/linked")
    assert [each.file_path for each in load(tmp_path).skills][1] == str(tmp_path / "agent/skills/linked/pdf/SKILL.md")


def test_deep_tree_needs_no_recursion(tmp_path: Path) -> None:
    deep = tmp_path / "agent/skills"
    for _ in range(400):
        deep /= "d"
    write(deep, {"SKILL.md": skill("deep")})
    assert names(load(tmp_path)) == ["deep"]


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [
        ("A\n", {"a"}),
        ("[ab]\n", {"a", "b"}),
        ("*\n!b/\n!b/SKILL.md\n", {"a", "c"}),
        ("/a\r\nc/\r\n", {"a", "c"}),
        ("# a\n\\#b\n", set[str]()),
        ("**/SKILL.md\n!a/SKILL.md\n", {"b", "c"}),
        ("a*a*a*a*b\n", set[str]()),
        ("[\n\\\n!\n", set[str]()),
    ],
)
def test_ignore_rules(tmp_path: Path, rules: str, hidden: set[str]) -> None:
    write(tmp_path, {f"agent/skills/{name}/SKILL.md": skill(name) for name in "abc"})
    write(tmp_path, {"agent/skills/.fdignore": rules})
    assert {"a", "b", "c"} - set(names(load(tmp_path))) == hidden


def test_ignore_rules_of_a_lower_folder_are_anchored_there(tmp_path: Path) -> None:
    write(tmp_path, {f"agent/skills/g/{name}/SKILL.md": skill(name.replace("/", "-")) for name in ("x", "y/x")})
    write(tmp_path, {"agent/skills/h/x/SKILL.md": skill("hx"), "agent/skills/g/.gitignore": "x\n"})
    assert names(load(tmp_path)) == ["y-x", "hx"]


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [
        ("[z-a]\n", set[str]()), ("[c-a]\n", {"c"}), ("[[:alpha:]]\n!c\n", {"a", "b"}), ("[[:UPPER:]]\n", set[str]()),
        ("[[:upper:]]\n", {"a", "b", "c"}), ("[\\a]\n", {"a"}), ("[a\n", set[str]()), ("[]ab]\n", {"a", "b"}),
        ("\ufeffa\n", {"a"}), ("\ufeff!a\n", set[str]()),
    ],
)  # fmt: skip
def test_brackets_in_ignore_rules(tmp_path: Path, rules: str, hidden: set[str]) -> None:
    test_ignore_rules(tmp_path, rules, hidden)


def test_a_folder_is_a_part_of_its_patterns(tmp_path: Path) -> None:
    for folder in ("[a]", "!b", "#c", "d"):
        write(tmp_path, {f"agent/skills/{folder}/x/SKILL.md": skill(f"x{folder[-2:-1]}")})
        write(tmp_path, {f"agent/skills/{folder}/.gitignore": "x\n"})
    write(tmp_path, {"agent/skills/e/x/SKILL.md": skill("xe"), "agent/skills/e/.gitignore": "\ufeffx\n"})
    assert names(load(tmp_path)) == ["x!", "x#", "xa", "xe"]


def test_folders_are_given_in_any_way(tmp_path: Path) -> None:
    write(tmp_path, {"p/.pi/skills/a/SKILL.md": skill("a"), "agent/skills/b/SKILL.md": skill("b")})
    loaded = load_skills(Disk(), cwd="~/x/../p/", agent_dir="~/agent/.", home=str(tmp_path))
    assert [each.base_dir for each in loaded.skills] == [f"{tmp_path}/agent/skills/b", f"{tmp_path}/p/.pi/skills/a"]
    folder = load_folder(Disk(), f"{tmp_path}/p/../agent/./skills", local_source("user"))
    assert [each.base_dir for each in folder.skills] == [f"{tmp_path}/agent/skills/b"]


def test_many_stars_do_not_hang(tmp_path: Path) -> None:
    write(tmp_path, {f"agent/skills/{'a' * 200}/SKILL.md": skill("a")})
    write(tmp_path, {"agent/skills/.gitignore": "*a*a*a*a*a*a*a*a*b\n" + "**/a/" * 30 + "b\n"})
    assert names(load(tmp_path)) == ["a"]


def test_wrong_paths_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"p/a.txt": "x", "p/b.md": skill("b")})
    loaded = load(tmp_path, "a.txt", "none", "b.md", "file://far/b.md", "\0")
    assert names(loaded) == ["b"]
    assert [each.message for each in loaded.diagnostics][:2] == [
        "skill path is not a markdown file",
        "skill path does not exist",
    ]
    assert len(loaded.diagnostics) == 4


def test_one_folder_gives_both_of_one_name(tmp_path: Path) -> None:
    write(tmp_path, {"s/a/SKILL.md": skill("same"), "s/b/SKILL.md": skill("same")})
    loaded = load_folder(Disk(), str(tmp_path / "s"), local_source("temporary", "npm:pkg"))
    assert names(loaded) == ["same", "same"]
    assert {each.source.source for each in loaded.skills} == {"npm:pkg"}


@given(st.text(max_size=80))
def test_valid_names_are_the_format_s(name: str) -> None:
    parts = name.split("-")
    valid = all(part.isascii() and part.isalnum() and part == part.lower() for part in parts) and len(name) <= 64
    assert (validate_name(name) == []) == valid


def check(text: str | bytes, path: str = "/s/pdf/SKILL.md") -> list[Finding]:
    return check_skill(path, text if isinstance(text, bytes) else text.encode())


def test_R9_name_differs_from_the_folder() -> None:
    (found,) = check(skill("other"))
    assert (found.severity, found.code, found.line) == ("information", "nameDiffers", 2)
    assert check(skill("pdf")) == []


def test_R9_missing_description_is_an_error() -> None:
    (found,) = check("---\nname: pdf\n---\n")
    assert (found.severity, found.code) == ("error", "noDescription")
    (found,) = check("---\nname: pdf\nx: y\ndescription: 5\n---\n")
    assert (found.code, found.line) == ("noDescription", 4)


def test_R6_other_encodings_are_reported_with_the_byte() -> None:
    latin = check("---\nname: pdf\ndescription: d\n---\nCaf\xe9\n".encode("latin-1"))
    assert [(each.code, each.line) for each in latin] == [("encoding", 5)]
    assert "byte 36" in latin[0].message
    wide = check(skill("pdf").encode("utf-16"))
    assert [each.code for each in wide] == ["encoding", "noDescription"]


def test_check_names_the_line_of_broken_yaml() -> None:
    (found,) = check("---\nname: pdf\ndescription: a: b\n---\n")
    assert (found.severity, found.code, found.line) == ("error", "yaml", 3)


@pytest.mark.parametrize("text", ["# notes\n", "---\na: b: c\n---\n", "---\nname: x\n---\n"])
def test_other_markdown_need_not_be_a_skill(text: str) -> None:
    assert check(text, "/s/notes.md") == []


def test_check_warns_of_what_the_format_forbids() -> None:
    found = check(f"---\nname: Bad--\ndescription: {'d' * 1025}\n---\n", "/s/Bad--/SKILL.md")
    assert [(each.severity, each.code, each.line) for each in found] == [
        ("warning", "description", 3),
        *[("warning", "name", 2)] * 3,
    ]
