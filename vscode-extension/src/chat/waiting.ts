/** Texts that wait to be said. They stand in the server's memory: what it did not say is given back to the person. */
import type * as vscode from "vscode";
import type { Queue } from "../protocol/generated";
import { isAlive } from "../server/run";
import type { Server } from "../server/server";

const KEY = "chat.waiting";

interface Kept {
  texts: string[];
  /** The server that has them. While it lives it is another window's. */
  pid: number;
}

export class Waiting implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];

  /** `give` puts a text where the person writes. */
  constructor(
    private readonly server: Pick<Server, "onEvent" | "onStatus" | "pid">,
    private readonly memory: vscode.Memento,
    private readonly give: (text: string) => void,
  ) {
    this.subscriptions = [
      server.onEvent((event) => {
        if (event.type === "queue") void this.keep(event);
      }),
      server.onStatus((status) => {
        const kept = status === "ready" ? memory.get<Kept>(KEY) : undefined;
        if (kept && !isAlive(kept.pid)) this.giveBack({ steer: kept.texts, followUp: [] });
      }),
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  /** Whether a text waits, and so is not lost with the server. */
  holds(text: string): boolean {
    return this.memory.get<Kept>(KEY)?.texts.includes(text) ?? false;
  }

  /** The server will not say these any more. */
  giveBack({ steer, followUp }: Queue): void {
    void this.memory.update(KEY, undefined);
    const texts = [...steer, ...followUp];
    if (texts.length) this.give(texts.join("\n\n"));
  }

  private keep({ steer, followUp }: Queue): Thenable<void> {
    const texts = [...steer, ...followUp];
    const { pid } = this.server;
    const kept: Kept | undefined = texts.length && pid ? { texts, pid } : undefined;
    return this.memory.update(KEY, kept);
  }
}
