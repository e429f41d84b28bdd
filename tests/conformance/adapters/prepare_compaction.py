"""§7, §8: what a compaction takes out, and the summary that a model writes of it."""

import msgspec

from pi_lsp.base.json import Json, objects
from pi_lsp.compaction import model_summary, plan
from pi_lsp.compaction.reply import SummaryError
from pi_lsp.compaction.requests import summary_reasoning
from pi_lsp.compaction.result import CompactionResult, conclude
from pi_lsp.context.model import Model
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.conformance.case import Case
from tests.conformance.script import Script
from tests.conformance.shapes import answer_or_error_async, drop_none, to_json
from tests.conformance.wording import NAMED_WORDING


def prepare(case: Case) -> Json:
    preparation = _prepare(case)
    if preparation is None:
        return None
    return drop_none(
        {
            "firstKeptEntryId": preparation.first_kept_entry_id,
            "messagesToSummarize": preparation.messages_to_summarize,
            "turnPrefixMessages": preparation.turn_prefix_messages,
            "isSplitTurn": preparation.is_split_turn,
            "tokensBefore": preparation.tokens_before,
            "previousSummary": preparation.previous_summary,
            "fileOps": to_json(preparation.file_ops),
            "fileLists": to_json(preparation.file_ops.lists),
            "settings": to_json(preparation.settings),
        }
    )


async def compact(case: Case) -> Json:
    preparation = _prepare(case)
    if preparation is None:
        return {"prepared": False}
    script = Script(case.input.get("replies", ["SUMMARY"]))

    async def result() -> CompactionResult:
        summary = await model_summary.summarize(
            preparation,
            script,
            instructions=case.input.get("customInstructions", ""),
            reasoning=summary_reasoning(
                Model(id="m", reasoning=case.input.get("reasoning", False)), case.input.get("thinkingLevel", "off")
            ),
            wording=NAMED_WORDING,
        )
        return conclude(preparation, summary)

    return {
        "prepared": True,
        "result": await answer_or_error_async(result(), (SummaryError,)),
        "requests": script.requests,
    }


def _prepare(case: Case) -> plan.Preparation | None:
    tree = Tree(map(Entry.of, objects(case.input["entries"])))
    path = tree.path(case.input.get("leafId", tree.leaf_id))
    return plan.prepare(path, msgspec.convert(case.input.get("settings", {}), CompactionSettings))
