// VS Code in a browser: code-server with the packaged extension in a fresh profile, and one Chromium.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Profile } from "./profile.mjs";
import { CACHE, CHROMIUM, chromium, CODE_SERVER, NODE, VSIX } from "./tools.mjs";
import { Workbench } from "./workbench.mjs";

const STARTED_MS = 60_000;
const ENDED_MS = 5_000;
const STEP_MS = 50;
const FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const NOT_OURS = /^(?:ANTHROPIC|OPENAI|PI|VSCODE|PYTHON)_/u; // keys and settings of whoever runs the tests

export class Editor {
  /** How many requests all pages made, and those that went elsewhere. */
  requests = 0;
  foreign = new Set();
  windows = new Set();

  static async start() {
    const editor = new Editor();
    editor.profile = new Profile(mkdtempSync(path.join(tmpdir(), "pi-lsp-vscode-")));
    editor.environ = editor.#environ();
    const done = await Promise.allSettled([editor.#serve(), editor.#browse()]);
    const failed = done.find(({ status }) => status === "rejected");
    if (!failed) return editor;
    await editor.stop();
    throw failed.reason;
  }

  /** A window on a folder or a workspace file (none: an empty window). */
  async open(folder) {
    const workbench = new Workbench(await this.context.newPage(), this);
    this.windows.add(workbench);
    await workbench.load(folder);
    return workbench;
  }

  /** The process of our server that works in a folder. */
  serverOf(folder) {
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
      for (let waited = 0; signal(group, 0) && waited < ENDED_MS; waited += STEP_MS) await pause(STEP_MS);
    }
    this.#leaveNothing();
  }

  /** Also of a run that is stopped in the middle. */
  #leaveNothing() {
    if (this.server?.pid) signal(this.server.pid, "SIGKILL");
    if (!process.env.KEEP_PROFILE) rmSync(this.profile.root, { recursive: true, force: true, maxRetries: 5 });
  }

  #environ() {
    const { root, home, agent } = this.profile;
    const pip = path.join(process.env.HOME ?? "", ".config", "pip", "pip.conf");
    const kept = Object.entries(process.env).filter(([name]) => !NOT_OURS.test(name));
    return {
      ...Object.fromEntries(kept),
      HOME: home,
      PI_CODING_AGENT_DIR: agent,
      TMPDIR: path.join(root, "tmp"),
      XDG_DATA_HOME: path.join(root, "xdg"),
      XDG_CONFIG_HOME: path.join(root, "xdg"),
      PIP_CACHE_DIR: path.join(CACHE, "pip"),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}', // else it would look for updates
      ...(existsSync(pip) ? { PIP_CONFIG_FILE: pip } : {}),
    };
  }

  async #serve() {
    const { config, userData, extensions, root } = this.profile;
    const places = [CODE_SERVER, "--config", config, "--user-data-dir", userData, "--extensions-dir", extensions];
    await promisify(execFile)(NODE, [...places, "--install-extension", VSIX], { env: this.environ });
    this.port = await freePort();
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"];
    const log = openSync(path.join(root, "server.log"), "w");
    const args = [...places, "--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, ...quiet];
    this.server = spawn(NODE, args, { env: this.environ, detached: true, stdio: ["ignore", log, log] });
    process.once("exit", () => this.#leaveNothing());
    const url = `http://127.0.0.1:${this.port}/healthz`;
    for (let waited = 0; waited < STARTED_MS; waited += STEP_MS) {
      if (await fetch(url).then((answer) => answer.ok, () => false)) return;
      await pause(STEP_MS);
    }
    throw new Error("code-server did not start");
  }

  async #browse() {
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(" ") });
    // One for all windows: the later ones find scripts and webviews in its cache, as a person's do.
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
    await this.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    this.context.setDefaultTimeout(30_000);
    const watch = (address) => {
      this.requests += 1;
      const { protocol, hostname } = new URL(address);
      // Webviews name their resources by this host; the service worker answers, nothing goes out.
      const own = hostname === "127.0.0.1" || hostname.endsWith(".vscode-resource.vscode-cdn.net");
      if (!own && !["blob:", "data:"].includes(protocol)) this.foreign.add(address.slice(0, 200));
    };
    this.context.on("request", (request) => watch(request.url()));
    this.context.on("page", (page) => page.on("websocket", (socket) => watch(socket.url())));
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
