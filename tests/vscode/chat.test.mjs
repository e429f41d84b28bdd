// Talking: the chat, branches and compactions in a real VS Code, with a real server and a strict Messages API.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { Editor } from "./support/editor.mjs";
import { startModel } from "./support/model.mjs";
import { missing } from "./support/tools.mjs";

const CODE = "Half-open intervals compare like this:\n\n```python\ndef overlaps(a: Booking, b: Booking) -> bool:\n    # one may begin where the other ends\n    return a.arrival < b.departure and b.arrival < a.departure\n```\n\n1. **Arrival** belongs to the stay.\n2. **Departure** does not, see `bookings.py`.\n";
const LONG = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");

/** What the model answers, in the order of the tests. */
const REPLIES = [
  { text: CODE, thinking: "The comparison decides, so I look there first.", chunk: 6, delay_s: 0.02 },
  { text: LONG, chunk: 8, delay_s: 0.03 },
  { text: "Steered: shorter now." },
  { text: LONG, chunk: 8, delay_s: 0.05 },
  { status: 429, headers: { "retry-after": "2" }, error: "rate limited" },
  { text: "It went through in the end." },
  { text: LONG, chunk: 8, delay_s: 0.05 },
];

describe("talking", { skip: missing }, () => {
  let editor;
  let model;
  let window;
  let chat;
  let workspace;

  const field = () => chat.locator("textarea");
  const say = async (text) => {
    await field().fill(text);
    await field().press("Enter");
  };
  const idle = () => chat.locator("button.stop").waitFor({ state: "hidden" });

  before(async () => {
    editor = await Editor.start();
    model = await startModel(editor.profile.root, REPLIES);
    workspace = editor.profile.sample();
    window = await editor.open(workspace);
    await window.status("rules");
    await window.command("Pi: Open Chat");
    chat = window.webview();
  });
  afterEach((test) => test.passed || window?.shot(`failed ${test.name}`));
  after(async () => {
    model?.stop();
    await editor?.stop();
  });

  it("draws a recorded session", async () => {
    await chat.locator(".item.assistant", { hasText: "Noted: no abbreviated month names" }).waitFor();
    assert.ok((await chat.locator("details.tool").count()) > 5);
    await window.shots("chat-recorded");
  });

  it("asks for an API key where there is none", async () => {
    await say("Why half-open?");
    await chat.locator(".notice.problem", { hasText: "Set API Key" }).waitFor();
    assert.equal(await field().inputValue(), "Why half-open?"); // what was written is not lost
    await window.shots("no-key");
    await window.command("Pi: Set API Key");
    await window.answer("sk-ant-test-4711");
    await window.page.keyboard.press("Enter");
    // A gateway of the person's own needs no key, so it is named only now.
    editor.profile.agentSettings({ baseUrl: model.url, retry: { baseDelayMs: 2000 } });
    await window.page.waitForTimeout(1000);
  });

  it("streams an answer", async () => {
    await say("Why half-open?");
    await chat.locator(".item.live").waitFor();
    await chat.locator(".item.assistant", { hasText: "Departure does not" }).waitFor();
    await idle();
    await chat.locator(".hljs-keyword").first().waitFor();
    await window.shots("chat");
  });

  it("shows the same conversation in an editor", async () => {
    await window.command("Pi: Open Chat in Editor");
    const tab = window.page.locator(".tab", { hasText: "Pi Chat" });
    await tab.waitFor();
    await window.command("View: Hide Secondary Side Bar");
    await window.container("Pi");
    await window.only("Session");
    await window.webview().locator(".item.assistant", { hasText: "Departure does not" }).waitFor();
    await window.shots("chat-editor");
    await window.command("View: Close Editor");
    await tab.waitFor({ state: "detached" });
    await window.command("Pi: Open Chat");
    await chat.locator(".item").first().waitFor();
  });

  it("steers a running answer", async () => {
    await say("Tell me at length.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await say("Shorter, please.");
    assert.equal(await chat.locator(".queue input").inputValue(), "Shorter, please.");
    await window.shot("chat-steer");
    await chat.locator(".item.assistant", { hasText: "Steered: shorter now." }).waitFor({ timeout: 60_000 });
    await idle();
  });

  it("stops an answer, and keeps what was said", async () => {
    await say("Again at length.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await field().press("Escape");
    await chat.locator(".item.assistant .ending", { hasText: "Stopped." }).waitFor();
    await idle();
  });

  it("shows that it tries again when the provider is busy", async () => {
    await say("Are you busy?");
    await chat.locator(".notice", { hasText: "Trying again" }).waitFor();
    await window.shot("chat-retry");
    await chat.locator(".item.assistant", { hasText: "in the end" }).waitFor({ timeout: 30_000 });
    await idle();
  });

  it("is there again after a reload in mid-answer", async () => {
    await say("Once more at length.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await field().fill("a draft that stays");
    await window.page.reload();
    await window.status("rules");
    await window.command("Pi: Open Chat");
    await chat.locator(".item.user", { hasText: "Once more at length." }).waitFor();
  });

  it("compacts without a model, and takes it back", async () => {
    editor.profile.set({ "pi.compaction.keepRecentTokens": 300 });
    await window.page.waitForTimeout(500);
    await window.command("Pi: Preview Compaction");
    await window.lens("local summary").click();
    await window.notification("compacted").waitFor();
    await chat.locator(".item.compaction", { hasText: "Compacted here" }).last().waitFor();
    await window.shots("compacted");
    await window.command("Pi: Undo Compaction");
    await window.notification("from before the compaction").waitFor();
  });

  it("goes on from an earlier message, with a local summary of what is left", async () => {
    const said = chat.locator(".item.user", { hasText: "Are you busy?" });
    await said.hover();
    await said.locator('button[aria-label^="Edit and send again"]').click();
    await window.pick("local summary").click();
    await chat.locator(".item.branch", { hasText: "Summary of another branch" }).last().waitFor();
    assert.match(await field().inputValue(), /Are you busy\?/u);
    await window.shots("branch");
  });

  it("brings back what was forgotten", async () => {
    await window.command("Pi: Why Did It Forget");
    await window.answer("parse it by hand");
    const hit = window.pick("Lisbon");
    await hit.hover();
    await hit.locator('[aria-label="Bring it back"], .codicon-debug-restart').first().click();
    await window.pick("Sent").waitFor();
    await window.page.keyboard.press("Escape");
    await chat.locator(".item.note", { hasText: "parse it by hand" }).waitFor();
  });

  it("opens a new session and the old one again", async () => {
    await window.command("Pi: New Session");
    await chat.locator(".empty").waitFor();
    await window.shots("new-session");
    await window.command("Pi: Open Session");
    await window.pick("Bookings that end at midnight").click();
    await chat.locator(".item").first().waitFor();
  });

  it("attaches a selection, completes files and skills", async () => {
    await field().fill("");
    await field().pressSequentially("/skill:rev");
    await chat.locator(".completions li", { hasText: "/skill:review" }).waitFor();
    await field().press("Tab");
    assert.equal(await field().inputValue(), "/skill:review ");
    await field().pressSequentially("@calendar");
    await chat.locator(".completions li", { hasText: "calendar.ts" }).waitFor();
    await field().press("Enter");
    await chat.locator(".chip", { hasText: "calendar.ts" }).waitFor();
    await window.shots("completion");
  });

  it("asks nobody else", () => {
    assert.deepEqual([...window.foreign], []);
  });
});
