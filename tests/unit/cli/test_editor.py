"""The demonstration in an editor: where it goes on, and what the editor is told. Its programs note calls."""

import io
import json
import os
import socket
import stat
import sys
from pathlib import Path

import pytest
from rich.console import Console

from pi_lsp.cli import editor
from pi_lsp.cli.editor_choice import Choice, Found, choose, find
from pi_lsp.cli.plain import CommandError
from pi_lsp.cli.show.screen import Screen
from tests.support.waiting import wait_until

FOUND = Found(editor=("/bin/code",), server=("node", "code-server"))
DESKTOP = {"DISPLAY": ":0"}

needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="the programs of this test are shell scripts")


@pytest.mark.parametrize(
    ("found", "environ", "platform", "expected"),
    [
        (FOUND, DESKTOP, "linux", ("editor", "/bin/code")),
        (FOUND, {"WAYLAND_DISPLAY": "wayland-0"}, "linux", ("editor", "/bin/code")),
        (FOUND, {"WSL_DISTRO_NAME": "Debian"}, "linux", ("editor", "/bin/code")),
        (FOUND, {}, "darwin", ("editor", "/bin/code")),
        (FOUND, {}, "win32", ("editor", "/bin/code")),
        (Found(server=("code-server",)), DESKTOP, "linux", ("browser", "code-server")),
        (Found(), DESKTOP, "linux", ("terminal", "neither code")),
        (FOUND, {}, "linux", ("terminal", "no desktop")),
        (FOUND, {"DISPLAY": ""}, "linux", ("terminal", "no desktop")),
        (FOUND, {"SSH_CONNECTION": "1"}, "darwin", ("terminal", "no desktop")),
        (FOUND, {**DESKTOP, "CI": "true"}, "linux", ("terminal", "CI run")),
        (FOUND, {**DESKTOP, "VSCODE_IPC_HOOK_CLI": "/tmp/x"}, "linux", ("terminal", "your own profile")),
    ],
)
def test_the_choice(found: Found, environ: dict[str, str], platform: str, expected: tuple[str, str]) -> None:
    choice = choose(found, environ, platform=platform, attended=True)
    assert choice.where == expected[0]
    assert expected[1] in (choice.why or choice.command[0])


def test_nobody_at_the_terminal() -> None:
    assert choose(FOUND, DESKTOP, attended=False) == Choice("terminal", why="nobody sits at this terminal")


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return path


@needs_sh
def test_what_is_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find(tmp_path) == Found()
    kept = tmp_path / ".cache" / "vscode"
    for place in ("node/node_modules/.bin/node", "server/node_modules/code-server/out/node/entry.js"):
        (kept / place).parent.mkdir(parents=True)
        (kept / place).touch()
    assert [Path(part).name for part in find(tmp_path).server] == ["node", "entry.js"]
    codium = program(tmp_path / "bin", "codium", "")
    server = program(tmp_path / "bin", "code-server", "")
    assert find(tmp_path) == Found((str(codium),), (str(server),))
    code = program(tmp_path / "bin", "code", "")
    assert find(tmp_path).editor == (str(code),)


def show(choice: Choice, package: Path | CommandError) -> str:
    said = io.StringIO()

    def build() -> Path:
        if isinstance(package, CommandError):
            raise package
        return package

    editor.go_on(Screen("/", Console(file=said, width=400)), choice, build)
    return said.getvalue()


RECORD = """
for part in "$@"; do last="$part"; echo "$part"; done >> "$CALLS"
echo "agent $PI_CODING_AGENT_DIR" >> "$CALLS"
[ -d "$last" ] && cp -r "$last" "$COPY" && cp -r "$PI_CODING_AGENT_DIR" "$COPY.agent" && cp -r "$2" "$COPY.data"
exit 0
"""


