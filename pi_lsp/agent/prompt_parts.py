"""What the next system prompt is made of, as it stands on disk and in the buffers now."""

from pi_lsp.agent.workspace import Workspace
from pi_lsp.context.prompt import PromptParts, ToolSet
from pi_lsp.context.skills_prompt import format_skills


def prompt_parts(workspace: Workspace, cwd: str, *, trusted: bool) -> PromptParts:
    """Read the rules, the skills and the prompt files of a working directory."""
    files = workspace.prompt_files(cwd, trusted=trusted)
    tools = ToolSet()
    reader = tools.skill_reader
    skills = format_skills(workspace.skills(cwd, trusted=trusted).skills, reader) if reader else ""
    return PromptParts(
        cwd=cwd,
        tools=tools,
        custom=files.system_prompt or "",
        addendum="\n\n".join(files.append),
        context_files=files.context_files,
        skills=skills,
    )
