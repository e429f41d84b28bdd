// Windows of other kinds: several folders, none, and a theme of high contrast.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, describe } from "node:test";
import { scenario, theEditor } from "./support/shared.mjs";

describe("windows of other kinds", () => {
  let editor;
  let window;

  before(async () => {
    editor = await theEditor();
  });
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });
  after(() => editor.profile.set(themes("Default Dark Modern", "Default Light Modern")));

  const themes = (dark, light) => ({ "workbench.preferredDarkColorTheme": dark, "workbench.preferredLightColorTheme": light });

  scenario("shows the rules of several folders", async () => {
    const folders = ["north", "south"].map((name) => editor.profile.sample(name));
    editor.profile.trust(Object.fromEntries(folders.map((one) => [one, true])));
    const file = path.join(editor.profile.home, "both.code-workspace");
    writeFileSync(file, JSON.stringify({ folders: folders.map((one) => ({ path: path.basename(one) })) }));
    window = await editor.open(file);
    await window.status("2 rules");
    await window.badge(window.file("south"), "π");
    await window.container("Pi");
    await window.only("Rules & Skills");
    await window.reach("south");
    await window.shots("several-folders");
  });

  scenario("works without a folder", async () => {
    window = await editor.open();
    await window.container("Pi");
    await window.row("~/.pi/agent").waitFor(); // one's own rules are read everywhere
    await window.command("Pi: Open Chat");
    const chat = await window.webview();
    await chat.locator("textarea").waitFor();
    await window.shots("no-folder");
  });

  scenario("can be read in high contrast", async () => {
    editor.profile.set(themes("Default High Contrast", "Default High Contrast Light"));
    const workspace = editor.profile.sample("contrast");
    editor.profile.trust({ [workspace]: true });
    window = await editor.open(workspace);
    await window.status("2 rules");
    await window.container("Pi");
    await window.command("Pi: Open Chat");
    const chat = await window.webview();
    await chat.locator(".item.assistant").last().waitFor();
    await window.row("System prompt").waitFor();
    for (const [scheme, name] of [["light", "hc-light"], ["dark", "hc-black"]]) {
      await window.page.emulateMedia({ colorScheme: scheme });
      await window.page.locator(`.monaco-workbench.${name}`).waitFor();
      await chat.locator("body.vscode-high-contrast").waitFor();
      await window.shot(`contrast-${scheme}`);
    }
  });
});
