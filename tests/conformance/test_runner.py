"""The runner itself: cases as adapters get them, what it counts, and that a wrong product fails."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.case import BUNDLED, Case, Vector, load_vectors, open_case, raw_bytes
from tests.conformance.later import why_later
from tests.conformance.runner import NoAdapterError, adapter_of, run
from tests.conformance.script import Script, reply_message
from tests.conformance.session_play import file_bytes, file_change, json_lines, play
from tests.conformance.shapes import answer_or_error, drop_none, pick
from tests.conformance.texts import resolve


def toy(answer: Callable[[Case], Any], expected: Any = None, group: str = "toy", **given: Any):
    """The outcome of a case of a toy group whose only op is `answer`."""
    return run(Vector(group, "case", {"op": "op", **given}, expected), lambda _: answer)


class TestCounts:
    def test_of_the_bundled_vectors(self) -> None:
        later = [why_later(vector) is not None for vector in load_vectors(BUNDLED)]
        assert (later.count(False), later.count(True)) == (1507, 75)

    def test_groups(self) -> None:
        assert len({vector.group for vector in load_vectors(BUNDLED)}) == 17


class TestRun:
    def test_right_answer(self) -> None:
        assert toy(lambda case: {"text": case.input["text"]}, {"text": "ab"}, text="ab").wrong == []

    def test_wrong_answer(self) -> None:
        assert [str(one.path) for one in toy(lambda _: {"text": "x"}, {"text": "ab"}).wrong] == ["text"]

    def test_async_op(self) -> None:
        async def op(case: Case) -> str:
            return case.path("$ROOT/a")

        assert toy(op, "$ROOT/a").wrong == []

    def test_an_exception_is_not_an_answer(self) -> None:
        def op(case: Case) -> Any:
            raise ValueError(case.path("gone"))

        with pytest.raises(ValueError, match="gone"):
            toy(op, {"error": "x"})

    @pytest.mark.parametrize(("group", "op"), [("nowhere", "head"), ("truncate", "nothing"), ("truncate", "__name__")])
    def test_no_adapter(self, group: str, op: str) -> None:
        with pytest.raises(NoAdapterError, match=f"^no adapter for {group}/{op}$"):
            adapter_of(Vector(group, "case", {"op": op}, None))

    def test_folders_are_gone_afterwards(self) -> None:
        seen: list[str] = []
        toy(lambda case: seen.append(case.root))
        assert not Path(seen[0]).exists()


class TestEnvironment:
    def test_home_is_in_the_tree_and_our_settings_are_not_seen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PI_CODING_AGENT_DIR", "/somewhere")
        before = os.environ["HOME"]
        answer = toy(
            lambda _: [os.path.expanduser("~/x"), os.environ.get("PI_CODING_AGENT_DIR")], ["$ROOT/home/x", None]
        )
        assert answer.wrong == []
        assert os.environ["HOME"] == before

    def test_session_dir(self) -> None:
        def op(_: Case) -> Any:
            return [os.path.expanduser("~"), os.environ["TZ"], os.getcwd()]

        before = os.getcwd()
        assert toy(op, ["/home/u", "UTC", "$PROCESS_CWD"], "session_dir").wrong == []
        assert toy(op, ["/h", "UTC", "/tmp"], "session_dir", home="/h").wrong == []
        assert os.getcwd() == before


class TestTrees:
    FILES = {  # noqa: RUF012
        "a/b.md": "at $ROOT/a \ud83d",
        "link": {"symlink": "$ROOT/a/b.md"},
        "hard": {"hardlink": "$ROOT/a/b.md"},
        "raw": {"base64": "//5hAA=="},
        "long": {"parts": [["$ROOT", 2], ["é", 1]]},
        "$ROOT/home/empty": {"dir": True},
        "up": {"symlink": "a"},
    }

    def test_tree(self) -> None:
        def op(case: Case) -> Any:
            root = Path(case.root)
            text = (root / "a/b.md").read_text(encoding="utf-8")
            assert text == f"at {case.root}/a \ufffd"
            assert os.readlink(root / "link") == f"{case.root}/a/b.md"
            assert (root / "up/b.md").read_text(encoding="utf-8") == text
            assert (root / "hard").stat().st_ino == (root / "a/b.md").stat().st_ino
            assert (root / "raw").read_bytes() == b"\xff\xfea\x00"
            assert (root / "long").read_text(encoding="utf-8") == "$ROOT$ROOTé"
            assert list((root / "home/empty").iterdir()) == []
            assert os.path.realpath(case.root) == case.root
            return os.listdir(case.tmp)

        assert toy(op, [], files=self.FILES).wrong == []

    def test_unknown_content(self) -> None:
        with pytest.raises(ValueError, match="a: a file cannot be made"):
            toy(lambda _: None, files={"a": {"symlnk": "b"}})

    def test_trust_store_and_folders(self) -> None:
        def op(case: Case) -> Any:
            store = Path(case.root, "agent/trust.json").read_text(encoding="utf-8")
            return [store, Path(case.root, "p/q").is_dir()]

        assert toy(op, ['{"$ROOT/p":true}', True], "trust", store={"$ROOT/p": True}, dirs=["p/q"]).wrong == []
        assert toy(op, ["{ $ROOT", False], "trust", store="{ $ROOT", dirs=[]).wrong == []

    def test_a_resource_loader_finds_its_folders(self) -> None:
        case_of = {"op": "resource_loader", "cwd": "$ROOT/q", "files": {}}
        with tempfile.TemporaryDirectory() as folder:
            root = Path(open_case(Vector("skills", "x", case_of, None), folder).root)
            assert (root / "q").is_dir()
            assert (root / "home/.pi/agent").is_dir()


class TestInputs:
    def test_text_specs(self) -> None:
        given = {"a": {"parts": [["x", 2], ["\ud83d", 1], ["\ude00", 1]]}, "b": [{"base64": "AP8="}], "n": 1}
        assert resolve(given) == {"a": "xx😀", "b": [b"\x00\xff"], "n": 1}
        assert resolve({"content": {"$text": {"parts": [["漢", 3]]}}}) == {"content": "漢漢漢"}

    def test_what_only_looks_like_a_spec_stays(self) -> None:
        for value in ({"parts": [["x", "2"]]}, {"parts": [], "n": 1}, {"base64": 5}, {"$text": "x", "y": 1}):
            assert resolve(value) == value

    def test_raw_session_files(self) -> None:
        assert raw_bytes([{"a": [1, "é"]}, "torn"]) == '{"a":[1,"é"]}\ntorn\n'.encode()
        assert raw_bytes("a\n\ud83d") == b"a\n\xef\xbf\xbd"
        assert raw_bytes(b"\xff") == b"\xff"

    def test_paths(self) -> None:
        case = Case(input={}, root="/r", tmp="/t")
        assert case.paths({"$ROOT/a": ["$ROOT", 1, None]}) == {"/r/a": ["/r", 1, None]}


class TestScript:
    async def test_the_last_reply_repeats(self) -> None:
        script = Script(["a", {"text": "b", "stopReason": "length"}])
        request = _request("s", "p")
        texts = [((await script(request))["content"], (await script(request))["stopReason"]) for _ in range(2)]
        assert texts == [([{"type": "text", "text": "a"}], "length"), ([{"type": "text", "text": "b"}], "length")]
        assert len(script.requests) == 4
        assert script.requests[0] == {
            "messages": [{"role": "system", "text": "s"}, {"role": "user", "text": "p"}],
            "options": {"cacheRetention": "none", "hasSessionId": True},
        }

    def test_reply_message(self) -> None:
        call = {"type": "toolCall", "id": "x", "name": "read", "arguments": {}}
        assert reply_message({"content": [call]})["content"] == [call]
        assert reply_message("x")["stopReason"] == "stop"


class TestSessionPlay:
    def test_actions_in_order(self) -> None:
        def perform(name: str, *arguments: Any) -> dict[str, Any]:
            if name == "fail":
                raise ValueError(arguments[0])
            return {"result": [*arguments]} if name == "add" else {}

        steps = play(
            [["add", 1, "@x"], ["none"], ["fail", "no"], ["add", "@0", "@1"]], perform, lambda: "l", (ValueError,)
        )
        assert steps == [
            {"action": "add", "leaf": "l", "result": [1, "@x"]},
            {"action": "none", "leaf": "l"},
            {"action": "fail", "leaf": "l", "error": "no"},
            {"action": "add", "leaf": "l", "result": [[1, "@x"], None]},
        ]

    def test_files(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        assert json_lines(str(path)) is None
        path.write_bytes(b'{"a":1}\n{torn\n')
        assert json_lines(str(path)) == [{"a": 1}, "{torn", ""]
        assert file_change(str(path), b'{"a":1}\n{torn') == {"fileChanged": True, "appended": "\n"}
        assert file_change(str(path), file_bytes(str(path))) == {"fileChanged": False, "appended": ""}
        assert file_change(str(path), b"other") == {"fileChanged": True, "appended": ""}


class TestShapes:
    def test_errors(self) -> None:
        assert answer_or_error(lambda: int("x")) == {"error": "invalid literal for int() with base 10: 'x'"}
        assert answer_or_error(lambda: [1]) == [1]
        with pytest.raises(KeyError):
            answer_or_error(lambda: {}["x"])

    def test_absent(self) -> None:
        assert drop_none({"a": None, "b": 0}) == {"b": 0}
        assert pick({"a": None, "b": 0}, "a", "c") == {"a": None}


class TestFolder:
    """PI_LSP_VECTORS, in a process of its own."""

    @pytest.mark.parametrize(
        ("group", "given", "expected", "outcome"),
        [
            ("truncate", {"op": "slice_head", "text": "abc", "maxUnits": 2}, "ab", "1 of 1 cases pass"),
            ("truncate", {"op": "slice_head", "text": "abc", "maxUnits": 2}, "abc", "0 of 1 cases pass"),
            ("nothing", {"op": "do"}, 1, "no adapter for nothing/do"),
            ("edit", {"op": "apply"}, 1, "1 are for later"),
        ],
    )
    def test_other_folder(self, tmp_path: Path, group: str, given: Any, expected: Any, outcome: str) -> None:
        content = {"group": group, "pi": "1.6.0", "cases": [{"name": "n", "input": given, "expected": expected}]}
        (tmp_path / "some.json").write_text(json.dumps(content), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", str(Path(__file__).with_name("test_vectors.py"))],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PI_LSP_VECTORS": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert outcome in done.stdout
        assert (done.returncode == 0) == ("1 of 1" in outcome or "later" in outcome)


def _request(system: str, prompt: str):
    from pi_lsp.llm.contract import CompletionRequest

    return CompletionRequest(system=system, prompt=prompt)
