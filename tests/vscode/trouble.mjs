// The chat when something comes between: it is hidden, the window is loaded again, the server dies, the model fails.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { ENDLESS, inChat, SLOW, theChat } from "./support/chat.mjs";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

describe("chat in trouble", () => {
  let editor;
  let model;
  let workspace;
  let window;
  let chat;

  const { field, say, idle, item } = inChat(() => chat);
  const openChat = async () => { chat = await theChat(window); };

  before(async () => {
    editor = await theEditor();
    model = await theModel();
    workspace = editor.profile.sample("surge");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
    await openChat();
  });
  after(() => window?.close());

  scenario("goes on when it was hidden in mid-answer and is shown again, with the draft", async () => {
    await model.will(SLOW);
    await say("While I look elsewhere.");
    await chat.locator(".item.live", { hasText: "word5" }).waitFor();
    await field().fill("half a thought");
    await window.closeSecondary();
    await openChat();
    await chat.locator(".item.live", { hasText: "word9" }).waitFor();
    assert.ok(await chat.locator("button.stop").isVisible());
    assert.equal(await field().inputValue(), "half a thought");
    await item("assistant", "word119").waitFor();
    await idle();
    assert.equal(await chat.locator(".item.assistant", { hasText: "word119" }).count(), 1);
    await field().fill("");
  });

  scenario("gives back what waits when the server dies in mid-answer", async () => {
    await model.will(ENDLESS);
    await say("And then the server dies.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await say("Steered into nothing.");
    await chat.locator(".queue li").waitFor();
    process.kill(editor.serverOf(workspace), "SIGKILL");
    await window.notification("being started again").waitFor();
    await window.status("2 rules");
    await window.until(async () => (await field().inputValue()) === "Steered into nothing.", "what waited is lost");
    await item("user", "And then the server dies.").waitFor();
    await chat.locator(".notice", { hasText: "is starting" }).waitFor({ state: "hidden" });
    await idle();
    assert.equal(await chat.locator(".codicon-modifier-spin:visible, .item.live, .queue li").count(), 0);
    await window.dismiss();
    await window.shots("chat-crash");
    await field().fill("");
  });

  scenario("says what was written while the server was starting", async () => {
    const pid = editor.serverOf(workspace);
    await model.will({ text: "Heard, once I was there." });
    await window.command("Pi: Restart Server");
    await chat.locator(".notice", { hasText: "is starting" }).waitFor();
    await say("Are you there?");
    await item("assistant", "Heard, once I was there.").waitFor();
    assert.notEqual(editor.serverOf(workspace), pid);
    await idle();
  });

  scenario("shows why an answer failed, here and in the tree", async () => {
    await model.will({ status: 400, error: "the model does not take this" });
    await say("Fail, please.");
    await chat.locator(".item.assistant .problem", { hasText: "does not take this" }).waitFor();
    await idle();
    assert.equal(await chat.locator(".notice.problem:visible").count(), 0); // it is said once
    await window.container("Pi");
    await window.row("you are here").locator(".codicon-warning").waitFor();
    await window.shots("chat-failed");
    await window.container("Explorer");
  });

  scenario("is there again after a reload in mid-answer, with the draft", async () => {
    await model.will(ENDLESS);
    await say("Once more at length.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await window.command("Pi: Open Chat in Editor");
    await window.webview("editor");
    await field().fill("a draft that stays");
    await window.reload();
    await window.status("rules");
    const other = await window.webview("editor");
    await other.locator(".item.user", { hasText: "Once more at length." }).waitFor();
    await window.command("View: Close Editor");
    await openChat();
    await item("user", "Once more at length.").waitFor();
    await item("assistant", "word20").waitFor();
    assert.equal(await field().inputValue(), "a draft that stays");
    await window.shots("reloaded");
    await field().fill("");
  });
});
