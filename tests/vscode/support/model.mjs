// The strict local server of the Messages API that the Python tests use too.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { PROJECT } from "./tools.mjs";

const PYTHON = path.join(PROJECT, ".venv", "bin", "python");

/** Start it with the replies that it gives, in order; `url` is its address. */
export async function startModel(folder, replies) {
  const script = path.join(folder, "replies.json");
  writeFileSync(script, JSON.stringify(replies));
  const args = ["-m", "tests.support.api_server", "--port", "0", "--script", script];
  const child = spawn(PYTHON, args, { cwd: PROJECT, stdio: ["ignore", "pipe", "inherit"] });
  const { value: url } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { url, stop: () => child.kill() };
}
