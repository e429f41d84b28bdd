from pi_lsp.base.json import Json, JsonObject
from pi_lsp.compaction.file_ops import FileLists, FileOps, file_ops, format_file_lists
from tests.unit.compaction.sessions import call


def calls(*content: Json) -> JsonObject:
    return {"role": "assistant", "content": list(content)}


def test_each_file_once_in_order_by_tool() -> None:
    ops = file_ops(
        [
            calls(call("1", "read", path="b"), call("2", "read", path="a"), call("3", "bash", path="no")),
            calls(call("4", "write", path="w"), call("5", "edit", path="a"), call("6", "read", path="b")),
            {"role": "user", "content": [call("7", "read", path="not a call of the model")]},
        ]
    )
    assert ops == FileOps(read=("b", "a"), written=("w",), edited=("a",))
    assert ops.lists == FileLists(read_files=("b",), modified_files=("a", "w"))


def test_calls_inside_a_tool_count() -> None:
    nested: JsonObject = {"calls": [{"name": "edit", "arguments": {"path": "n"}}, {"name": "read"}, "junk"]}
    assert file_ops([{"role": "toolResult", "nestedCalls": nested}]).edited == ("n",)


def test_shapes_that_are_wrong_are_no_calls() -> None:
    bad: list[Json] = [call("1", "read", path=3), call("2", "read", path=""), {"type": "toolCall"}, "x", None]
    assert file_ops([calls(*bad), {"role": "assistant"}, {"role": "toolResult", "nestedCalls": 5}]) == FileOps()


def test_earlier_lists_come_first_and_are_kept_as_they_are() -> None:
    details: JsonObject = {"readFiles": ["r", 1, "1"], "modifiedFiles": ["m", None]}
    ops = file_ops([calls(call("1", "read", path="new"))], [{"details": details}, {"details": "junk"}, {}])
    assert ops == FileOps(read=("r", 1, "1", "new"), edited=("m", None))
    assert file_ops([], [{"details": details, "fromHook": True}]) == FileOps()


def test_lists_are_sorted_by_utf16_units() -> None:
    # U+FFFF is one unit above the surrogates that U+1F600 is made of.
    assert FileOps(read=("\uffff", "\U0001f600", "a", "Z")).lists.read_files == ("Z", "a", "\U0001f600", "\uffff")


def test_what_is_no_text_is_sorted_as_javascript_sorts_it() -> None:
    odd: tuple[Json, ...] = ("c", None, {"x": 1}, ["b", None], 10, 9)
    assert FileOps(read=odd).lists.read_files == (10, 9, {"x": 1}, ["b", None], "c", None)


def test_the_blocks_of_a_summary() -> None:
    assert format_file_lists(FileLists()) == ""
    lists = FileLists(read_files=("a", "b"), modified_files=("<c>",))
    assert format_file_lists(lists) == (
        "\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\n<c>\n</modified-files>"
    )
