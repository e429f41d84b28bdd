// A fresh profile of VS Code, and copies of the sample project, under one temporary folder.
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "./tools.mjs";

const LONG_AGO = new Date("2026-05-04T08:20:00Z"); // a session of just now may be in use elsewhere, so it is left alone
const SAMPLE = path.join(PROJECT, "pi_lsp", "sample");

const QUIET = {
  // The theme follows the page's colour scheme, so that a window changes it alone and at once.
  "window.autoDetectColorScheme": true,
  "workbench.preferredDarkColorTheme": "Default Dark Modern",
  "workbench.preferredLightColorTheme": "Default Light Modern",
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

export class Profile {
  #settings = QUIET;

  constructor(root) {
    this.root = root;
    this.home = path.join(root, "home");
    this.agent = path.join(this.home, ".pi", "agent");
    this.extensions = path.join(root, "extensions");
    this.userData = path.join(root, "user-data");
    this.config = path.join(root, "config.yaml");
    /** Where the extension makes its environment. */
    this.storage = path.join(this.userData, "User", "globalStorage", "pi-lsp.pi-lsp");
    for (const folder of ["tmp", "xdg", "extensions", "user-data/User", "user-data/Machine", "home/.pi/agent"]) {
      mkdirSync(path.join(root, folder), { recursive: true });
    }
    writeFileSync(this.config, "auth: none\n");
    this.set({});
  }

  /** Change the person's settings; VS Code follows the file. */
  set(settings) {
    this.#settings = { ...this.#settings, ...settings };
    const all = JSON.stringify(this.#settings, null, 2);
    writeFileSync(path.join(this.userData, "User", "settings.json"), all);
    writeFileSync(path.join(this.userData, "Machine", "settings.json"), all); // read in their place by code-server
  }

  /** A file of Pi's in the person's agent folder. */
  agentFile(name, value) {
    writeFileSync(path.join(this.agent, name), JSON.stringify(value));
  }

  /** Pi's own trust in folders. */
  trust(folders) {
    this.agentFile("trust.json", folders);
  }

  /** The sample project with its recorded session; its path. */
  sample(name) {
    const workspace = path.join(this.home, name);
    cpSync(path.join(SAMPLE, "workspace"), workspace, { recursive: true });
    cpSync(path.join(SAMPLE, "agent"), this.agent, { recursive: true });
    const text = readFileSync(path.join(SAMPLE, "session.jsonl"), "utf8")
      .replaceAll("{{WORKSPACE}}", workspace)
      .replaceAll("{{AGENT}}", this.agent);
    this.session(workspace, "sample.jsonl", text);
    return workspace;
  }

  /** Where Pi keeps the sessions of a workspace. */
  sessions(workspace) {
    return path.join(this.agent, "sessions", `--${workspace.slice(1).replaceAll("/", "-")}--`);
  }

  /** Put a session of a workspace there; its path. */
  session(workspace, name, text) {
    const folder = this.sessions(workspace);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    writeFileSync(file, text);
    utimesSync(file, LONG_AGO, LONG_AGO);
    return file;
  }
}
