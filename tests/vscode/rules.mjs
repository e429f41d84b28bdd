// Rules where you look: explorer, status bar, rule files, and the view of all of them.
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor } from "./support/shared.mjs";

describe("rules", () => {
  let editor;
  let workspace;
  let window;

  before(async () => {
    editor = await theEditor();
    workspace = editor.profile.sample("harbour");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
  });
  after(() => window?.close());

  scenario("marks folders with rules of their own, and says which rules apply", async () => {
    await window.file("apps").click();
    await window.badge(window.file("web"), "π");
    await window.badge(window.file("db"), "");
    await window.shots("explorer-tooltip", () => window.tooltip(window.file("web").locator(".label-name"), "AGENTS.override.md"));
  });

  scenario("says in warning colour that a rule file is shadowed", async () => {
    const item = await window.status("rules");
    assert.match(await item.getAttribute("class"), /warning-kind/u);
    const tooltip = await window.tooltip(item, "is read instead");
    assert.match(await tooltip.innerText(), /CLAUDE\.md/u);
    await window.shots("status", () => window.tooltip(item, "is read instead"));
    await item.click();
    await window.pick("AGENTS.md").waitFor();
    await window.shots("rules-here");
    await window.escape();
  });

  scenario("says it of any folder by its context menu", async () => {
    await window.choose(window.file("services"), "Show Rules Here");
    await window.pick("Create AGENTS.md here").waitFor();
    await window.shots("rules-of-folder");
    await window.escape();
  });

  scenario("explains a rule file on hover", async () => {
    await window.file("AGENTS.md").last().dblclick();
    const title = window.lines("#").first().locator("span span").first();
    await window.shots("hover", () => window.tooltip(title, "tokens"));
  });

  scenario("follows a new rule file", async () => {
    writeFileSync(path.join(workspace, "db", "AGENTS.md"), "# Database\n\n- Migrations only go forward.\n");
    await window.badge(window.file("db"), "π");
    await window.shots("new-rules");
  });

  scenario("compares a changed rule file with what the session was told", async () => {
    appendFileSync(path.join(workspace, "AGENTS.md"), "- A rule that came later.\n");
    await window.container("Pi");
    await window.only("Rules & Skills");
    const changed = window.row("changed");
    await window.shots("rules-view", () => changed.hover());
    await window.press(changed, "Compare");
    await window.page.locator(".monaco-diff-editor .view-line", { hasText: "A rule that came later" }).first().waitFor();
    await window.shots("rules-diff");
  });
});
