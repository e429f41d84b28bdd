// How long VS Code says that it took to activate each extension, over some loads of its window; as JSON.
import { Editor } from "../vscode/support/editor.mjs";
import { PROJECT } from "../vscode/support/tools.mjs";

const LOADS = 5;

const editor = await Editor.start();
const loads = [];
try {
  editor.profile.set({ "piLsp.server.path": `${PROJECT}/.venv/bin/pi-lsp` }); // no environment is made meanwhile
  const workspace = editor.profile.sample("activation");
  for (let load = 0; load < LOADS; load++) {
    const window = await editor.open(workspace);
    await window.status("rules");
    await window.command("Developer: Show Running Extensions");
    const rows = window.page.locator(".runtime-extensions-editor .monaco-list-row");
    await rows.filter({ has: window.page.locator(".name", { hasText: /^Pi$/u }) }).locator(".activation-time", { hasText: "ms" }).waitFor();
    const said = await rows.evaluateAll((all) => all.map((row) => [row.querySelector(".name").textContent, row.querySelector(".activation-time").textContent]));
    loads.push(Object.fromEntries(said.map(([name, text]) => [name, Number(/(\d+)ms/u.exec(text)?.[1])]).filter(([, ms]) => ms)));
    await window.close();
  }
} finally {
  await editor.stop();
}
console.log(JSON.stringify(loads));
