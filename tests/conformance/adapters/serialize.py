"""§8: the conversation as a text, and the files it touched."""

import msgspec

from pi_lsp.base.json import Json, objects
from pi_lsp.compaction import file_ops as files
from pi_lsp.compaction import serialize as product
from pi_lsp.context.convert import to_llm
from tests.conformance.case import Case
from tests.conformance.wording import NAMED_WORDING


def serialize(case: Case) -> Json:
    messages = list(objects(case.input["messages"]))
    return product.serialize(to_llm(messages, NAMED_WORDING) if case.input.get("convert", True) else messages)


def file_ops(case: Case) -> Json:
    ops = files.file_ops(objects(case.input["messages"]))
    return {
        "ops": msgspec.to_builtins(ops),
        **msgspec.to_builtins(ops.lists),
        "formatted": files.format_file_lists(ops.lists),
    }


def format(case: Case) -> Json:  # noqa: A001  the op's name
    lists = files.FileLists(
        read_files=tuple(case.input["readFiles"]), modified_files=tuple(case.input["modifiedFiles"])
    )
    return files.format_file_lists(lists)
