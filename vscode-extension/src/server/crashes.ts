const WINDOW_MS = 180_000;
const ALLOWED = 3;

/** The server died. */
export class CrashError extends Error {
  constructor(readonly restarts: boolean) {
    super(`The Pi server stopped unexpectedly${restarts ? "; it is being started again." : ", again and again."}`);
  }
}

/** When the server died, to tell an accident from a server that cannot live. */
export class Crashes {
  private times: number[] = [];

  /** Note a crash; whether the server deserves another start by itself. */
  mayRestart(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < WINDOW_MS), now];
    return this.times.length <= ALLOWED;
  }
}
