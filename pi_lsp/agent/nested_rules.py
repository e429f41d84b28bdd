"""Rule files below the working directory, which Pi loads never and we where the user wants them.

When the user shows the model a file, the rules of its folder come up: by the setting `rules.nested` they are offered
(each file once in a session), loaded before the prompt (`onTouch`), or left alone (`off`). A loaded one is a message
of the session, so Pi sees it too and the requests before stay as they were.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import RulesOffered
from pi_lsp.agent.requesting import view_of
from pi_lsp.agent.session_rules import RULES_MESSAGE, SessionRules
from pi_lsp.agent.window import Window
from pi_lsp.agent.workspace import Workspace
from pi_lsp.base.paths import is_within, path_to_uri
from pi_lsp.context.wording import WORDING
from pi_lsp.resources.index_ignore import ALWAYS_IGNORED
from pi_lsp.resources.rules import RuleFile, lineage
from pi_lsp.session.actions import append_custom_message
from pi_lsp.session.entries import Entry


async def touch(window: Window, paths: Sequence[str]) -> None:
    """The user works with these files: offer or load the rules that apply to them and that the session lacks.

    While a run goes on they are offered in any case, since nothing may part a call of a tool from its result.
    Raises what `Window.write` raises.
    """
    if not paths or window.cwd is None or (wish := window.settings().nested_rules) == "off":
        return
    found = await asyncio.to_thread(applying, window.workspace, window.cwd, paths)
    lacking = await window.in_session(_lacking, window, found)
    if wish == "onTouch" and window.run is None:
        await load(window, lacking)
        return
    offered = window.talk.offered
    new = [file.path for file in lacking if (window.session_id, file.path) not in offered]
    offered.update((window.session_id, path) for path in new)
    if new:
        window.emit(RulesOffered(uris=[path_to_uri(path) for path in new]))


async def load(window: Window, files: Sequence[RuleFile]) -> list[tuple[str, Entry]]:
    """Append rule files to the session; gives the path and the entry of each that it did not have as it is.

    Raises what `Window.write` raises.
    """
    loaded: list[str] = []

    def append(conversation: Conversation) -> Iterator[Entry]:
        for file in _lacking(conversation, window, files):
            loaded.append(file.path)
            text = (
                f'{WORDING.nested_lead}\n\n<project_instructions path="{file.path}">\n{file.text.content}\n'
                "</project_instructions>"
            )
            yield append_custom_message(conversation.session, RULES_MESSAGE, text, details={"path": file.path})

    entries = await window.write(append) if files else []
    return list(zip(loaded, entries, strict=True))


def applying(workspace: Workspace, cwd: str, paths: Iterable[str]) -> list[RuleFile]:
    """The rule files for some files that an agent in `cwd` does not read and one in their folders would, outer first.

    Only those in the workspace, and none of what others have put there (`node_modules`); of two that are one file
    the first. May run in a thread.
    """
    read = frozenset(lineage(cwd))
    roots = [cwd, *workspace.folders]
    found: dict[str, RuleFile] = {}
    for folder in dict.fromkeys(map(os.path.dirname, paths)):
        for record in workspace.chain(folder):
            place = os.path.dirname(record.path)
            is_ours = record.scope != "global" and place not in read and any(_is_own(root, place) for root in roots)
            if record.loaded and record.reason is None and is_ours:
                found.setdefault(record.path, record)
    return list(found.values())


def _is_own(root: str, folder: str) -> bool:
    return is_within(root, folder) and ALWAYS_IGNORED.isdisjoint(os.path.relpath(folder, root).split(os.sep))


def _lacking(conversation: Conversation, window: Window, files: Iterable[RuleFile]) -> list[RuleFile]:
    """Those that no message has brought as they are. What the stored prompt says of them the next one will not."""
    brought = SessionRules.of(None, view_of(window, conversation).conversation)
    return [file for file in files if brought.standing(file.path, file.text.content, loaded=False) != "present"]
