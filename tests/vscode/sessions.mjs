// Sessions: another one, the same one in two windows, and the real Pi in a terminal beside it.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

describe("sessions", () => {
  let editor;
  let model;
  let workspace;
  let window;
  let chat;

  const session = () => path.join(editor.profile.sessions(workspace), "sample.jsonl");
  const item = (kind, text) => chat.locator(`.item.${kind}`, { hasText: text }).last();
  const say = async (text) => {
    await chat.locator("textarea").fill(text);
    await chat.locator("textarea").press("Enter");
  };

  before(async () => {
    editor = await theEditor();
    model = await theModel();
    workspace = editor.profile.sample("pier");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
    await window.command("Pi: Open Chat");
    chat = await window.webview();
  });
  after(() => window?.close());

  scenario("begins a new one, names it, and opens the old one again", async () => {
    await window.command("Pi: New Session");
    await chat.locator(".empty").waitFor();
    await window.shots("new-session");
    await model.will({ text: "Good morning." });
    await say("Good morning!");
    await item("assistant", "Good morning.").waitFor();
    await window.command("Pi: Rename Session");
    await window.answer("Small talk", { enter: true });
    await window.command("Pi: Open Session");
    await window.pick("Small talk").waitFor();
    await window.pick("Bookings that end at midnight").waitFor();
    await window.shots("open-session");
    await window.answer("midnight");
    await window.pick("Small talk").waitFor({ state: "detached" });
    await window.pick("Bookings that end at midnight").click();
    await item("assistant", "Noted: no abbreviated month names").waitFor();
  });

  scenario("marks one that another window has open", async () => {
    const second = await editor.open(workspace);
    await second.status("2 rules");
    await second.command("Pi: Open Session");
    await second.pick("Bookings that end at midnight").filter({ hasText: "open elsewhere" }).waitFor();
    await second.shots("open-elsewhere");
    await second.pick("Bookings that end at midnight").click();
    await second.command("Pi: Open Chat");
    const other = await second.webview();
    await other.locator(".item.assistant", { hasText: "Noted: no abbreviated month names" }).waitFor();
    await model.will({ text: "An answer that both windows show." });
    await say("Do both see this?");
    await item("assistant", "An answer that both windows show.").waitFor();
    await other.locator(".item.user", { hasText: "Do both see this?" }).waitFor();
    await other.locator(".item.assistant", { hasText: "An answer that both windows show." }).waitFor();
    await second.shots("second-window");
    await second.close();
  });

  scenario("shows all that another program appends at once", async () => {
    const at = { timestamp: "2026-05-04T09:00:00.000Z" };
    const { id } = JSON.parse(readFileSync(session(), "utf8").trimEnd().split("\n").at(-1));
    const said = (one, parentId, message) => JSON.stringify({ type: "message", id: one, parentId, ...at, message: { timestamp: 1, ...message } });
    const question = said("feed0001", id, { role: "user", content: "A question from outside" });
    const answer = said("feed0002", "feed0001", { role: "user", content: "Another one, in the same breath" });
    appendFileSync(session(), `${question}\n${answer}\n`);
    await item("user", "Another one, in the same breath").waitFor();
    await item("user", "A question from outside").waitFor();
    await window.shots("appended");
  });

  scenario("goes to and fro between the editor and Pi in a terminal", async () => {
    const { home, agent } = editor.profile;
    await model.startPi({ home, agent, workspace, session: session() });
    await model.will({ text: "An answer that Pi got in the terminal." });
    await model.askPi("Asked in the terminal");
    await item("user", "Asked in the terminal").waitFor();
    await item("assistant", "An answer that Pi got in the terminal.").waitFor();
    await window.shots("terminal");

    await model.will({ text: "An answer in the editor." });
    await say("Asked in the editor");
    await item("assistant", "An answer in the editor.").waitFor();
    assert.match(JSON.stringify((await model.lastRequest()).body), /An answer that Pi got in the terminal\./u);
    await model.piOpens(session());
    const texts = JSON.stringify((await model.piMessages()).slice(-8));
    for (const one of ["Asked in the terminal", "Asked in the editor", "An answer in the editor."]) assert.ok(texts.includes(one), one);
  });
});
