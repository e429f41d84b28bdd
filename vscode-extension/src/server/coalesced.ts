/**
 * A task that never runs twice at a time: however often it is asked for while it runs, it runs once more after that.
 */
export class Coalesced {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly task: () => Promise<void>) {}

  /** Settles when a run is over that began after this call. */
  run(): Promise<void> {
    if (!this.running) {
      this.running = this.task().finally(() => {
        this.running = undefined;
      });
      return this.running;
    }
    this.next ??= this.running
      .catch(() => undefined) // whoever asked for that run is told
      .then(() => {
        this.next = undefined;
        return this.run();
      });
    return this.next;
  }
}
