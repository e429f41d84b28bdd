"""Session files of any size, as months of work with an agent leave them; the same bytes for the same arguments.

Turns with thinking, tool calls and results, attempts that failed and were edited out, branches that were left (some
with a summary), labels, a user's own commands, state of extensions, and compactions.
"""

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

KEPT_BYTES = 80_000
"""So much of the path a compaction keeps."""

_PROSE = (
    "The parser drops the last token when the stream ends inside a string.",
    "Please keep the public signature, callers outside this repository rely on it.",
    "Never write to the cache from the reader thread.",
    "I will look at the callers first, then change the index.",
    "All 214 tests pass, two are skipped on this platform.",
)
_PROSE_ELSEWHERE = (
    *_PROSE,
    "テストが失敗した理由を調べて、原因を一文で書いてください。",
    "Der Zähler läuft über, sobald zwei Fenster dieselbe Sitzung öffnen.",
    "Проверь границы буфера и добавь проверку на пустой ввод.",
    "Done — “quoted” names stay as they are. 🎉",
)
_CODE = (
    "    def position(self, offset: int) -> Position:\n",
    "        return self._lines.get(offset, DEFAULT)\n",
    "export async function load(path: string): Promise<Config> {\n",
    '  const text = await readFile(path, "utf8");\n',
    "for (size_t i = 0; i < buffer.size(); ++i) {\n",
    "    assert left == right, f'{left!r} is not {right!r}'\n",
    "\n",
    "}\n",
)
_CODE_ELSEWHERE = (*_CODE, "// 注意: 呼び出し側で解放すること\n")
_ELSEWHERE = 0.1
"""So many texts are not in ASCII alone. In sessions of English speakers one line in fifteen is not."""

_TOOLS = ("read", "read", "bash", "edit", "write")
_BEGIN = datetime(2025, 1, 1)  # noqa: DTZ001  always UTC, and printed so
_MODEL = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5"}


def write_session(path: Path, size: int, *, compact_every: int | None = 900_000, seed: int = 1) -> None:
    """Write a session of at least `size` bytes. `compact_every`: bytes of a path after which it is compacted."""
    with path.open("wb") as file:
        session = _Session(file, random.Random(seed))
        session.begin()
        while session.size < size:
            session.turn()
            session.aside()
            if compact_every and session.uncompacted > compact_every:
                session.compact()


