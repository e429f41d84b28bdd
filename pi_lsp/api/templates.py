"""`pi/templates`: the prompt templates that `/name arguments` calls, for a client that completes them."""

import asyncio

from pi_lsp.agent.window import Window
from pi_lsp.api.skills import ResourceScope, reason_text, scope_of
from pi_lsp.base.paths import path_to_uri
from pi_lsp.base.wire import Wire
from pi_lsp.resources.templates import Template


class TemplateFile(Wire, frozen=True, kw_only=True):
    """A template: `/name` and its arguments become its text. `argument_hint` says in words what they are."""

    name: str
    description: str | None = None
    argument_hint: str | None = None
    uri: str
    scope: ResourceScope


class Templates(Wire, frozen=True, kw_only=True):
    """The templates that can be called, in order of precedence.

    `problems`: which files are none, and what was not looked at, each with the reason.
    """

    templates: list[TemplateFile]
    problems: tuple[str, ...] = ()


async def templates(window: Window, _params: object) -> Templates:
    """The templates of the working directory; those of one that is not trusted are not among them."""
    await window.ready()
    found = await asyncio.to_thread(window.workspace.templates, window.place, trusted=window.trust().trusted)
    return Templates(
        templates=[_template(template) for template in found.templates],
        problems=(
            *found.problems,
            *(f"{skipped.path}: {reason_text(skipped, 'template')}" for skipped in found.skipped),
        ),
    )


def _template(template: Template) -> TemplateFile:
    return TemplateFile(
        name=template.name,
        description=template.description or None,
        argument_hint=template.argument_hint,
        uri=path_to_uri(template.file_path),
        scope=scope_of(template.source),
    )
