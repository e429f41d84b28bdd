"""All places of skills and templates, in the order of Pi's command line."""

from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.base.json import JsonObject, encode
from pi_lsp.resources.all_skills import find_skills
from pi_lsp.resources.places import Places
from pi_lsp.resources.scan import MAX_FOLDERS
from pi_lsp.resources.skills import SkillSet
from pi_lsp.resources.templates import find_templates
from tests.unit.resources.test_skills import names, reasons, skill, write


def find(
    root: Path, *named: str, user: JsonObject | None = None, project: JsonObject | None = None, **more: bool
) -> SkillSet:
    return find_skills(Disk(), places(root, user, project, trusted=more.pop("trusted", True)), named, **more)


def places(root: Path, user: JsonObject | None, project: JsonObject | None, *, trusted: bool = True) -> Places:
    return Places(
        cwd=str(root / "repo/p"),
        agent_dir=str(root / "agent"),
        home=str(root / "home"),
        trusted=trusted,
        user_settings=user or {},
        project_settings=project or {},
    )


def fill(root: Path) -> None:
    """One skill in every place, named for it."""
    where = {
        "project-setting": "repo/p/.pi/extra",
        "project": "repo/p/.pi/skills",
        "project-agents": "repo/p/.agents/skills",
        "repo-agents": "repo/.agents/skills",
        "beyond": ".agents/skills",
        "user-setting": "agent/extra",
        "user": "agent/skills",
        "user-agents": "home/.agents/skills",
        "package": "agent/npm/node_modules/@s/pkg/skills",
        "named": "repo/p/named",
    }
    write(root, {f"{folder}/{name}/SKILL.md": skill(name) for name, folder in where.items()})
    write(root, {"repo/.git/HEAD": "ref: x\n"})


USER: JsonObject = {"skills": ["extra"], "packages": ["npm:@s/pkg@1.0.0"]}
PROJECT: JsonObject = {"skills": ["./extra"]}
ORDER = [
    "project-setting",
    "project",
    "project-agents",
    "repo-agents",
    "user-setting",
    "user",
    "user-agents",
    "package",
]


def test_order_of_places(tmp_path: Path) -> None:
    fill(tmp_path)
    loaded = find(tmp_path, "named", user=USER, project=PROJECT)
    assert names(loaded) == [*ORDER, "named"]
    assert [each.source.source for each in loaded.skills] == [
        *("local", "auto", "auto", "auto", "local", "auto", "auto", "npm:@s/pkg@1.0.0", "local")
    ]
    assert loaded.skipped == ()


def test_R10_the_project_wins_over_the_user(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/u/SKILL.md": skill("same"), "repo/p/.pi/skills/p/SKILL.md": skill("same")})
    loaded = find(tmp_path)
    assert [each.source.scope for each in loaded.skills] == ["project"]
    assert reasons(loaded) == {"same": "shadowed"}


def test_nothing_of_an_untrusted_project_counts(tmp_path: Path) -> None:
    fill(tmp_path)
    loaded = find(tmp_path, user=USER, project=PROJECT, trusted=False)
    assert names(loaded) == ["user-setting", "user", "user-agents", "package"]
    assert reasons(loaded) == dict.fromkeys(["project", "project-agents", "repo-agents"], "untrusted")


def test_only_named(tmp_path: Path) -> None:
    fill(tmp_path)
    assert names(find(tmp_path, "named", user=USER, only_named=True)) == ["named"]


def test_named_skill_keeps_the_place_it_has(tmp_path: Path) -> None:
    fill(tmp_path)
    user: JsonObject = {"skills": ["!skills/**"]}
    (found,) = find(tmp_path, str(tmp_path / "agent/skills/user"), user=user, only_named=True).skills
    assert (found.source.source, found.source.scope) == ("auto", "user")


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["!skills/b*"], ["a", "c"]),
        (["!b"], ["a", "c"]),
        (["!**/SKILL.md", "+skills/b"], ["b"]),
        (["!skills/{a,b}", "+skills/b/SKILL.md", "-skills/b"], ["c"]),
        (["-b"], ["a", "b", "c"]),
        (["-./skills/b"], ["a", "c"]),
        (["!"], ["a", "b", "c"]),
        (["!skills/[!b]"], ["b"]),
        (["!" + "{a,b}" * 40], ["a", "b", "c"]),
        (["!" + "*a" * 60 + "*c"], ["a", "b", "c"]),
    ],
)
def test_patterns_of_settings(tmp_path: Path, patterns: list[str], left: list[str]) -> None:
    write(tmp_path, {f"agent/skills/{name}/SKILL.md": skill(name) for name in "abc"})
    loaded = find(tmp_path, user={"skills": list(patterns)})
    assert names(loaded) == left
    assert set(reasons(loaded).values()) <= {"excluded"}
    assert len(loaded.skills) + len(loaded.skipped) == 3