@needs_sh
def test_the_sample_is_opened_in_a_profile_that_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("COPY", str(tmp_path / "copy"))
    code = program(tmp_path / "bin", "code", RECORD)
    text = show(Choice("editor", (str(code),)), tmp_path / "pi.vsix")
    assert "Close its window to end" in text
    calls = (tmp_path / "calls").read_text().splitlines()
    places = calls[:4]
    assert places[0::2] == ["--user-data-dir", "--extensions-dir"]
    assert all(place.startswith(str(tmp_path / "pi-lsp-demo-")) for place in places[1::2])
    assert calls.count("--user-data-dir") == calls.count("--extensions-dir") == 2
    assert calls[calls.index("--install-extension") + 1] == str(tmp_path / "pi.vsix")
    workspace = calls[-2]
    assert calls[-4:-1] == ["--new-window", "--wait", workspace]
    assert {line for line in calls if line.startswith("agent ")} == {calls[-1]}
    assert calls[-1].startswith(f"agent {Path(workspace).parent}")
    assert not Path(workspace).exists()
    assert not list(tmp_path.glob("pi-lsp-demo-*"))
    assert (tmp_path / "copy" / "AGENTS.md").is_file()
    assert json.loads((tmp_path / "copy.agent" / "trust.json").read_text()) == {workspace: True}
    settings = json.loads((tmp_path / "copy.data" / "User" / "settings.json").read_text())
    assert settings["security.workspace.trust.enabled"] is False
    assert os.access(settings["piLsp.server.path"], os.X_OK)
    [session] = (tmp_path / "copy.agent").glob("sessions/*/*.jsonl")
    assert json.loads(session.read_text("utf-8").splitlines()[0])["cwd"] == workspace


@needs_sh
@pytest.mark.parametrize("where", ["editor", "browser"])
def test_an_editor_that_fails_is_told(tmp_path: Path, where: str) -> None:
    code = program(tmp_path / "bin", "code", "echo one >&2; echo the last word >&2; exit 3")
    choice = Choice("browser" if where == "browser" else "editor", (str(code),))
    assert "could not be opened in VS Code: code failed: the last word" in show(choice, tmp_path / "pi.vsix")
    missing = Choice("editor", (str(tmp_path / "gone"),))
    assert "could not be opened in VS Code" in show(missing, tmp_path / "pi.vsix")


def test_a_package_that_cannot_be_built_is_told() -> None:
    text = show(Choice("editor", ("code",)), CommandError("make failed: no npm"))
    assert "could not be opened in VS Code: make failed: no npm" in text


def test_why_it_stays_in_the_terminal() -> None:
    text = show(choose(FOUND, {"CI": "1"}, attended=True), CommandError("nothing is built"))
    assert [line.rstrip() for line in text.splitlines()] == [
        f"  Not in VS Code: this is a CI run. By hand: make vsix, then install {editor.PACKAGE}."
    ]


SERVER = """
import http.server, os, sys
open(os.environ["CALLS"], "w").write(os.environ.get("PASSWORD", "") + "\\n" + "\\n".join(sys.argv[1:]))
if "--bind-addr" in sys.argv:
    host, port = sys.argv[sys.argv.index("--bind-addr") + 1].split(":")
    class Healthy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
        def log_message(self, *_):
            pass
    http.server.HTTPServer((host, int(port)), Healthy).serve_forever()
"""


def test_code_server_is_served_to_this_machine_alone_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    opened: list[str] = []

    def browse(url: str) -> None:
        opened.append(url)
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", browse)
    text = show(Choice("browser", (sys.executable, str(script))), tmp_path / "pi.vsix")
    password, *call = (tmp_path / "calls").read_text().splitlines()
    assert len(password) >= 12
    assert password in text
    assert password not in call
    assert call[call.index("--auth") + 1] == "password"
    host, port = call[call.index("--bind-addr") + 1].split(":")
    assert (host, opened) == ("127.0.0.1", [f"http://127.0.0.1:{port}/"])
    assert "Ended." in text
    wait_until(lambda: not _answers(int(port)))


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
