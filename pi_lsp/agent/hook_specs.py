"""The hooks that a plugin may implement, for their authors.

A plugin is a Python file with functions of these names, each marked by `hookimpl`:

    from pi_lsp.agent.hook_specs import hookimpl

    @hookimpl
    def input(text):
        return text.replace("@@", "the code that is selected in the editor")

It stands in `~/.pi/agent/lsp/` or, in a trusted project, in `.pi/lsp/`; or it is an installed package that names itself
in the entry-point group `pi_lsp`. A function takes those of the parameters below that it has a use for, by their names.
It may be `async`; one that is not runs in a thread of its own. All values are plain JSON in the shapes that Pi's
session files have, copies that may be changed. One that raises, takes too long or answers with something else is
reported and passed over. Where several plugins answer, each sees what the one before made of it.

This module is imported by plugins only: it brings pluggy in.
"""

# The signatures are for pluggy; the bodies are never run.
# pyright: reportUnusedParameter=false, reportReturnType=false, reportUntypedFunctionDecorator=false

import pluggy

from pi_lsp.base.json import JsonObject

PROJECT = "pi_lsp"
hookimpl = pluggy.HookimplMarker(PROJECT)
hookspec = pluggy.HookspecMarker(PROJECT)


class Specs:
    """What each hook is given and may answer; None always means: no wish."""

    @hookspec
    def input(self, text: str, cwd: str) -> str | None:
        """Change what the user typed, before `/skill:` and `/template` are expanded."""

    @hookspec
    def system_prompt_sections(self, cwd: str, sections: dict[str, str]) -> dict[str, str | None] | None:
        """Add sections to the system prompt, by name (`a-z`, digits, `_`, `-`); None takes one out again.

        `sections` are the others, each with its tag. Asked before each prompt; what is stated stays until it changes.
        """

    @hookspec
    def transform_context(self, messages: list[JsonObject], cwd: str, model: str) -> list[JsonObject] | None:
        """Change the conversation of one request; what is stored stays as it is.

        Each message bears the id of its entry as `entryId`. Keep it on what you change, so that `pi/explain` can tell;
        messages without one count as added.
        """

    @hookspec
    def append_context(self, messages: list[JsonObject], cwd: str) -> str | None:
        """Say something to the model at the end of the conversation.

        It is stored, so that later requests repeat it and the provider's cache holds. The same text is not said
        twice in a context: state facts, and state them anew when they change.
        """

    @hookspec
    def session_before_compact(
        self,
        preparation: JsonObject,
        branch_entries: list[JsonObject],
        custom_instructions: str | None,
        reason: str,
        will_retry: bool,
    ) -> JsonObject | None:
        """Write the summary of a compaction yourself, or forbid it.

        `preparation` has firstKeptEntryId, messagesToSummarize, turnPrefixMessages, isSplitTurn, tokensBefore,
        previousSummary, readFiles, modifiedFiles; `reason` is `manual`, `threshold` or `overflow`. Answer
        `{"cancel": True}` or `{"compaction": {"summary", "firstKeptEntryId"?, "details"?, "usage"?}}`.
        """

    @hookspec
    def session_compact(
        self, compaction_entry: JsonObject, from_extension: bool, reason: str, will_retry: bool
    ) -> None:
        """A compaction is stored."""

    @hookspec
    def session_compact_failed(
        self, reason: str, error_message: str | None, aborted: bool, will_retry: bool, from_extension: bool
    ) -> None:
        """A compaction was not made."""

    @hookspec
    def session_before_tree(self, preparation: JsonObject) -> JsonObject | None:
        """Write the summary of the branch that is left yourself, forbid the switch, or change its wishes.

        `preparation` has targetId, oldLeafId, commonAncestorId, entriesToSummarize, userWantsSummary,
        customInstructions, replaceInstructions, label. Answer `{"cancel": True}`, `{"summary": {"summary", "details"?,
        "usage"?}}` (used only where a summary is wanted), or any of customInstructions, replaceInstructions, label.
        """

    @hookspec
    def session_tree(
        self, new_leaf_id: str | None, old_leaf_id: str | None, summary_entry: JsonObject | None, from_extension: bool
    ) -> None:
        """The leaf was moved."""
