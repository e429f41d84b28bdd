// The strict Messages API of the Python tests, and the real Pi: a Python process that answers a line with a line.
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { PROJECT } from "./tools.mjs";

const PYTHON = path.join(PROJECT, ".venv", "bin", "python");

export class Helper {
  /** The address of the API. */
  url;
  #child = spawn(PYTHON, ["-m", "tests.vscode.support.helper"], { cwd: PROJECT, stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  #last = Promise.resolve();

  static async start() {
    const helper = new Helper();
    helper.url = await helper.#read();
    return helper;
  }

  /** What the model answers to the next requests; see `Reply` in tests/support. */
  will(...replies) {
    return this.#ask("will", { replies });
  }

  lastRequest() {
    return this.#ask("last_request");
  }

  /** The rules of the API that a request broke. */
  refusals() {
    return this.#ask("refusals");
  }

  startPi(folders) {
    return this.#ask("start_pi", folders);
  }

  askPi(text) {
    return this.#ask("ask_pi", { text });
  }

  piMessages() {
    return this.#ask("pi_messages");
  }

  piOpens(session) {
    return this.#ask("pi_opens", { session });
  }

  stop() {
    this.#child.stdin.end();
  }

  #ask(command, fields = {}) {
    const answer = this.#last.then(async () => {
      this.#child.stdin.write(`${JSON.stringify({ do: command, ...fields })}\n`);
      const { result, error } = await this.#read();
      if (error) throw new Error(error);
      return result;
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #read() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the helper ended");
    return JSON.parse(value);
  }
}
