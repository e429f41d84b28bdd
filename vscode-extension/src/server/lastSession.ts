/** Which session a window had, so that a reload or a restart of the server goes on with it. */
import type { Memento } from "vscode";
import type { State } from "../protocol/generated";
import { isAlive } from "./run";

const KEY = "session.last";
/** So long the server leaves alone what somebody else may have open; later it takes the newest session anyway. */
const RECENT_MS = 10 * 60_000;
const ENDING_MS = 2000;
const STEP_MS = 50;

interface Last {
  file: string;
  at: number;
  /** The server that had it. While that lives it is another window's. */
  pid: number;
}

export class LastSession {
  constructor(private readonly memory: Memento) {}

  async remember({ session }: State, pid: number | undefined): Promise<void> {
    const last: Last | undefined = session.file && pid ? { file: session.file, at: Date.now(), pid } : undefined;
    await this.memory.update(KEY, last);
  }

  /** The file to begin with; undefined where the server should choose. Waits a moment for a server that is ending. */
  async recall(): Promise<string | undefined> {
    const last = this.memory.get<Last>(KEY);
    if (!last || Date.now() - last.at > RECENT_MS) return undefined;
    for (let waited = 0; isAlive(last.pid); waited += STEP_MS) {
      if (waited >= ENDING_MS) return undefined;
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    return last.file;
  }
}