def test_wrong_types_in_settings_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"agent/skills/a/SKILL.md": skill("a")})
    for value in ("skills", 5, None, {"a": 1}, [None, 1, {}, "file://far/x", "\0"]):
        assert names(find(tmp_path, user={"skills": value, "packages": value})) == ["a"]


@pytest.mark.parametrize(
    ("manifest", "filter_", "left"),
    [
        (None, None, ["a", "b"]),
        ({"skills": ["./skills/a"]}, None, ["a"]),
        ({"skills": ["skills/*", "!skills/a"]}, None, ["b"]),
        ({"extensions": []}, None, []),
        (None, {"skills": []}, []),
        (None, {"skills": ["!skills/a"]}, ["b"]),
        (None, {"skills": ["skills/a"]}, ["a"]),
        (None, {"autoload": False, "skills": ["+skills/b"]}, ["b"]),
        (None, {"prompts": []}, ["a", "b"]),
    ],
)
def test_packages(tmp_path: Path, manifest: JsonObject | None, filter_: JsonObject | None, left: list[str]) -> None:
    write(tmp_path, {f"agent/pkg/skills/{name}/SKILL.md": skill(name) for name in "ab"})
    if manifest is not None:
        write(tmp_path, {"agent/pkg/package.json": encode({"pi": manifest})})
    entry = "pkg" if filter_ is None else {"source": "pkg", **filter_}
    assert names(find(tmp_path, user={"packages": [entry]})) == left


@pytest.mark.parametrize("source", ["npm:../../x", "git:../../x/y", "npm:", "git:", "", "git:host", "npm:\0"])
def test_no_package_leads_out_of_its_folder(tmp_path: Path, source: str) -> None:
    write(tmp_path, {"x/skills/a/SKILL.md": skill("a"), "agent/x/skills/a/SKILL.md": skill("a")})
    assert names(find(tmp_path, user={"packages": [source]})) == []


@pytest.mark.parametrize(
    "source", ["git:github.com/u/r", "https://github.com/u/r.git", "git:git@github.com:u/r@v1", "git:u/r"]
)
def test_installed_git_packages(tmp_path: Path, source: str) -> None:
    write(tmp_path, {"agent/git/github.com/u/r/skills/a/SKILL.md": skill("a")})
    assert names(find(tmp_path, user={"packages": [source]})) == ["a"]


def test_templates_of_all_places(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "agent/prompts/review.md": "user",
            "agent/prompts/sub/no.md": "no",
            "agent/prompts/mine.md": "mine",
            "repo/p/.pi/prompts/review.md": "project",
            "repo/p/.pi/prompts/broken.md": "---\na: [\n---\n",
            "repo/p/.pi/shared/deep/er.md": "deep",
            "repo/p/named.md": "named",
        },
    )
    found = find_templates(Disk(), places(tmp_path, None, {"prompts": ["shared"]}), ["named.md", "none.md"])
    assert [(each.name, each.content) for each in found.templates] == [
        ("er", "deep"),
        ("review", "project"),
        ("mine", "mine"),
        ("named", "named"),
    ]
    assert {each.name: each.reason for each in found.skipped} == {"broken": "invalid", "review": "shadowed"}
    untrusted = find_templates(Disk(), places(tmp_path, None, {"prompts": ["shared"]}, trusted=False))
    assert [each.name for each in untrusted.templates] == ["mine", "review"]


def test_what_a_limit_leaves_out_is_told(tmp_path: Path) -> None:
    many = tmp_path / "agent/skills"
    for n in range(MAX_FOLDERS + 5):
        (many / f"{n:05}").mkdir(parents=True)
    write(many, {"zzz/SKILL.md": skill("late")})
    ignored = {".gitignore": "*a*b*c*d*\n" + "x\n" * 2003}
    write(tmp_path / "repo/p/.pi/skills", {**ignored, "one/SKILL.md": skill("one")})
    found = find(tmp_path)
    assert names(found) == ["one"]
    assert found.problems == (
        f"{tmp_path / 'repo/p/.pi/skills'}: patterns of its ignore files are not used: "
        "1 with more than 3 stars in one part and 3 before the last 2000",
        f"{many}: it has more than {MAX_FOLDERS} folders; the others are not searched",
    )


def test_links_that_lead_to_each_other_are_followed_so_far_and_that_is_told(tmp_path: Path) -> None:
    root = tmp_path / "agent/skills"
    for name in "abcdef":
        write(root, {f"{name}/x.txt": ""})
    for name in "abcdef":
        for other in "abcdef":
            (root / name / f"to-{other}").symlink_to(root / other)
    found = find(tmp_path)
    assert len(found.problems) == 1
    assert f"{root}: links lead to folders again more than" in found.problems[0]


def test_limits_of_template_folders_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "repo/p/.pi/extra"
    write(folder, {"a.md": "A", ".ignore": "*a*b*c*d*\n"})
    found = find_templates(Disk(), places(tmp_path, None, {"prompts": ["extra"]}))
    assert [template.name for template in found.templates] == ["a"]
    assert [problem.partition(":")[0] for problem in found.problems] == [str(folder)]
