// The chat, with a real server and the strict Messages API behind it.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { ENDLESS, inChat, SLOW, theChat } from "./support/chat.mjs";
import { dropImage, pasteImage } from "./support/images.mjs";
import { scenario, theEditor, theModel } from "./support/shared.mjs";

const CODE = "Half-open intervals compare like this:\n\n```python\ndef overlaps(a: Booking, b: Booking) -> bool:\n    # one may begin where the other ends\n    return a.arrival < b.departure and b.arrival < a.departure\n```\n\n1. **Arrival** belongs to the stay.\n2. **Departure** does not, see `bookings.py`.\n";
const KEY = "sk-ant-test-4711";
const HEBREW = "בודקים את **החישוב** ב־`bookings.py`:\n\n1. ההגעה שייכת לשהייה.\n2. העזיבה לא, ראו [השורה](bookings.py#L12).\n\n```python\nreturn a < b  # חצי פתוח\n```\n\n区间是半开的：到达属于住宿，离开不属于。";

describe("chat", () => {
  let editor;
  let model;
  let workspace;
  let window;
  let chat;

  const { field, say, idle, item } = inChat(() => chat);
  const openChat = async () => { chat = await theChat(window); };

  before(async () => {
    editor = await theEditor();
    workspace = editor.profile.sample("quay");
    editor.profile.trust({ [workspace]: true });
    editor.profile.agentFile("settings.json", {}); // no gateway,
    editor.profile.agentFile("models.json", { providers: {} }); // and no key
    window = await editor.open(workspace);
    await window.status("2 rules");
    await openChat();
  });
  after(() => window?.close());

  scenario("draws a recorded session", async () => {
    await item("assistant", "Noted: no abbreviated month names").waitFor();
    assert.ok((await chat.locator("details.tool").count()) > 5);
    await window.shots("chat-recorded");
  });

  scenario("asks for an API key where there is none", async () => {
    await say("Why half-open?");
    await chat.locator(".notice.problem", { hasText: "API key" }).waitFor();
    await window.until(async () => (await field().inputValue()) === "Why half-open?", "what was written is lost");
    await window.shots("no-key");
    await window.command("Pi: Set API Key");
    await window.answer(KEY, { enter: true });
    model = await theModel();
    await model.will({ text: CODE, thinking: "The comparison decides, so I look there first.", chunk: 3, delay_s: 0.02 });
  });

  scenario("streams an answer", async () => {
    await say("Why half-open?");
    await chat.locator(".item.live", { hasText: "Half-open intervals" }).waitFor();
    await window.shots("chat-streaming");
    await item("assistant", "Departure does not").waitFor();
    assert.equal((await model.lastRequest()).headers["x-api-key"], KEY);
    await idle();
    await chat.locator(".hljs-keyword").first().waitFor();
    await window.shots("chat");
  });

  scenario("shows the same conversation in an editor", async () => {
    await window.command("Pi: Open Chat in Editor");
    const other = await window.webview("editor");
    await other.locator(".item.assistant", { hasText: "Departure does not" }).waitFor();
    await window.container("Pi");
    await window.row("Why half-open?").waitFor();
    await window.closeSecondary();
    await window.shots("chat-editor");
    await window.command("View: Close Editor");
    await window.container("Explorer");
    await openChat();
  });

  scenario("is read from right to left, and in Chinese", async () => {
    await model.will({ text: HEBREW });
    await say("למה הקטע חצי פתוח? 为什么？");
    await item("assistant", "离开不属于").waitFor(); // its end
    await idle();
    const direction = (locator) => locator.evaluate((one) => getComputedStyle(one).direction);
    assert.equal(await direction(item("user", "למה").locator(".text")), "rtl");
    assert.equal(await direction(item("assistant", "ההגעה").locator("ol")), "rtl");
    assert.equal(await direction(item("assistant", "ההגעה").locator("pre")), "ltr");
    await window.shots("right-to-left");
  });

  scenario("is worked by keys alone", async () => {
    const focused = (selector) => chat.locator(`${selector}:focus`).waitFor();
    await chat.locator(".list").focus();
    for (const selector of [".item.assistant", ".item.user"]) {
      await window.page.keyboard.press("ArrowUp");
      await focused(selector);
    }
    await window.page.keyboard.press("Tab");
    await focused('.item.user button[aria-label="Copy"]');
    await window.shots("keys");
    await window.page.keyboard.press("Escape");
    await focused("textarea");
  });

  scenario("steers a running answer, and says something after it", async () => {
    await model.will(SLOW, { text: "Steered: shorter now." }, { text: "And this came after." });
    await say("Tell me at length.");
    await chat.locator(".item.live", { hasText: "word5" }).waitFor();
    await say("Shorter, please.");
    await field().fill("And then?");
    await field().press("Alt+Enter");
    await chat.locator(".queue li").nth(1).waitFor();
    await window.shots("chat-steer");
    await item("assistant", "Steered: shorter now.").waitFor();
    await item("assistant", "And this came after.").waitFor();
    await idle();
  });

  scenario("stops an answer, and keeps what was said", async () => {
    await model.will(ENDLESS);
    await say("Again at length.");
    await chat.locator(".item.live", { hasText: "word20" }).waitFor();
    await field().press("Escape");
    await item("assistant", "Stopped").waitFor();
    assert.match(await item("assistant", "Stopped").innerText(), /word20/u);
    await idle();
    await window.container("Pi");
    await window.row("you are here").locator(".codicon-circle-slash").waitFor();
    await window.shots("chat-stopped");
    await window.container("Explorer");
  });

  scenario("shows that it tries again when the provider is busy", async () => {
    await model.will({ status: 429, headers: { "retry-after": "2" }, error: "rate limited" }, { text: "It went through in the end." });
    await say("Are you busy?");
    await chat.locator(".notice", { hasText: "The provider is busy; trying again in 2 s (1 of 3)." }).waitFor();
    await window.shots("chat-retry");
    await item("assistant", "in the end").waitFor();
    await idle();
  });

  scenario("sends images along that were pasted and dropped", async () => {
    await pasteImage(window, field());
    await chat.locator(".chip").waitFor();
    await dropImage(window, field());
    await chat.locator(".chip").nth(1).waitFor();
    await window.closeSecondary();
    await openChat();
    await chat.locator(".chip").nth(1).waitFor(); // a view that is hidden is a page that is gone
    await window.shots("images");
    await model.will({ text: "A red square, and a red square." });
    await say("What is this?");
    await item("assistant", "A red square").waitFor();
    await item("user", "What is this?").locator("img").nth(1).waitFor();
    const { body } = await model.lastRequest();
    const types = body.messages.at(-1).content.map(({ type }) => type);
    assert.equal(types.filter((type) => type === "image").length, 2);
    await window.shots("images-sent");
  });

  scenario("completes files and skills, and attaches them", async () => {
    await field().fill("");
    await field().pressSequentially("/skill:rev");
    await chat.locator(".completions li", { hasText: "/skill:review" }).waitFor();
    await field().press("Tab");
    assert.equal(await field().inputValue(), "/skill:review ");
    await field().pressSequentially("@calendar");
    await chat.locator(".completions li", { hasText: "calendar.ts" }).waitFor();
    await window.shots("completion");
    await field().press("Enter");
    await chat.locator(".chip", { hasText: "calendar.ts" }).waitFor();
  });

  scenario("takes a selection of an editor along", async () => {
    await field().fill("");
    await window.file("README.md").click();
    await window.lines("# Harbour").click();
    await window.page.keyboard.press("Home");
    await window.page.keyboard.press("Shift+End");
    await window.command("Pi: Ask About Selection");
    await chat.locator(".chip", { hasText: "README.md" }).waitFor();
    await window.shots("selection");
    await model.will({ text: "It is the title." });
    await say("What is this line?");
    await item("assistant", "It is the title.").waitFor();
    assert.match(JSON.stringify((await model.lastRequest()).body.messages.at(-1)), /README\.md/u);
    await window.command("View: Close Editor");
  });

  scenario("offers the rules of a folder that a message came to", async () => {
    const offer = chat.locator(".notice", { hasText: "apps/web/AGENTS.override.md" }); // calendar.ts went along
    await offer.waitFor();
    await window.shots("offer");
    await offer.locator("button", { hasText: "Load" }).click();
    await item("note", "AGENTS.override.md").waitFor();
    await offer.waitFor({ state: "hidden" });
  });

  scenario("lets the person choose model and thinking", async () => {
    await window.command("Pi: Choose Model");
    await window.pick("Haiku 4.5").waitFor();
    await window.shots("models");
    await window.pick("Haiku 4.5").click();
    await chat.locator(".bar", { hasText: "Haiku 4.5" }).waitFor();
    await window.command("Pi: Choose Thinking");
    await window.pick("off").click();
    await chat.locator(".bar", { hasText: "off" }).waitFor();
    await window.command("Pi: Choose Model");
    await window.answer("claude-sonnet-4-5");
    await window.pick("Sonnet 4.5").click();
    await chat.locator(".bar", { hasText: "Sonnet 4.5" }).waitFor();
  });

  scenario("goes on from an earlier message, with a local summary of what is left", async () => {
    const said = item("user", "Are you busy?");
    await said.hover();
    await said.locator('button[aria-label^="Edit and send again"]').click();
    await window.pick("local summary").click();
    await item("branch", "Summary of another branch").waitFor();
    await window.until(async () => (await field().inputValue()) === "Are you busy?", "the text did not come back");
    await window.shots("branch");
    await model.will({ text: "Not any more." });
    await say("Are you still busy?");
    await item("assistant", "Not any more.").waitFor();
    await item("assistant", "in the end").waitFor({ state: "detached" });
  });
});
