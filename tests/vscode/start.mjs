// Starting: the packaged extension in a fresh profile makes its environment; what goes wrong is said, with a way out.
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe } from "node:test";
import { scenario, theEditor } from "./support/shared.mjs";

describe("starting", () => {
  let editor;
  let workspace;
  let window;

  before(async () => {
    editor = await theEditor();
    workspace = editor.profile.sample("first");
    editor.profile.trust({ [workspace]: true });
  });
  after(() => window?.close());

  scenario("makes the server's environment at the first start", async () => {
    assert.ok(!existsSync(editor.profile.storage), "the profile is not fresh");
    window = await editor.open(workspace);
    await window.notification("Pi: ").waitFor({ timeout: 60_000 });
    await window.shots("first-start");
    await window.status("2 rules");
    const [environment] = readdirSync(editor.profile.storage).filter((name) => name.startsWith("server-"));
    assert.ok(existsSync(path.join(editor.profile.storage, environment, "bin", "python")));
    await window.notification("Pi: ").waitFor({ state: "detached" });
  });

  scenario("starts the server again when it dies, and says so", async () => {
    const pid = editor.serverOf(workspace);
    process.kill(pid, "SIGKILL");
    await window.notification("being started again").waitFor();
    await window.status("2 rules");
    await window.shots("crash");
    assert.notEqual(editor.serverOf(workspace), pid);
    await window.dismiss();
  });

  scenario("says that the chosen server cannot be started, and takes the next choice", async () => {
    editor.profile.set({ "piLsp.server.path": "/nowhere/pi-lsp" });
    await window.notification("/nowhere/pi-lsp").waitFor();
    await window.status("Pi");
    await window.shots("no-server");
    editor.profile.set({ "piLsp.server.path": undefined });
    await window.status("2 rules");
    await window.dismiss();
  });

  scenario("starts it anew on command", async () => {
    const pid = editor.serverOf(workspace);
    await window.command("Pi: Restart Server");
    await window.until(() => editor.serverOf(workspace) !== pid, "the same server is still there");
    await window.status("2 rules");
    await window.shots("restarted");
  });

  scenario("makes the environment anew when the server does not run in it any more", async () => {
    const [environment] = readdirSync(editor.profile.storage).filter((name) => name.startsWith("server-"));
    const packages = path.join(editor.profile.storage, environment, "lib"); // as after an upgrade of Python
    rmSync(packages, { recursive: true });
    await window.command("Pi: Restart Server");
    await window.notification("installing the server").waitFor({ timeout: 60_000 });
    await window.status("2 rules");
    assert.ok(existsSync(packages));
  });
});
