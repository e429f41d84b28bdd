// What real Pi makes of session files: paths on standard input, one a line; for each one line of JSON.
// A file is opened as a copy, since Pi may write to a file that it opens.

import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const core = join(process.argv[2], "core");
const { SessionManager } = await import(pathToFileURL(join(core, "session-manager.js")));
const folder = mkdtempSync(join(tmpdir(), "pi-load-"));

function load(file) {
  const copy = join(folder, "session.jsonl");
  copyFileSync(file, copy);
  const session = SessionManager.open(copy, folder);
  return {
    leafId: session.getLeafId(),
    messages: session.buildSessionContext().messages,
    name: session.getSessionName() ?? null,
    entries: session.getEntries().map((entry) => [entry.id, entry.parentId]),
  };
}

try {
  for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    let answer;
    try {
      answer = load(file);
    } catch (error) {
      answer = { error: String(error?.message ?? error) };
    }
    console.log(JSON.stringify(answer));
  }
} finally {
  rmSync(folder, { recursive: true });
}
