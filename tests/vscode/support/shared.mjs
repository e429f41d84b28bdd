// What the scenarios of one run share: the editor in its fresh profile, the model, and what is kept of a failure.
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { after, it } from "node:test";
import { Editor } from "./editor.mjs";
import { Helper } from "./helper.mjs";
import { CACHE } from "./tools.mjs";

const FAILED = path.join(CACHE, "failed");
const LONGEST_MS = 180_000;

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(name, () => {
    console.error(`stopped by ${name}`);
    process.exit(1);
  });
}
rmSync(FAILED, { recursive: true, force: true });
let editor;
let helper;

/** VS Code with the extension as a person has it after installing it; nothing else of theirs is there. */
export const theEditor = () => (editor ??= Editor.start());

/** The strict API and the real Pi. */
export const theHelper = () => (helper ??= Helper.start());

/** The same, once the person's settings name it as the place where models are. */
export async function theModel() {
  const [one, { profile }] = await Promise.all([theHelper(), theEditor()]);
  // The gateway of a person's own needs no key.
  profile.agentFile("settings.json", { baseUrl: one.url, retry: { baseDelayMs: 500 }, compaction: { keepRecentTokens: 500 } });
  return one;
}

after(async () => {
  for (const one of await Promise.allSettled([helper, editor])) await one.value?.stop();
});

/** A test that leaves pictures of all windows and the logs behind when it fails. */
export function scenario(name, run) {
  it(name, { timeout: LONGEST_MS }, async () => {
    try {
      await run();
    } catch (error) {
      const kept = await keep(name).catch((problem) => `nothing (${problem.message})`);
      throw new Error(`${error.message}\nkept: ${kept}`, { cause: error });
    }
  });
}

async function keep(name) {
  const one = await editor;
  const folder = path.join(FAILED, name.replaceAll(/[^\w]+/gu, "-").slice(0, 60));
  mkdirSync(folder, { recursive: true });
  for (const [index, window] of [...one.windows].entries()) {
    await window.page.screenshot({ path: path.join(folder, `window-${index}.png`) });
  }
  for (const log of ["server.log", "user-data/logs"]) {
    const from = path.join(one.profile.root, log);
    if (existsSync(from)) cpSync(from, path.join(folder, path.basename(log)), { recursive: true });
  }
  return folder;
}
