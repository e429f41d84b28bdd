"""The skills that a session has: those of all places, in the order of Pi's command line."""

from collections.abc import Iterable

from pi_lsp.base.files import Files
from pi_lsp.base.paths import FileUrlError, resolve
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.places import Places, find_resources
from pi_lsp.resources.resource import Source, local_source, skipped_file
from pi_lsp.resources.skills import SkillCollector, SkillSet, project_skills_dir, scope_of, user_skills_dir


def find_skills(files: Files, places: Places, named: Iterable[str] = (), *, only_named: bool = False) -> SkillSet:
    """Find and read the skills of all places, then those of named paths (as arguments name them, relative to `cwd`).

    Every file that is no skill of the session is in `skipped`, with the reason.
    """
    collector = SkillCollector(files)
    sources: dict[str, Source] = {}
    seen: set[str] = set()
    for resource in find_resources(files, places, "skills", collector.note):
        path = resource.file.path
        if resource.state in ("enabled", "excluded"):
            sources[path] = resource.source
        if only_named:
            continue
        if resource.state != "enabled":
            collector.skip(skipped_file(path, resource.state))
        elif path.endswith(".md"):
            seen.add(resource.file.real)
            collector.add(resource.file, resource.source)
        else:
            collector.warn("skill path is not a markdown file", path)

    user, project = user_skills_dir(places.agent_dir), project_skills_dir(places.cwd)
    for given in named:
        try:
            path = resolve(given.strip(JS_SPACE), places.cwd, home=places.home)
        except FileUrlError as error:
            collector.warn(str(error), given)
            continue
        real = files.realpath(path)
        if real not in seen:
            seen.add(real)
            by_scope = local_source(scope_of(path, user, project))
            collector.add_path(path, lambda found, by_scope=by_scope: sources.get(found) or by_scope(found))
    return collector.done()
