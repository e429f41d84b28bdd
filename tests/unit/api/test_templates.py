"""`pi/templates`: what `/` completes to."""

from pathlib import Path

from pi_lsp.agent.prompting import expand
from pi_lsp.api.templates import TemplateFile, Templates, templates
from pi_lsp.base.paths import path_to_uri
from tests.support.editor import write
from tests.support.windows import Place

FIX = "---\ndescription: Fixes\nargument-hint: <bug>\n---\nFix $1."


def settle(root: Path) -> Place:
    place = Place(root, sample=False)
    write(
        place.agent, {"prompts/fix.md": FIX, "prompts/plan.md": "Plan it.\n", "settings.json": '{"prompts": ["more"]}'}
    )
    write(place.agent, {"more/plan.md": "Plan more.", "more/ship.md": "", "prompts/broken.md": "---\na: b: c\n---\n"})
    write(place.workspace, {".pi/prompts/fix.md": "Fix ours.\n", ".pi/prompts/own.md": "Ours.\n"})
    return place


async def found(place: Place, *, trusted: bool) -> Templates:
    async with place.window(trusted=trusted) as window:
        listed = await templates(window, None)
        for one in listed.templates:  # what is listed is what is called
            assert expand(window, f"/{one.name} x") != f"/{one.name} x"
        return listed


async def test_templates_in_their_order_with_who_brings_them(tmp_path: Path) -> None:
    place = settle(tmp_path)
    listed = await found(place, trusted=True)
    assert [(one.name, one.description, one.scope) for one in listed.templates] == [
        ("fix", "Fix ours.", "project"),
        ("own", "Ours.", "project"),
        ("plan", "Plan more.", "settings"),
        ("ship", None, "settings"),
    ]
    assert listed.templates[0].uri == path_to_uri(str(place.workspace / ".pi/prompts/fix.md"))
    reasons = {Path(file).name: why for file, _, why in (line.partition(": ") for line in listed.problems)}
    assert reasons["fix.md"].startswith("another template has this name")
    assert reasons["plan.md"].startswith("another template has this name")
    assert reasons["broken.md"].startswith("its frontmatter cannot be read")


async def test_those_of_an_untrusted_project_are_told_and_not_offered(tmp_path: Path) -> None:
    place = settle(tmp_path)
    listed = await found(place, trusted=False)
    uri = path_to_uri(str(place.agent / "prompts/fix.md"))
    fix = TemplateFile(name="fix", description="Fixes", argument_hint="<bug>", uri=uri, scope="user")
    assert fix in listed.templates
    assert not any(one.scope == "project" for one in listed.templates)
    untrusted = [line for line in listed.problems if line.endswith("its project is not trusted")]
    assert len(untrusted) == 2