class _Session:
    """The file as far as it is written, and the path to its leaf."""

    def __init__(self, file: BinaryIO, chance: random.Random) -> None:
        self.size = 0
        self.uncompacted = 0
        """Bytes of the path that the next request would carry."""
        self._file = file
        self._chance = chance
        self._path: list[tuple[str, int]] = []
        self._count = 0
        self._calls = 0
        self._compacted_to = 0

    def begin(self) -> None:
        self._write(
            {"type": "session", "version": 3, "id": "generated", "timestamp": self._time, "cwd": "/srv/project"}
        )
        self._add("model_change", provider="anthropic", modelId=_MODEL["model"])
        self._add("thinking_level_change", thinkingLevel="medium")
        self._message(self._prompt)

    def turn(self) -> None:
        """A request of the user and what the model did about it."""
        chance = self._chance
        self._message({"role": "user", "content": [self._text(60, 800)]})
        for _ in range(chance.randint(1, 7)):
            if chance.random() < 0.04:
                self._answer([self._text(40, 80)], chance.choice(("error", "aborted")), errorMessage="overloaded_error")
                self._add("context_edit", targetId=self._leaf, replacement=None)
            else:
                self._step()
        self._answer([self._text(100, 1200)], "stop")

    def aside(self) -> None:
        """Now and then what else a session holds."""
        chance = self._chance
        if chance.random() < 0.08:
            command = {"command": "git status", "output": self._prose(300), "exitCode": 0, "cancelled": False}
            self._message({"role": "bashExecution", **command, "excludeFromContext": chance.random() < 0.3})
        if chance.random() < 0.05:
            self._add("custom", customType="extension-state", data={"count": self._count})
        if chance.random() < 0.03:
            self._add("label", targetId=chance.choice(self._path[-20:])[0], label=f"mark {self._count}")
        if chance.random() < 0.12 and len(self._path) - self._compacted_to > 60:
            self._leave_branch()

    def compact(self) -> None:
        kept_bytes, first = 0, len(self._path)
        while first > 1 and kept_bytes < KEPT_BYTES:
            first -= 1
            kept_bytes += self._path[first][1]
        self._add(
            "compaction",
            summary="## Goal\n" + self._prose(3000),
            firstKeptEntryId=self._path[first][0],
            tokensBefore=self.uncompacted // 4,
            details={"readFiles": self._files(40), "modifiedFiles": self._files(20)},
            systemMessage=self._prompt,
        )
        self.uncompacted = kept_bytes
        self._compacted_to = len(self._path)

    def _step(self) -> None:
        """One answer with tool calls, and their results."""
        chance = self._chance
        content: list[dict[str, Any]] = []
        if chance.random() < 0.7:
            signature = "c2lnbmF0dXJl" * 40
            content.append({"type": "thinking", "thinking": self._prose(80, 1500), "thinkingSignature": signature})
        if chance.random() < 0.8:
            content.append(self._text(40, 600))
        calls = list(self._tool_calls())
        self._answer([*content, *calls], "toolUse")
        for call in calls:
            reads = call["name"] in ("read", "bash")
            text = self._code(100, 9000) if reads else "Successfully replaced 1 block(s)."
            result = {"toolCallId": call["id"], "toolName": call["name"], "content": [{"type": "text", "text": text}]}
            self._message({"role": "toolResult", **result, "isError": chance.random() < 0.05})

    def _tool_calls(self) -> Iterator[dict[str, Any]]:
        for _ in range(self._chance.randint(1, 3)):
            self._calls += 1
            name, path = self._chance.choice(_TOOLS), self._files(1)[0]
            arguments: dict[str, Any] = {"path": path}
            if name == "bash":
                arguments = {"command": f"pytest -q {path}"}
            elif name == "edit":
                arguments["edits"] = [{"oldText": self._code(60, 120), "newText": self._code(60, 150)}]
            elif name == "write":
                arguments["content"] = self._code(200, 3000)
            yield {"type": "toolCall", "id": f"toolu_{self._calls:08}", "name": name, "arguments": arguments}

    def _leave_branch(self) -> None:
        left = self._leaf
        del self._path[-self._chance.randint(5, 40) :]
        if self._chance.random() < 0.5:
            files = {"readFiles": self._files(4), "modifiedFiles": self._files(2)}
            self._add("branch_summary", fromId=left, summary=self._prose(900), details=files)

    # --- lines --------------------------------------------------------------------------------------------------

    @property
    def _leaf(self) -> str | None:
        return self._path[-1][0] if self._path else None

    @property
    def _time(self) -> str:
        return (_BEGIN + timedelta(seconds=self._count)).isoformat(timespec="milliseconds") + "Z"

    def _answer(self, content: list[dict[str, Any]], stop: str, **more: Any) -> None:
        prompt, output = 2000 + self.uncompacted // 4, self._chance.randint(50, 900)
        usage = {"input": prompt, "output": output, "cacheRead": 0, "cacheWrite": 0, "totalTokens": prompt + output}
        self._message({"role": "assistant", "content": content, **_MODEL, "usage": usage, "stopReason": stop, **more})

    def _message(self, message: dict[str, Any]) -> None:
        self._add("message", message={**message, "timestamp": 1_735_689_600_000 + self._count * 1000})

    def _add(self, kind: str, **fields: Any) -> None:
        self._count += 1
        entry_id = f"{self._count * 2_654_435_761 % 2**32:08x}"  # an odd factor: no id comes twice
        entry = {"type": kind, "id": entry_id, "parentId": self._leaf, "timestamp": self._time, **fields}
        length = self._write(entry)
        self._path.append((entry_id, length))
        self.uncompacted += length

    def _write(self, value: dict[str, Any]) -> int:
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._file.write(line)
        self.size += len(line)
        return len(line)

    # --- texts --------------------------------------------------------------------------------------------------

    @property
    def _prompt(self) -> dict[str, Any]:
        parameters = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        tools = [{"name": name, "description": f"The tool {name}.", "parameters": parameters} for name in set(_TOOLS)]
        sections = {"preamble": "You help.", "project_context": self._prose(2500), "cwd": "/srv/project"}
        return {"role": "system", "content": "", "sections": sections, "toolsAdded": sorted(tools, key=str)}

    def _files(self, count: int) -> list[str]:
        return [f"src/part{self._chance.randrange(17):02}/file{self._chance.randrange(14):02}.py" for _ in range(count)]

    def _text(self, least: int, most: int) -> dict[str, Any]:
        return {"type": "text", "text": self._prose(least, most)}

    def _prose(self, least: int, most: int | None = None) -> str:
        return self._fill(_PROSE, _PROSE_ELSEWHERE, " ", self._chance.randint(least, most or least))

    def _code(self, least: int, most: int) -> str:
        return self._fill(_CODE, _CODE_ELSEWHERE, "", self._chance.randint(least, most))

    def _fill(self, usual: tuple[str, ...], elsewhere: tuple[str, ...], between: str, length: int) -> str:
        pieces = elsewhere if self._chance.random() < _ELSEWHERE else usual
        mean = sum(map(len, pieces)) // len(pieces) + len(between)
        return between.join(self._chance.choices(pieces, k=1 + length // mean))
