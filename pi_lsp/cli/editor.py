"""The demonstration in VS Code: the sample workspace, with the extension, in a profile that is thrown away."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pi_lsp.cli.editor_choice import Choice
from pi_lsp.cli.plain import CommandError
from pi_lsp.cli.show.screen import Screen
from pi_lsp.cli.stage import Stage, sample_stage
from pi_lsp.session.location import AGENT_DIR_VARIABLE

CHECKOUT = Path(__file__).parents[2]
"""Where the extension can be built, unless pi-lsp was installed without its sources."""
PACKAGE = Path("vscode-extension", "pi-lsp.vsix")
LONG_AGO_S = 24 * 3600
"""A session of just now could be in use elsewhere, so a window would leave it alone."""
_STARTED_S = 60
_ENDED_S = 5

QUIET = ("disable-telemetry", "disable-update-check", "disable-getting-started-override", "ignore-last-opened")
SETTINGS: Mapping[str, Any] = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "update.mode": "none",
    "chat.disableAIFeatures": True,  # VS Code's own chat stands where ours does
    "workbench.secondarySideBar.defaultVisibility": "visible",
    "window.autoDetectColorScheme": True,
}


def go_on(screen: Screen, choice: Choice, build: Callable[[], Path] | None = None) -> None:
    """Open the sample there, until its window is closed or Ctrl-C ends it; or say why not. Failures are told, too."""
    if choice.where == "terminal":
        screen.note(f"Not in VS Code: {choice.why}. By hand: make vsix, then install {PACKAGE}.")
        return
    try:
        screen.note("Packaging the extension for VS Code (make vsix) …")
        package = (build or build_package)()
        with sample_stage() as stage:
            _open(screen, choice, package, stage)
    except (CommandError, OSError) as error:
        screen.note(f"The sample could not be opened in VS Code: {error}", "yellow")
    except KeyboardInterrupt:
        screen.note("Ended.")


def build_package() -> Path:
    """Build the extension with this checkout's server inside. Raises CommandError."""
    if not (CHECKOUT / "Makefile").exists():
        raise CommandError("this pi-lsp was installed without its sources")
    own = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    _run(["make", "--silent", "vsix"], env=own, cwd=CHECKOUT)
    return CHECKOUT / PACKAGE


def _open(screen: Screen, choice: Choice, package: Path, stage: Stage) -> None:
    profile = Path(stage.workspace).parent / "profile"
    environ = _prepare(stage, profile)
    kept = {"--user-data-dir": profile / "data", "--extensions-dir": profile / "extensions"}
    places = [*choice.command, *(part for name, folder in kept.items() for part in (name, str(folder)))]
    if choice.where == "editor" and sys.platform == "linux" and os.geteuid() == 0:
        places.append("--no-sandbox")  # Chromium's does not work for root
    _run([*places, "--install-extension", str(package)], env=environ)
    if choice.where == "browser":
        _serve(screen, places, stage, environ)
        return
    screen.note("The sample is open in VS Code, in a profile of its own. Close its window to end.")
    _run([*places, "--new-window", "--wait", stage.workspace], env=environ)


def _prepare(stage: Stage, profile: Path) -> dict[str, str]:
    """Write the profile, give what the editor shall have around it: the sample's agent folder, and this very server."""
    agent = stage.environ[AGENT_DIR_VARIABLE]
    Path(agent, "trust.json").write_text(json.dumps({stage.workspace: True}), "utf-8")
    if stage.session:
        long_ago = time.time() - LONG_AGO_S
        os.utime(stage.session, (long_ago, long_ago))
    server = shutil.which("pi-lsp", path=str(Path(sys.executable).parent))
    settings = json.dumps({**SETTINGS, **({"piLsp.server.path": server} if server else {})})
    for scope in ("User", "Machine"):  # code-server reads the machine's
        folder = profile / "data" / scope
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(settings, "utf-8")
    return {**os.environ, AGENT_DIR_VARIABLE: agent}


def _serve(screen: Screen, places: Sequence[str], stage: Stage, environ: Mapping[str, str]) -> None:
    """Serve VS Code to a browser on this machine, until Ctrl-C. Others on it do not have the password."""
    password, port = secrets.token_urlsafe(9), _free_port()
    quiet = [f"--{name}" for name in QUIET]
    bound = ["--auth", "password", "--bind-addr", f"127.0.0.1:{port}"]
    config = Path(stage.workspace).parent / "profile" / "code-server.yaml"
    config.write_text("", "utf-8")
    command = [*places, "--config", str(config), *bound, *quiet, stage.workspace]
    with subprocess.Popen(
        command,
        env={**environ, "PASSWORD": password},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}/"
            _wait_for(f"{url}healthz", process)
            screen.note(f"The sample is open in VS Code at {url}, password {password}. Ctrl-C ends it.")
            webbrowser.open(url)
            process.wait()
        finally:
            process.terminate()
            try:
                process.wait(_ENDED_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _STARTED_S
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise CommandError("code-server did not start")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def _run(command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> None:
    """Run a program to its end. Raises CommandError with the last line that it said, where it fails."""
    done = subprocess.run(
        command, env={**env}, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CommandError(f"{os.path.basename(command[0])} failed: {said[-1] if said else f'exit {done.returncode}'}")
