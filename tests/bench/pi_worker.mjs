// Pi's side of what is measured, once in a process: `node pi_worker.mjs MODULES WORK ARGUMENT...`.
// Only the modules that the work needs are loaded, before the clock starts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, name, ...args] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(modules, "core", path)));

const works = {
  async context(file) {
    const { SessionManager } = await load("session-manager.js");
    return () => SessionManager.open(file).buildSessionContext().messages;
  },
  async prepare(file) {
    const { SessionManager } = await load("session-manager.js");
    const { prepareCompaction, DEFAULT_COMPACTION_SETTINGS } = await load("compaction/compaction.js");
    return () =>
      prepareCompaction(SessionManager.open(file).getBranch(), DEFAULT_COMPACTION_SETTINGS).messagesToSummarize;
  },
  async skills(cwd, agentDir) {
    const { loadSkills } = await load("skills.js");
    return () => loadSkills({ cwd, agentDir, skillPaths: [], includeDefaults: true }).skills;
  },
};

const work = await works[name](...args);
const begun = performance.now();
const result = work();
console.log(JSON.stringify({ ms: performance.now() - begun, count: result.length }));
readFileSync(0); // until the parent has read how much memory this took
