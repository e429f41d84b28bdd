"""One look at the files and the buffers of a window, for a step that needs several things from them."""

from functools import cached_property

from pi_lsp.agent.prompt_parts import prompt_parts
from pi_lsp.agent.workspace import Trust, Workspace
from pi_lsp.context.prompt import PromptParts
from pi_lsp.resources.settings import Settings


class Snapshot:
    """What stands there now, each part read once, at first need. The next step looks anew."""

    def __init__(self, workspace: Workspace, cwd: str | None) -> None:
        """`cwd` is the working directory; None where the window has none."""
        self._workspace = workspace
        self._cwd = cwd
        self._place = cwd or workspace.agent_dir

    @cached_property
    def trust(self) -> Trust:
        """Whether the working directory is trusted; a window without a folder has nothing to distrust."""
        return self._workspace.trust(self._cwd) if self._cwd else Trust(trusted=True, by_user=True)

    @cached_property
    def settings(self) -> Settings:
        """The settings in force."""
        trust = self.trust
        return self._workspace.settings(self._place, trusted=trust.trusted, by_user=trust.by_user)

    @property
    def problems(self) -> list[str]:
        """What of the settings and of the user's trust is not used, a sentence for each thing."""
        files = (layer.file.error for layer in self.settings.layers if layer.file)
        found = [*filter(None, files), *self.settings.problems]
        return [*(problem.message for problem in found), *filter(None, [self.trust.problem])]

    @cached_property
    def parts(self) -> PromptParts:
        """What a system prompt is made of, but for the sections of hooks."""
        return prompt_parts(self._workspace, self._place, trusted=self.trust.trusted)
