// A stranger's repository: its rule files and sessions are shown, and can do nothing.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor } from "./support/shared.mjs";

const TEXT = [
  "<script>top.pwned = 1</script><img src=https://foreign.example/x.png onerror='top.pwned = 1'>",
  "[run](command:workbench.action.terminal.new) [js](javascript:top.pwned=1) ![p](https://foreign.example/p.png)",
  "<a href='command:workbench.action.terminal.new'>run</a> <iframe src='https://foreign.example'></iframe>",
  "<style>* { display: none }</style> $(bug) `$(bug)`",
  "שלום \u202E evil \u2066 漢字",
].join("\n\n");
const LINE = "x".repeat(5 * 1024 * 1024);
/** A folder's name may be as bad. */
const FOLDER = "[run](command:workbench.action.terminal.new) <img src=x onerror=alert(1)>";
const TERMINAL = ".panel .terminal-outer-container, .part.panel .xterm";

describe("a hostile repository", () => {
  let editor;
  let workspace;
  let window;

  before(async () => {
    editor = await theEditor();
    workspace = hostileFolder();
    window = await editor.open(workspace);
    await window.status("rule");
  });
  after(() => window?.close());

  function hostileFolder() {
    const folder = path.join(editor.profile.home, "hostile");
    const below = path.join(folder, FOLDER);
    mkdirSync(below, { recursive: true });
    writeFileSync(path.join(folder, "AGENTS.md"), `# ${TEXT}\n\n${LINE}\n`);
    writeFileSync(path.join(below, "AGENTS.md"), `# ${TEXT}\n`);
    mkdirSync(path.join(folder, ".agents", "skills", "bad"), { recursive: true });
    writeFileSync(path.join(folder, ".agents", "skills", "bad", "SKILL.md"), `---\nname: bad\ndescription: ${JSON.stringify(TEXT)}\n---\n${TEXT}\n`);
    // Python would import these from the working directory, if it were let.
    for (const name of ["pi_lsp.py", "pygls.py", "sitecustomize.py"]) {
      writeFileSync(path.join(folder, name), `open(${JSON.stringify(path.join(folder, "pwned"))}, "w")\n`);
    }
    editor.profile.session(folder, "hostile.jsonl", hostileSession(folder));
    return folder;
  }

  function hostileSession(cwd) {
    const at = { timestamp: "2026-05-04T08:00:00.000Z" };
    const message = (id, parentId, role, content, more = {}) => ({ type: "message", id, parentId, ...at, message: { role, content, timestamp: 1, ...more } });
    const text = (words) => ({ type: "text", text: words });
    const call = { type: "toolCall", id: "t1", name: TEXT, arguments: { command: TEXT, path: "https://foreign.example" } };
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
    const said = { api: "anthropic-messages", provider: "anthropic", model: TEXT, usage, stopReason: "toolUse" };
    const failed = { toolCallId: "t1", toolName: TEXT, isError: true };
    const image = { type: "image", mimeType: "text/html", data: "PHNjcmlwdD4=" };
    const entries = [
      { type: "session", version: 3, id: "hostile", ...at, cwd },
      { type: "session_info", id: "a0000000", parentId: null, ...at, name: TEXT },
      message("a0000001", "a0000000", "user", [text(TEXT), image]),
      message("a0000002", "a0000001", "assistant", [{ type: "thinking", thinking: TEXT }, text(TEXT), call], said),
      message("a0000003", "a0000002", "toolResult", [text(TEXT + LINE)], failed),
      { type: "label", id: "a0000004", parentId: "a0000003", ...at, targetId: "a0000003", label: TEXT },
      { type: "compaction", id: "a0000005", parentId: "a0000004", ...at, summary: TEXT, firstKeptEntryId: "a0000001", tokensBefore: 9 },
      message("a0000006", "a0000005", "assistant", [text(LINE)], said),
      message("a0000007", "a0000006", "user", [text(TEXT)]),
    ];
    return `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\nthis line is no JSON\n`;
  }

  /** Nothing ran, in no frame; no terminal was opened; nothing of the folder was imported. */
  const isHarmless = async () => {
    assert.equal(await window.page.evaluate(() => globalThis.pwned), undefined);
    assert.equal(await window.page.locator(TERMINAL).count(), 0);
    assert.ok(!existsSync(path.join(workspace, "pwned")));
    assert.deepEqual([...editor.foreign], []);
  };
  /** Nothing in an element became a link to a command, or markup that acts. */
  const hasNoTraps = async (element) => {
    const links = ["command", "javascript"].flatMap((scheme) => [`a[href^="${scheme}" i]`, `a[data-href^="${scheme}" i]`]);
    assert.equal(await element.locator([...links, "script", "iframe", 'img[src*="foreign"]'].join()).count(), 0);
  };

  scenario("is shown harmlessly in the chat", async () => {
    await window.command("Pi: Open Chat");
    const chat = await window.webview();
    await chat.locator(".item.assistant").first().waitFor();
    for (const details of await chat.locator("details").all()) await details.evaluate((one) => { one.open = true; });
    await hasNoTraps(chat.locator(".list"));
    assert.equal(await chat.locator(".list img, .list style").count(), 0);
    for (const link of await chat.locator(".list a").all()) assert.match(await link.getAttribute("href"), /^https?:/u);
    await window.shots("hostile-chat");
    await isHarmless();
  });

  scenario("is shown harmlessly in tree, rules and context", async () => {
    await window.container("Pi");
    await window.row("AGENTS.md").waitFor();
    await window.row("System prompt").waitFor();
    await window.shots("hostile-views");
    await hasNoTraps(window.page.locator(".sidebar"));
    await window.only("Session");
    const tip = await window.tooltip(window.row("<script>"), "<script>");
    await hasNoTraps(tip);
    await isHarmless();
  });

  scenario("is shown harmlessly in the explorer and in a hover", async () => {
    await window.container("Explorer");
    await hasNoTraps(await window.tooltip(window.file("[run]").locator(".label-name"), "Pi reads"));
    await window.aside();
    await window.file("AGENTS.md").last().dblclick();
    const title = window.lines("<script>").first().locator("span span").first();
    await title.waitFor();
    await hasNoTraps(await window.tooltip(title, "tokens"));
    await window.shots("hostile-hover", () => window.tooltip(title, "tokens"));
    await isHarmless();
  });

  scenario("is searched for why it forgot, with its lines of 5 MB", async () => {
    await window.command("Pi: Why Did It Forget");
    await window.answer("xxxxxxxxxxxxxxxxxxxxxxxx");
    await window.pick("xxxx").waitFor();
    await window.shots("hostile-explain");
    await hasNoTraps(window.page.locator(".quick-input-widget"));
    await window.escape();
    await isHarmless();
  });
});
