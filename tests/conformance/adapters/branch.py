"""§8, §12: leaving a branch."""

from collections.abc import Sequence

import msgspec

from pi_lsp.base.json import Json, JsonObject, objects
from pi_lsp.compaction import branch
from pi_lsp.compaction import navigate as product
from pi_lsp.compaction.reply import SummaryAbortedError, SummaryError
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.store import Session, new_header
from pi_lsp.session.tree import Tree
from tests.conformance.adapters.branch_fork import fork_file
from tests.conformance.case import Case
from tests.conformance.script import Script
from tests.conformance.session_play import writing_to
from tests.conformance.shapes import drop_none, error_of, to_json
from tests.conformance.wording import NAMED_WORDING

__all__ = ["collect", "fork_file", "generate", "navigate", "prepare"]


def collect(case: Case) -> Json:
    left = branch.collect(_tree(case), case.input["oldLeafId"], case.input["targetId"])
    return {"ids": [entry.id for entry in left.entries], "commonAncestorId": left.common_ancestor_id}


def prepare(case: Case) -> Json:
    entries = [Entry.of(body) for body in objects(case.input["entries"])]
    preparation = branch.prepare_branch(entries, case.input.get("tokenBudget", 0))
    return {
        "messages": list(preparation.messages),
        "fileOps": to_json(preparation.file_ops),
        "fileLists": to_json(preparation.file_ops.lists),
        "totalTokens": preparation.total_tokens,
    }


async def generate(case: Case) -> Json:
    script = Script([case.input.get("reply", "BRANCH")])
    return {"result": await _generate(case, script), "requests": script.requests}


async def _generate(case: Case, script: Script) -> JsonObject:
    entries = [Entry.of(body) for body in objects(case.input["entries"])]
    try:
        summary = await branch.summarize_branch(
            entries,
            script,
            context_window=case.input.get("contextWindow", 0),
            reserve_tokens=case.input.get("reserveTokens", branch.RESERVE_TOKENS),
            instructions=case.input.get("customInstructions", ""),
            replace_instructions=case.input.get("replaceInstructions", False),
            wording=NAMED_WORDING,
        )
    except SummaryAbortedError:
        return {"aborted": True}
    except SummaryError as error:
        return error_of(error)
    files = {} if summary.files is None else to_json(summary.files)
    return drop_none({"summary": summary.summary, "usage": summary.usage, **files})


async def navigate(case: Case) -> Json:
    session = Session(new_header("source", "/w"), None, entries=list(map(Entry.of, objects(case.input["entries"]))))
    leaf_id = case.input.get("leafId", session.leaf_id)
    session.move(leaf_id)
    script = Script([case.input.get("reply", "BRANCH")])
    events: list[JsonObject] = []
    after = {"leafId": leaf_id, "newEntries": [], "events": events}
    try:
        options = msgspec.convert(case.input.get("options", {}), product.SwitchOptions)
        switch = product.plan_switch(session.tree, case.input["targetId"], leaf_id, options)
        if switch is None:
            return {"result": {"cancelled": False}, **after, "requests": script.requests}
        done = await product.navigate(switch, writing_to(session), _summarizer(script), _hooks(case, events))
    except (EntryNotFoundError, SummaryError) as error:
        return {"result": error_of(error), **after, "requests": script.requests}
    if not done.cancelled:
        events.append(_session_tree(switch, done))
    return {
        "result": drop_none(
            {
                "cancelled": done.cancelled,
                "aborted": done.aborted or None,
                "editorText": done.editor_text,
                "summaryEntry": done.summary_entry.id if done.summary_entry else None,
            }
        ),
        "leafId": done.leaf_id,
        "newEntries": [entry.body for entry in [done.summary_entry, done.label_entry] if entry],
        "events": events,
        "requests": script.requests,
    }


def _summarizer(script: Script) -> product.Summarize:
    async def summarize(entries: Sequence[Entry], options: product.SwitchOptions) -> branch.BranchSummary:
        return await branch.summarize_branch(
            entries,
            script,
            context_window=200_000,
            instructions=options.custom_instructions,
            replace_instructions=options.replace_instructions,
            wording=NAMED_WORDING,
        )

    return summarize


def _hooks(case: Case, events: list[JsonObject]) -> product.AskHooks | None:
    async def ask(switch: product.Switch) -> product.SwitchDecision:
        events.append(_session_before_tree(switch))
        hook = case.input["hook"]
        return product.SwitchDecision(
            cancel=hook.get("cancel", False),
            summary=product.GivenSummary(**hook["summary"]) if "summary" in hook else None,
            custom_instructions=hook.get("customInstructions"),
            replace_instructions=hook.get("replaceInstructions"),
            label=hook.get("label"),
        )

    return ask if "hook" in case.input else None


def _session_before_tree(switch: product.Switch) -> JsonObject:
    preparation = {
        "targetId": switch.target_id,
        "oldLeafId": switch.old_leaf_id,
        "commonAncestorId": switch.common_ancestor_id,
        "entriesToSummarize": [entry.id for entry in switch.left],
        "userWantsSummary": switch.options.summarize,
    }
    wishes = {
        "customInstructions": switch.options.custom_instructions,
        "replaceInstructions": switch.options.replace_instructions,
        "label": switch.options.label,
    }
    return {"type": "session_before_tree", "preparation": {**preparation, **drop_none(wishes)}}


def _session_tree(switch: product.Switch, done: product.Navigation) -> JsonObject:
    leaves = {"newLeafId": done.leaf_id, "oldLeafId": switch.old_leaf_id}
    entry = done.summary_entry
    summary = {"summaryEntry": entry.body, "fromExtension": done.from_hook} if entry else {}
    return {"type": "session_tree", **leaves, **summary}


def _tree(case: Case) -> Tree[Entry]:
    return Tree(map(Entry.of, objects(case.input["entries"])))
