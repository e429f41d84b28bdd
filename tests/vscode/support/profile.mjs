// A fresh profile of VS Code, and copies of the sample project, under one temporary folder.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CACHE, PROJECT } from "./tools.mjs";

const ENVIRONMENTS = path.join(CACHE, "environments");
const LONG_AGO = new Date("2026-05-04T08:20:00Z"); // a session of just now may be in use elsewhere, so it is left alone
const SAMPLE = path.join(PROJECT, "pi_lsp", "sample");

const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.reduceMotion": "on",
  "workbench.hover.delay": 200,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "editor.hover.delay": 200,
  "editor.minimap.enabled": false,
  "telemetry.telemetryLevel": "off",
  "telemetry.feedback.enabled": false,
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "explorer.compactFolders": false,
  "window.commandCenter": false,
  "security.workspace.trust.enabled": false,
};

const THEMES = { dark: "Default Dark Modern", light: "Default Light Modern", contrast: "Default High Contrast" };

export class Profile {
  constructor(root) {
    this.root = root;
    this.home = path.join(root, "home");
    this.userData = path.join(root, "user-data");
    this.extensions = path.join(root, "extensions");
    this.settings = {};
    for (const folder of ["home", "tmp", "xdg", "extensions", "user-data/User", "user-data/Machine"]) {
      mkdirSync(path.join(root, folder), { recursive: true });
    }
    writeFileSync(this.config, "auth: none\n");
    this.theme("dark");
  }

  get config() {
    return path.join(this.root, "config.yaml");
  }

  get agent() {
    return path.join(this.home, ".pi", "agent");
  }

  get storage() {
    return path.join(this.userData, "User", "globalStorage", "pi-lsp.pi-lsp");
  }

  /** Keep the environment that the extension made, so that later profiles need not wait for theirs. */
  keepEnvironment() {
    if (!existsSync(this.storage)) return;
    rmSync(ENVIRONMENTS, { recursive: true, force: true });
    for (const name of readdirSync(this.storage).filter((one) => one.startsWith("server-"))) {
      copy(path.join(this.storage, name), path.join(ENVIRONMENTS, name));
    }
  }

  takeEnvironment() {
    if (existsSync(ENVIRONMENTS)) copy(ENVIRONMENTS, this.storage);
  }

  /** Pi's own settings of the person. */
  agentSettings(settings) {
    mkdirSync(this.agent, { recursive: true });
    writeFileSync(path.join(this.agent, "settings.json"), JSON.stringify(settings));
  }

  theme(name) {
    this.set({ "workbench.colorTheme": THEMES[name] });
  }

  /** Change the person's settings; VS Code follows the file. */
  set(settings) {
    this.settings = { ...this.settings, ...settings };
    const all = JSON.stringify({ ...QUIET, ...this.settings }, null, 2);
    writeFileSync(path.join(this.userData, "User", "settings.json"), all);
    writeFileSync(path.join(this.userData, "Machine", "settings.json"), all);
  }

  /** The sample project with its recorded session; its path. */
  sample(name = "harbour") {
    const workspace = path.join(this.home, name);
    cpSync(path.join(SAMPLE, "workspace"), workspace, { recursive: true });
    cpSync(path.join(SAMPLE, "agent"), this.agent, { recursive: true });
    const text = readFileSync(path.join(SAMPLE, "session.jsonl"), "utf8")
      .replaceAll("{{WORKSPACE}}", workspace)
      .replaceAll("{{AGENT}}", this.agent);
    this.session(workspace, "sample.jsonl", text);
    writeFileSync(path.join(this.agent, "trust.json"), JSON.stringify({ [workspace]: true }));
    return workspace;
  }

  /** Put a session of a workspace where Pi keeps them; its path. */
  session(workspace, name, text) {
    const folder = path.join(this.agent, "sessions", `--${workspace.replace(/^\//u, "").replaceAll("/", "-")}--`);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    writeFileSync(file, text);
    utimesSync(file, LONG_AGO, LONG_AGO);
    return file;
  }
}

const copy = (from, to) => cpSync(from, to, { recursive: true, verbatimSymlinks: true, force: true });
