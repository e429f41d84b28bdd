// Looking: rules, the session tree and the context in a real VS Code, from the packaged extension in a fresh profile.
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { Editor } from "./support/editor.mjs";
import { missing } from "./support/tools.mjs";

describe("looking", { skip: missing }, () => {
  let editor;
  let window;
  let workspace;

  before(async () => {
    editor = await Editor.start({ fresh: true });
    workspace = editor.profile.sample();
    window = await editor.open(workspace);
  });
  afterEach((test) => test.passed || window?.shot(`failed ${test.name}`));
  after(() => editor?.stop());

  it("makes the server's environment at the first start", async () => {
    await window.status("2 rules");
  });

  it("marks folders with rules of their own, and says which rules apply", async () => {
    await window.file("apps").click();
    await window.file("web").waitFor();
    await window.badge(window.file("web"), "π");
    await window.badge(window.file("db"), "");
    await window.shots("explorer-tooltip", () => window.tooltip(window.file("web").locator(".label-name"), "AGENTS.override.md"));
  });

  it("says in warning colour that a rule file is shadowed", async () => {
    const item = window.page.locator('.statusbar-item[id*="piLsp"]', { hasText: "rules" });
    assert.match(await item.getAttribute("class"), /warning-kind/u);
    const tooltip = await window.tooltip(item, "is read instead");
    assert.match(await tooltip.innerText(), /CLAUDE\.md/u);
    await item.click();
    await window.pick("AGENTS.md").waitFor();
    await window.shots("rules-here");
    await window.page.keyboard.press("Escape");
  });

  it("explains a rule file on hover", async () => {
    await window.file("AGENTS.md").last().dblclick();
    const line = window.page.locator(".monaco-editor .view-line").first();
    await window.shots("hover", () => window.tooltip(line.locator("span span").first(), "tokens"));
  });

  it("shows rules, session tree and context side by side", async () => {
    await window.container("Pi");
    await window.row("you are here").waitFor();
    await window.row("CLAUDE.md").waitFor();
    await window.row("System prompt").waitFor();
    await window.shots("views");
  });

  it("follows what the terminal appends", async () => {
    const file = path.join(editor.profile.agent, "sessions", `--${workspace.slice(1).replaceAll("/", "-")}--`, "sample.jsonl");
    const entry = {
      type: "message",
      id: "feed0001",
      parentId: "e8a06a94",
      timestamp: "2026-05-04T09:00:00.000Z",
      message: { role: "user", content: "Written by the terminal meanwhile", timestamp: 1777885200000 },
    };
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
    await window.row("Written by the terminal meanwhile").waitFor();
  });

  it("searches the tree, and shows all of it again", async () => {
    await window.command("Pi: Search Session Tree");
    await window.answer("polyfill");
    await window.page.keyboard.press("Enter");
    await window.row("Written by the terminal").waitFor({ state: "detached" });
    await window.row("temporal-polyfill").waitFor();
    await window.command("Pi: Show the Whole Session Tree");
    await window.row("Written by the terminal").waitFor();
  });

  it("tells why it forgot, and what did it", async () => {
    await window.command("Pi: Why Did It Forget");
    await window.answer("parse it by hand");
    await window.pick("Lisbon").waitFor();
    assert.match(await window.page.locator(".quick-input-list").innerText(), /replaced by the compaction/u);
    await window.shots("explain");
    await window.page.keyboard.press("Escape");
  });

  it("previews a compaction, which writes nothing", async () => {
    editor.profile.set({ "pi.compaction.keepRecentTokens": 500 });
    await window.page.waitForTimeout(500); // the server asks for the new settings
    await window.command("Pi: Preview Compaction");
    await window.lens("local summary").waitFor();
    await window.shots("compaction-preview");
  });

  it("lists sessions to open", async () => {
    await window.command("Pi: Open Session");
    await window.pick("Bookings that end at midnight").waitFor();
    await window.shots("open-session");
    await window.page.keyboard.press("Escape");
  });

  it("follows a new rule file", async () => {
    writeFileSync(path.join(workspace, "db", "AGENTS.md"), "# Database\n\n- Migrations only go forward.\n");
    await window.container("Explorer");
    await window.badge(window.file("db"), "π");
  });

  it("asks nobody else", () => {
    assert.deepEqual([...window.foreign], []);
  });
});
