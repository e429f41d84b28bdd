/** Feeds the chat's pages: the transcript once, then what happens, in its order. */
import type * as vscode from "vscode";
import type { EntryAppended } from "../protocol/generated";
import type { PiEvent } from "../protocol/methods";
import { describe } from "../server/errors";
import type { Server } from "../server/server";
import type { StoredEntry, ToPage } from "./messages";

const PAGE = 500;

export type Post = (message: ToPage) => void;

export class Feed implements vscode.Disposable {
  private readonly pages = new Set<Post>();
  private readonly subscriptions: vscode.Disposable[];
  private work = Promise.resolve();

  constructor(private readonly server: Server) {
    this.subscriptions = [
      server.onStatus(() => { this.inOrder(() => this.reset(this.everyone)); }),
      server.onEvent((event) => { this.inOrder(() => this.happened(event)); }),
    ];
  }

  /** Add a page; it gets the transcript now. */
  join(page: Post): vscode.Disposable {
    this.inOrder(async () => {
      await this.reset(page);
      this.pages.add(page);
    });
    return { dispose: () => this.pages.delete(page) };
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  readonly everyone: Post = (message) => {
    for (const page of this.pages) page(message);
  };

  private inOrder(step: () => Promise<void>): void {
    this.work = this.work.then(step).catch((error: unknown) => {
      this.everyone({ type: "problem", text: describe(error) });
    });
  }

  private async happened(event: PiEvent): Promise<void> {
    if (this.pages.size === 0) return;
    switch (event.type) {
      case "session_changed":
        return this.reset(this.everyone);
      case "entry_appended":
        return this.appended(event);
      case "context":
      case "agent_end":
      case "agent_start":
      case "compaction_start":
      case "compaction_end":
        this.everyone({ type: "event", event });
        return this.tellState();
      default:
        this.everyone({ type: "event", event });
    }
  }

  private async appended({ entry, leafId }: EntryAppended): Promise<void> {
    if (leafId !== entry.entryId && entry.type === "message") return; // said on another branch
    const { entries } = await this.server.request("pi/session/entries", { ids: [entry.entryId] });
    this.everyone({ type: "entries", entries });
  }

  private async tellState(): Promise<void> {
    this.everyone({ type: "state", state: await this.server.request("pi/state", {}) });
  }

  private async reset(post: Post): Promise<void> {
    if (this.server.status !== "ready") {
      post({ type: "reset", state: null, entries: [] });
      return;
    }
    const [state, entries] = await Promise.all([this.server.request("pi/state", {}), this.path()]);
    post({ type: "reset", state, entries });
  }

  /** All entries of the path, from the first to the leaf. */
  private async path(): Promise<StoredEntry[]> {
    const all: StoredEntry[] = [];
    let after: string | null | undefined;
    do {
      const params = { onPath: true, limit: PAGE, ...(after && { after }) };
      const { entries, next } = await this.server.request("pi/session/entries", params);
      all.push(...entries);
      after = next;
    } while (after);
    return all;
  }
}
