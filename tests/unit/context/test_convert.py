"""Conversion of the roles that only sessions know."""

import pytest

from pi_lsp.context.convert import bash_text, convert, to_llm
from pi_lsp.context.trace import Traced
from pi_lsp.context.wording import WORDING


def test_what_is_left_out_is_recorded() -> None:
    traced = convert(
        Traced.of(
            [{"role": "odd"}, {"role": "user", "content": "x"}, {"role": "bashExecution", "excludeFromContext": True}]
        )
    )
    assert [item.source for item in traced.items] == [1]
    assert [(change.index, change.fate, change.stage) for change in traced.changes] == [
        (0, "absent", "convert"),
        (2, "absent", "convert"),
    ]


def test_summaries_stand_behind_our_own_lead() -> None:
    [compaction, branch] = to_llm(
        [{"role": "compactionSummary", "summary": "S"}, {"role": "branchSummary", "summary": "B"}]
    )
    assert compaction["content"] == [{"type": "text", "text": f"{WORDING.compaction_lead}\n\n<summary>\nS\n</summary>"}]
    assert branch["content"] == [{"type": "text", "text": f"{WORDING.branch_lead}\n\n<summary>\nB</summary>"}]


@pytest.mark.parametrize("exit_code", [None, 0, "1", True, [1]])
def test_only_a_number_other_than_zero_is_a_failure(exit_code: object) -> None:
    text = bash_text({"command": "ls", "output": "a", "exitCode": exit_code})
    assert text == "Ran `ls`\n```\na\n```"


def test_wrong_shapes_do_not_raise() -> None:
    message = {"role": "bashExecution", "command": 5, "output": {}, "truncated": 1, "fullOutputPath": []}
    [converted] = to_llm([message])
    assert converted["content"] == [{"type": "text", "text": "Ran ``\n(no output)"}]
