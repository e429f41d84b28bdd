// What could go wrong: strangers' files, folders without trust, two windows, no folder, a server that dies.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { Editor } from "./support/editor.mjs";
import { missing } from "./support/tools.mjs";

const HOSTILE = [
  "<script>parent.pwned = 1</script><img src=https://foreign.example/x.png onerror='parent.pwned = 1'>",
  "[run](command:workbench.action.quit) [js](javascript:alert(1)) ![p](https://foreign.example/p.png)",
  "<iframe src='https://foreign.example'></iframe> <style>* { display: none }</style>",
  "שלום \u202E evil \u2066 漢字",
].join("\n\n");
const HUGE = "x".repeat(5 * 1024 * 1024);

describe("safety", { skip: missing }, () => {
  let editor;
  let window;

  before(async () => {
    editor = await Editor.start();
  });
  afterEach(async (test) => {
    if (!test.passed) await window?.shot(`failed ${test.name}`);
    await window?.close();
    window = undefined;
    editor.profile.set({ "security.workspace.trust.enabled": false });
  });
  after(() => editor?.stop());

  const hostileFolder = () => {
    const folder = path.join(editor.profile.home, "hostile");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "AGENTS.md"), `# ${HOSTILE}\n\n${HUGE}\n`);
    // Python would import these from the working directory, if it were let.
    for (const name of ["pi_lsp.py", "pygls.py", "sitecustomize.py"]) {
      writeFileSync(path.join(folder, name), `open(${JSON.stringify(path.join(folder, "pwned"))}, "w")\n`);
    }
    const message = (id, parentId, role, content, more = {}) =>
      JSON.stringify({ type: "message", id, parentId, timestamp: "2026-05-04T08:00:00.000Z", message: { role, content, timestamp: 1, ...more } });
    const call = { type: "toolCall", id: "t1", name: HOSTILE, arguments: { command: HOSTILE, path: "https://foreign.example" } };
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
    const said = { api: "anthropic-messages", provider: "anthropic", model: HOSTILE, usage, stopReason: "toolUse" };
    const lines = [
      JSON.stringify({ type: "session", version: 3, id: "hostile", timestamp: "2026-05-04T08:00:00.000Z", cwd: folder }),
      message("a0000001", null, "user", [{ type: "text", text: HOSTILE }, { type: "image", mimeType: "text/html", data: "PHNjcmlwdD4=" }]),
      message("a0000002", "a0000001", "assistant", [{ type: "thinking", thinking: HOSTILE }, { type: "text", text: HOSTILE }, call], said),
      message("a0000003", "a0000002", "toolResult", [{ type: "text", text: HOSTILE + HUGE }], { toolCallId: "t1", toolName: HOSTILE, isError: true }),
      message("a0000004", "a0000003", "assistant", [{ type: "text", text: HUGE }], said),
      "this line is no JSON",
    ];
    editor.profile.session(folder, "hostile.jsonl", `${lines.join("\n")}\n`);
    return folder;
  };

  it("renders a hostile session and a hostile AGENTS.md harmlessly", async () => {
    const folder = hostileFolder();
    window = await editor.open(folder);
    await window.status("rule");
    await window.command("Pi: Open Chat");
    const chat = window.webview();
    await chat.locator(".item.assistant").first().waitFor();
    assert.equal(await chat.locator(".item img, .item script, .item iframe, .item style").count(), 0);
    assert.equal(await chat.locator('.item a[href^="command"], .item a[href^="javascript"]').count(), 0);
    await window.container("Pi");
    await window.row("AGENTS.md").waitFor();
    await window.shots("hostile");
    assert.equal(await window.page.evaluate(() => globalThis.pwned), undefined);
    assert.throws(() => readFileSync(path.join(folder, "pwned")));
    assert.deepEqual([...window.foreign], []);
  });

  it("shows rules and tree in Restricted Mode, and uses nothing of the folder's own", async () => {
    editor.profile.set({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" });
    window = await editor.open(editor.profile.sample("restricted"));
    await window.status("2 rules");
    await window.container("Pi");
    await window.row("you are here").waitFor();
    await window.only("Rules & Skills");
    await window.row("review").waitFor(); // a skill of the person's own
    await window.row("db-migration").filter({ hasText: "not listed" }).waitFor(); // a skill of the folder
    await window.shots("restricted");
  });

  it("asks once whether Pi may use what the folder brings along", async () => {
    const folder = editor.profile.sample("untold");
    writeFileSync(path.join(editor.profile.agent, "trust.json"), "{}");
    window = await editor.open(folder);
    const question = window.notification("this folder has settings, skills or prompts of its own");
    await question.waitFor({ timeout: 60_000 });
    await window.shot("trust");
    await question.locator(".monaco-button", { hasText: "Trust" }).first().click();
    await window.container("Pi");
    await window.only("Rules & Skills");
    await window.row("db-migration").filter({ hasText: "Write and check" }).waitFor();
    const remembered = JSON.parse(readFileSync(path.join(editor.profile.agent, "trust.json"), "utf8"));
    assert.equal(remembered[folder], true);
  });

  it("lets two windows look at one session", async () => {
    const folder = editor.profile.sample("shared");
    window = await editor.open(folder);
    await window.status("2 rules");
    const second = await editor.open(folder);
    await second.status("2 rules");
    await second.command("Pi: Open Session");
    await second.pick("Bookings that end at midnight").filter({ hasText: "open elsewhere" }).waitFor();
    await second.shot("open-elsewhere");
    await second.close();
  });

  it("works without a folder", async () => {
    window = await editor.open();
    await window.container("Pi");
    await window.page.locator(".pane-body", { hasText: "Open a folder to see its rules" }).first().waitFor({ timeout: 60_000 });
    await window.shots("no-folder");
  });

  it("starts the server again when it dies, and says so", async () => {
    window = await editor.open(editor.profile.sample("crash"));
    await window.status("2 rules");
    const pid = await editor.serverOf(path.join(editor.profile.home, "crash"));
    process.kill(pid, "SIGKILL");
    await window.notification("being started again").waitFor();
    await window.status("2 rules");
    await window.shot("crash");
    assert.notEqual(await editor.serverOf(path.join(editor.profile.home, "crash")), pid);
  });
});
