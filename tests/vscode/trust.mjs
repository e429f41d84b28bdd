// Trust: what a folder brings along is used only where the person trusts it, in VS Code and in Pi.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, describe } from "node:test";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

const HOOK = `
from pathlib import Path
from pi_lsp.agent.hook_specs import hookimpl

Path(__file__).with_name("was-run").touch()

@hookimpl
def append_context(messages, cwd):
    return "Said by a hook of the folder."
`;

describe("trust", () => {
  let editor;
  let model;
  let window;

  before(async () => {
    editor = await theEditor();
    model = await theModel();
  });
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });
  after(() => editor.profile.set({ "security.workspace.trust.enabled": false }));

  /** The sample, with a system prompt and a hook of its own. */
  const folder = (name) => {
    const workspace = editor.profile.sample(name);
    mkdirSync(path.join(workspace, ".pi", "lsp"), { recursive: true });
    writeFileSync(path.join(workspace, ".pi", "SYSTEM.md"), "Said by the SYSTEM.md of the folder.\n");
    writeFileSync(path.join(workspace, ".pi", "lsp", "hook.py"), HOOK);
    return workspace;
  };
  const ask = async (text) => {
    await window.command("Pi: Open Chat");
    const chat = await window.webview();
    await model.will({ text: `An answer to ${text}` });
    await chat.locator("textarea").fill(text);
    await chat.locator("textarea").press("Enter");
    await chat.locator(".item.assistant", { hasText: `An answer to ${text}` }).waitFor();
    return JSON.stringify((await model.lastRequest()).body);
  };

  scenario("uses nothing of the folder's own in Restricted Mode, and all of it once trust is granted", async () => {
    editor.profile.set({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" });
    const workspace = folder("restricted");
    editor.profile.trust({ [workspace]: true }); // Pi's own trust does not go before VS Code's
    window = await editor.open(workspace);
    await window.status("2 rules");
    await window.container("Pi");
    await window.row("you are here").waitFor();
    await window.row("System prompt").waitFor();
    await window.only("Rules & Skills");
    await window.row("review").waitFor(); // a skill of the person's own
    await window.row("db-migration").filter({ hasText: "not listed" }).waitFor(); // a skill of the folder
    await window.shots("restricted");
    const restricted = await ask("first");
    assert.doesNotMatch(restricted, /of the folder\./u);
    assert.ok(!existsSync(path.join(workspace, ".pi", "lsp", "was-run")));

    await window.command("Workspaces: Manage Workspace Trust");
    await window.page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    await window.command("View: Close Editor");
    await window.row("db-migration").filter({ hasText: "Write and check" }).waitFor();
    await window.shots("granted");
    const trusted = await ask("second");
    assert.match(trusted, /Said by the SYSTEM\.md of the folder\./u);
    assert.match(trusted, /Said by a hook of the folder\./u);
  });

  scenario("asks once whether Pi may use what the folder brings along", async () => {
    editor.profile.set({ "security.workspace.trust.enabled": false });
    const workspace = folder("untold");
    editor.profile.trust({});
    window = await editor.open(workspace);
    const question = window.notification("this folder has settings, skills or prompts of its own");
    await question.waitFor();
    await window.shots("trust");
    assert.doesNotMatch(await ask("first"), /of the folder\./u);
    await question.locator(".monaco-button", { hasText: "Trust" }).first().click();
    await window.container("Pi");
    await window.only("Rules & Skills");
    await window.row("db-migration").filter({ hasText: "Write and check" }).waitFor();
    assert.match(await ask("second"), /Said by a hook of the folder\./u);
    const remembered = JSON.parse(readFileSync(path.join(editor.profile.agent, "trust.json"), "utf8"));
    assert.equal(remembered[workspace], true);
  });
});
