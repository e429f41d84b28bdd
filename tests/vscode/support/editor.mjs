// VS Code in a browser: code-server with the packaged extension in a fresh profile, and one Chromium.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Profile } from "./profile.mjs";
import { CHROMIUM, chromium, CODE_SERVER, NODE, VSIX } from "./tools.mjs";
import { Workbench } from "./workbench.mjs";

const STARTED_MS = 30_000;
const ENDED_MS = 5_000;
const FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export class Editor {
  /** Start all of it. `fresh`: the extension has to make the server's environment. */
  static async start({ fresh = false } = {}) {
    const editor = new Editor();
    editor.profile = new Profile(mkdtempSync(path.join(tmpdir(), "pi-lsp-vscode-")));
    if (!fresh) editor.profile.takeEnvironment();
    editor.environ = { ...process.env, ...editor.#own() };
    await promisify(execFile)(NODE, [CODE_SERVER, ...editor.#places(), "--install-extension", VSIX], { env: editor.environ });
    editor.port = await freePort();
    editor.server = editor.#serve();
    await editor.#answers();
    editor.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(" ") });
    return editor;
  }

  /** A window on a folder (none: an empty window). */
  async open(folder) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const workbench = new Workbench(page, this);
    await workbench.load(folder);
    return workbench;
  }

  /** The process of our server that works in a folder. */
  async serverOf(folder) {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        if (command.includes("pi_lsp") && readlinkSync(`/proc/${pid}/cwd`) === folder) return Number(pid);
      } catch {
        // it has just ended
      }
    }
    throw new Error(`no server works in ${folder}`);
  }

  async stop() {
    await this.browser?.close();
    const group = this.server?.pid;
    if (group) {
      // The server leads a process group of its own: the extension host and our server go with it.
      signal(group, "SIGTERM");
      for (let waited = 0; signal(group, 0) && waited < ENDED_MS; waited += 100) await pause(100);
      signal(group, "SIGKILL");
    }
    this.profile.keepEnvironment();
    if (!process.env.KEEP_PROFILE) rmSync(this.profile.root, { recursive: true, force: true });
  }

  #own() {
    const { root, home, agent } = this.profile;
    const pip = path.join(process.env.HOME ?? "", ".config", "pip", "pip.conf");
    return {
      HOME: home,
      PI_CODING_AGENT_DIR: agent,
      TMPDIR: path.join(root, "tmp"),
      XDG_DATA_HOME: path.join(root, "xdg"),
      XDG_CONFIG_HOME: path.join(root, "xdg"),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}', // else it would look for updates
      ...(existsSync(pip) ? { PIP_CONFIG_FILE: pip } : {}),
    };
  }

  #places() {
    const { config, userData, extensions } = this.profile;
    return ["--config", config, "--user-data-dir", userData, "--extensions-dir", extensions];
  }

  #serve() {
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"];
    const log = openSync(path.join(this.profile.root, "server.log"), "w");
    const args = [CODE_SERVER, ...this.#places(), "--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, ...quiet];
    return spawn(NODE, args, { env: this.environ, detached: true, stdio: ["ignore", log, log] });
  }

  async #answers() {
    const url = `http://127.0.0.1:${this.port}/healthz`;
    for (let waited = 0; waited < STARTED_MS; waited += 100) {
      if (await fetch(url).then((answer) => answer.ok, () => false)) return;
      await pause(100);
    }
    throw new Error("code-server did not start");
  }
}

function signal(group, name) {
  try {
    return process.kill(-group, name);
  } catch {
    return false; // it is gone
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
