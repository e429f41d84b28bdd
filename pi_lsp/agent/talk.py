"""What a window has for talking to models, beside its session: whom to ask, hooks, what was sent before."""

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from pi_lsp.agent.events import Emit, HookFailed
from pi_lsp.agent.hook_loading import HookLoader, folders_of_hooks
from pi_lsp.agent.hooked import Hooked
from pi_lsp.agent.hooks import Hooks
from pi_lsp.agent.speaking import Speaking
from pi_lsp.agent.view import Outlook
from pi_lsp.agent.workspace import Workspace
from pi_lsp.context.prompt import PromptParts, SectionNameError, build_sections
from pi_lsp.resources.settings import Settings


class Talk:
    """The half of a window that speaks. Its parts are changed by the event loop and read by any thread."""

    def __init__(self, workspace: Workspace, settings: Callable[[], Settings], emit: Emit) -> None:
        """Nothing is read or loaded before it is asked for."""
        self.speaking = Speaking(workspace.files, workspace.agent_dir, settings)
        self.hooks = Hooks(emit)
        self.sections: Mapping[str, str] = {}
        """Sections of the system prompt that hooks have added; an empty one takes a stored one out."""
        self.hooked: tuple[str, Hooked] | None = None
        """The session of the last request, and what hooks made of it."""
        self.thought_behind: dict[str, bytes] = {}
        """The digest of what was sent before each answer, by the id of its entry (`replay`)."""
        self.offered: set[tuple[str, str]] = set()
        """The rule files that were offered (`nested_rules`): the session's id and the path of each."""
        self._workspace = workspace
        self._emit = emit
        self._loader = HookLoader()

    async def load_hooks(self, cwd: str | None, settings: Settings, *, trusted: bool) -> None:
        """Use the hooks that there are now. The user's setting `hooks: false` turns all of them off."""
        if settings.values.get("hooks") is False:
            self.hooks.use(())
            return
        folders = folders_of_hooks(self._workspace.agent_dir, cwd, trusted=trusted)
        if self._loader.has_none(self._workspace.files, folders):  # mostly so, and a thread would take longer
            self.hooks.use(())
            return
        loaded = await asyncio.to_thread(self._loader.load, self._workspace.files, folders)
        for problem in loaded.problems:
            self._emit(HookFailed(plugin=problem.plugin, error=problem.error))
        self.hooks.use(loaded.implementations)

    async def ask_sections(self, cwd: str, parts_now: Callable[[], PromptParts]) -> None:
        """Ask the hooks for their sections of the system prompt; `parts_now` reads what the others are made of."""
        if not self.sections and not self.hooks.any_of("system_prompt_sections"):
            return
        parts = await asyncio.to_thread(parts_now)
        sections: dict[str, str] = dict.fromkeys(self.sections, "")
        others = build_sections(msgspec.structs.replace(parts, sections={}))
        for hook in self.hooks.of("system_prompt_sections"):
            answer = await hook.ask(cwd=cwd, sections=others)
            if answer is None:
                continue
            try:
                given = msgspec.convert(answer, dict[str, str | None], strict=True)
                own = {name: text or "" for name, text in given.items()}
                build_sections(msgspec.structs.replace(parts, sections=own))
            except (msgspec.ValidationError, SectionNameError) as error:
                hook.complain(f"its sections do not fit: {error}")
                continue
            sections |= own
        self.sections = sections

    def outlook(self, session_id: str, settings: Settings, *, with_hooks: bool = True) -> Outlook:
        """What the next request of a session depends on; without hooks: before they have had their say."""
        choice = self.speaking.choice(session_id)
        hooked = self.hooked[1] if with_hooks and self.hooked and self.hooked[0] == session_id else None
        return Outlook(
            find=self.speaking.find,
            level=choice.level,
            default_level=settings.default_thinking_level,
            hooked=hooked,
            thought_behind=self.thought_behind,
        )
