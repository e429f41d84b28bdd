"""What the local summary keeps, by probes taken from the entries with small, slow code of their own.

All changed files, the last failing command with its exit, the user's last request, every user sentence with must,
never, always or don't (past the budget: the newest that fit); in both real sessions and in ten that are made here.
"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from pi_lsp.compaction.local import summarize_locally
from pi_lsp.compaction.plan import Preparation, prepare
from pi_lsp.compaction.result import conclude
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.log import SessionLog

SHARED = Path(__file__).parents[4] / "shared"
FIXTURES = ["before-compaction", "large-session"]
MARKED = re.compile(r"\b(must|never|always|don['’]?t)\b", re.IGNORECASE)


class Probes(NamedTuple):
    """What must be found."""

    files: set[str]
    last_failure: tuple[str, int] | None
    last_request: str
    sentences: list[str]


# --- a session of somebody's day, with what they said written down beside it ---------------------------------------

ASKS = [
    "Add a retry to the {}.",
    "The {} is slow, please find out why.",
    "Rename the {} module.",
    "Split the {} in two.",
]
RULES = [
    "Never touch the {} tables.",
    "You must keep the {} API as it is.",
    "Please don't reformat the {} files, the diff gets unreadable.",
    "The {} always comes first, even on Sundays.",
    "And don’t ask me about the {} again!",
    "It must never log a {} number (e.g. in traces), whatever happens.",
]
THINGS = ["parser", "billing", "calendar", "login page", "cache", "importer", "e-mail queue", "search index", "kiosk"]
CHECKS = [
    "make test",
    "npm run check 2>&1 | tail -20",
    "cd services/api && pytest -x",
    "cargo build --release",
    "make db && make test-web",
]
LOOKS = ["ls -la src", "grep -rn TODO src | head", "git log --oneline -5", "cat README.md"]
PASTED = "```\nERROR you must never see this\n```"


class Day:
    """Writes a session and remembers what a summary of all of it must hold."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.entries: list[dict[str, Any]] = []
        self.rules: list[str] = []
        self.said: list[str] = []
        for _ in range(self.random.randint(5, 60)):
            self.turn()

    def pick(self, choices: list[str]) -> str:
        return self.random.choice(choices).format(self.random.choice(THINGS) + f" {self.random.randint(1, 99)}")

    def put(self, message: dict[str, Any]) -> None:
        number = len(self.entries)
        parent = str(number - 1) if number else None
        stamp = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        self.entries.append(
            {"type": "message", "id": str(number), "parentId": parent, "timestamp": stamp, "message": message}
        )

    def turn(self) -> None:
        rules = [self.pick(RULES) for _ in range(self.random.choice([0, 0, 1, 2]))]
        self.rules += rules
        request = " ".join([self.pick(ASKS), *rules])
        self.said.append(request)
        if self.random.random() < 0.2:
            request += f"\n\n{PASTED}"
        self.put({"role": "user", "content": [{"type": "text", "text": request}]})
        for _ in range(self.random.randint(1, 6)):
            self.act()
        self.put(self.answer([{"type": "text", "text": f"Done: {self.pick(ASKS)}"}], "stop"))

    def act(self) -> None:
        command, failed, output = None, self.random.random() < 0.3, "some output\n1 passed"
        tool = self.random.choice(["bash", "bash", "edit", "write", "read"])
        arguments: dict[str, Any] = {"path": f"src/{self.pick(['{}.py'])}"}
        if tool == "bash":
            command = self.pick([*CHECKS, *LOOKS])
            arguments = {"command": command}
        if failed:
            code = self.random.choice([1, 2, 101, 127])
            output = "Error: nothing works\n" + (f"\nCommand exited with code {code}" if command else "")
        call = {"type": "toolCall", "id": f"call{len(self.entries)}", "name": tool, "arguments": arguments}
        texts = [{"type": "text", "text": "Let me see."}] if self.random.random() < 0.5 else []
        self.put(self.answer([*texts, call], "toolUse"))
        content = [{"type": "text", "text": output}]
        self.put(
            {"role": "toolResult", "toolCallId": call["id"], "toolName": tool, "content": content, "isError": failed}
        )

    @staticmethod
    def answer(content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
        return {"role": "assistant", "content": content, "provider": "p", "model": "m", "stopReason": stop}

    def write(self, path: Path) -> str:
        header = {"type": "session", "version": 3, "id": "d", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
        path.write_text("".join(json.dumps(line) + "\n" for line in [header, *self.entries]))
        return str(path)


# --- the probes ----------------------------------------------------------------------------------------------------


def folded(text: str) -> str:
    return " ".join(text.split())


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def prose_lines(text: str) -> Iterator[str]:
    """The lines that somebody typed: no fences, no logs that were pasted in."""
    fenced = False
    for line in text.strip().split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(" ") and not re.search(r"\s{3}|^[+{➜]", line):
            yield line


def probes_of(messages: list[dict[str, Any]]) -> Probes:
    files: set[str] = set()
    commands: dict[str, str] = {}
    sentences: list[str] = []
    last_failure, last_request = None, ""
    for message in messages:
        match message["role"]:
            case "user":
                if text := text_of(message).strip():
                    last_request = text
                for line in prose_lines(text_of(message)):
                    sentences += [
                        part.strip()
                        for part in re.split(r"(?<=[!?])\s|(?<!e\.g)(?<=\.)\s", line)
                        if MARKED.search(part)
                    ]
            case "assistant":
                for block in message["content"]:
                    if block["type"] == "toolCall":
                        if block["name"] in ("edit", "write"):
                            files.add(block["arguments"]["path"])
                        if block["name"] == "bash":
                            commands[block["id"]] = block["arguments"]["command"]
            case "toolResult":
                code = re.search(r"Command exited with code (\d+)\s*$", text_of(message))
                if message["isError"] and code and message["toolCallId"] in commands:
                    last_failure = (commands[message["toolCallId"]], int(code[1]))
            case "bashExecution":
                if message["exitCode"] and not message.get("excludeFromContext"):
                    last_failure = (message["command"], message["exitCode"])
            case _:
                pass
    return Probes(files, last_failure, last_request, sentences)


def first_paragraph(text: str) -> str:
    return folded(re.split(r"\n\s*\n", text)[0])


def prepared(path: str, keep: int) -> Preparation:
    log = SessionLog.open(path)
    preparation = prepare(log.tree.path(log.tree.leaf_id), CompactionSettings(keep_recent_tokens=keep))
    assert preparation is not None
    return preparation


def assert_kept(preparation: Preparation, max_tokens: int) -> None:
    messages: list[Any] = [*preparation.messages_to_summarize, *preparation.turn_prefix_messages]
    probes = probes_of(messages)
    summary = summarize_locally(preparation, max_tokens=max_tokens)
    stored = conclude(preparation, summary).summary
    assert PI_COUNTER.text(summary.text) <= max_tokens
    listed = stored.partition("<modified-files>\n")[2].split("\n")
    assert probes.files <= set(listed)
    if probes.last_failure:
        command, code = probes.last_failure
        shown = folded(command.split("\n")[0])[:200]
        line = next(line for line in stored.split("\n") if shown in line and f"failed with exit code {code}" in line)
        assert line
    assert first_paragraph(probes.last_request)[:1500] in stored.partition("## Constraints")[0]
    constraints = stored.partition("## Constraints & Preferences\n")[2].partition("\n## Progress")[0]
    missing = [sentence for sentence in probes.sentences if folded(sentence)[:900] not in constraints]
    if "left out" not in constraints:
        assert missing == []
    else:  # the newest fit: what is missing was said before anything that is there
        kept = [number for number, sentence in enumerate(probes.sentences) if sentence not in missing]
        newest_missing = max(number for number, sentence in enumerate(probes.sentences) if sentence in missing)
        assert kept
        assert newest_missing < max(kept)
        assert all(sentence not in missing for sentence in probes.sentences[newest_missing + 1 :])


def assert_two_passes_equal_one(preparation: Preparation, max_tokens: int) -> None:
    once = summarize_locally(preparation, max_tokens=max_tokens).text
    stored = conclude(preparation, summarize_locally(preparation, max_tokens=max_tokens)).summary
    again = msgspec.structs.replace(preparation, summarized=(), turn_prefix=(), previous_summary=stored)
    assert summarize_locally(again, max_tokens=max_tokens).text == once


def halves(preparation: Preparation) -> tuple[Preparation, Preparation]:
    """The same compaction as two, the second of which gets the first one's summary."""
    entries = [*preparation.summarized, *preparation.turn_prefix]
    starts = [i for i, selected in enumerate(entries) if any(m.get("role") == "user" for m in selected.messages)]
    middle = starts[len(starts) // 2]
    first = msgspec.structs.replace(preparation, summarized=tuple(entries[:middle]), turn_prefix=())
    stored = conclude(first, summarize_locally(first)).summary
    rest = msgspec.structs.replace(
        preparation, summarized=tuple(entries[middle:]), turn_prefix=(), previous_summary=stored
    )
    return first, rest


@pytest.mark.parametrize("max_tokens", [6000, 1500])
@pytest.mark.parametrize("keep", [0, 5_000, 20_000])
@pytest.mark.parametrize("name", FIXTURES)
def test_real_sessions(name: str, keep: int, max_tokens: int) -> None:
    path = SHARED / "fixtures" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("no ../shared")
    preparation = prepared(str(path), keep)
    assert_kept(preparation, max_tokens)
    assert_two_passes_equal_one(preparation, max_tokens)


@pytest.mark.parametrize("max_tokens", [6000, 1500])
@pytest.mark.parametrize("seed", range(10))
def test_made_sessions(seed: int, max_tokens: int, tmp_path: Path) -> None:
    day = Day(seed)
    preparation = prepared(day.write(tmp_path / "day.jsonl"), 0)
    assert_kept(preparation, max_tokens)
    assert_two_passes_equal_one(preparation, max_tokens)


@pytest.mark.parametrize("seed", range(10))
def test_made_sessions_hold_every_rule_that_was_written(seed: int, tmp_path: Path) -> None:
    """Here the sentences are known from the writing, so no splitting is trusted."""
    day = Day(seed)
    preparation = prepared(day.write(tmp_path / "day.jsonl"), 0)
    text = summarize_locally(preparation, max_tokens=100_000).text
    assert [rule for rule in day.rules if f'- "{rule}"' not in text] == []
    assert "you must never see this" not in text.partition("## Constraints")[2]
    assert f'Latest: "{day.said[-1]}' in text


@pytest.mark.parametrize("seed", range(10))
def test_summary_upon_summary_keeps_what_one_summary_keeps(seed: int, tmp_path: Path) -> None:
    day = Day(seed)
    preparation = prepared(day.write(tmp_path / "day.jsonl"), 0)
    _, rest = halves(preparation)
    once, twice = summarize_locally(preparation).text, summarize_locally(rest).text
    for heading in ("## Goal", "## Constraints & Preferences", "### Done", "### In Progress", "### Blocked"):
        part = f"\n{once}".partition(f"\n{heading}\n")[2].partition("\n\n#")[0]
        assert part in twice


@pytest.mark.parametrize("seed", range(1, 4))
def test_sessions_of_the_shared_generator(seed: int, tmp_path: Path) -> None:
    generator = SHARED / "tools" / "gen_session.py"
    if not generator.exists():
        pytest.skip("no ../shared")
    path = str(tmp_path / "session.jsonl")
    subprocess.run(
        [sys.executable, str(generator), path, "--size", "1M", "--seed", str(seed)], check=True, capture_output=True
    )
    preparation = prepared(path, 5_000)
    assert_kept(preparation, 6000)
    assert_two_passes_equal_one(preparation, 6000)
