// The session tree and the context: what was said, what the model sees of it, and why it forgot.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

describe("session tree and context", () => {
  let editor;
  let model;
  let workspace;
  let window;

  before(async () => {
    editor = await theEditor();
    model = await theModel();
    workspace = editor.profile.sample("port");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
    await window.container("Pi");
  });
  after(() => window?.close());

  scenario("shows tree, rules and context side by side", async () => {
    await window.row("you are here").waitFor();
    await window.row("CLAUDE.md").waitFor();
    await window.row("System prompt").waitFor();
    await window.shots("views");
  });

  scenario("follows what another program appends", async () => {
    await window.only("Session");
    const entry = {
      type: "message",
      id: "feed0001",
      parentId: "e8a06a94",
      timestamp: "2026-05-04T09:00:00.000Z",
      message: { role: "user", content: "Written by another program", timestamp: 1777885200000 },
    };
    appendFileSync(path.join(editor.profile.sessions(workspace), "sample.jsonl"), `${JSON.stringify(entry)}\n`);
    await window.row("Written by another program").waitFor();
    await window.shots("tree");
  });

  scenario("searches the tree, filters it, and shows all of it again", async () => {
    await window.command("Pi: Search Session Tree");
    await window.answer("polyfill", { enter: true });
    await window.row("Written by another program").waitFor({ state: "detached" });
    await window.row("temporal-polyfill").waitFor();
    await window.shots("tree-search");
    await window.command("Pi: Show the Whole Session Tree");
    await window.row("Written by another program").waitFor();
    await window.command("Pi: Filter Session Tree");
    await window.pick("labelled").click();
    await window.row("Written by another program").waitFor({ state: "detached" });
    await window.row("API fixed").waitFor();
    await window.command("Pi: Show the Whole Session Tree");
    await window.row("Written by another program").waitFor();
  });

  scenario("labels an entry", async () => {
    await window.choose(window.row("Written by another program"), "Label…");
    await window.answer("asked outside", { enter: true });
    await window.row("asked outside").waitFor();
    await window.shots("tree-label");
  });

  scenario("goes on from another entry, with a summary that the model writes", async () => {
    await model.will({ text: "## Goal\nA summary that the model wrote of the branch.\n" });
    await window.choose(window.row("One test fails"), "Switch Branch…");
    await window.shots("switch");
    await window.pick("summary by the model").click();
    await window.answer("Keep the names of files.", { enter: true });
    await window.row("A summary that the model wrote").click();
    await window.lines("A summary that the model wrote").waitFor();
    assert.match(JSON.stringify((await model.lastRequest()).body), /Keep the names of files\./u);
    await window.row("Yes, please").waitFor(); // what was left stands as a branch
    await window.shots("switched");
  });

  scenario("offers where to go on where no row is at hand", async () => {
    await window.command("Pi: Switch Branch");
    await window.pick("on another branch").waitFor();
    assert.match(await window.page.locator(".quick-input-list").innerText(), /Ends of other branches[^]*This branch/u);
    await window.shots("switch-where");
    await window.pick("on another branch").click();
    await window.pick("local summary").waitFor();
    await window.escape();
  });

  scenario("says what the model sees, and opens where it comes from", async () => {
    await window.only("What the Model Sees");
    await window.shots("context");
    await window.row("~/.pi/agent/AGENTS.md").click();
    await window.lines("For every project").waitFor();
  });

  scenario("tells why it forgot, what did it, and brings it back", async () => {
    await window.command("Pi: Why Did It Forget");
    await window.answer("parse it by hand");
    const hit = window.pick("Lisbon");
    await hit.waitFor();
    assert.match(await window.page.locator(".quick-input-list").innerText(), /replaced by the compaction/u);
    await window.shots("explain", () => hit.hover());
    await window.press(hit, "Bring it back");
    await window.pick("Sent").waitFor();
    await window.shots("restored");
    await window.escape();
  });

  scenario("forks into a new session", async () => {
    await window.only("Session");
    await window.choose(await window.reach("Make the intervals half-open"), "Fork into a New Session");
    const chat = await window.webview();
    await chat.locator("textarea").and(chat.locator(":focus")).waitFor();
    assert.equal(await chat.locator("textarea").inputValue(), "Make the intervals half-open, in both places.");
    await window.row("Half-open in the code").waitFor({ state: "detached" });
    await window.row("Bookings that end at midnight").waitFor();
    await window.shots("forked");
  });
});
