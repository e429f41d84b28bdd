/** Feeds the chat's pages: the newest of the transcript, what happens from then on in its order, and earlier on demand. */
import type * as vscode from "vscode";
import type { EntryAppended } from "../protocol/generated";
import type { Happened } from "../protocol/methods";
import { describe, reasonOf } from "../server/errors";
import type { Server } from "../server/server";
import type { StoredEntry, ToPage } from "./messages";

/** Entries that come at once. */
const PAGE = 200;

export type Post = (message: ToPage) => void;

/** What a page has: all events up to one, and the entries of the path from one (undefined: the first) to another. */
interface Has {
  seq: number;
  earliest: string | undefined;
  latest: string | undefined;
}

export class Feed implements vscode.Disposable {
  private readonly pages = new Map<Post, Has>();
  private readonly subscriptions: vscode.Disposable[];
  private work = Promise.resolve();

  constructor(private readonly server: Pick<Server, "onStatus" | "onEvent" | "request" | "status">) {
    this.subscriptions = [
      server.onStatus(() => { this.inOrder(() => this.resetAll()); }),
      server.onEvent((event) => { this.inOrder(() => this.happened(event)); }),
    ];
  }

  /** Add a page; it gets the transcript now. */
  join(page: Post): vscode.Disposable {
    const has: Has = { seq: 0, earliest: undefined, latest: undefined };
    this.pages.set(page, has);
    this.inOrder(() => this.reset(page, has));
    return { dispose: () => this.pages.delete(page) };
  }

  /** Give a page the entries before those that it has. */
  earlier(page: Post): void {
    this.inOrder(async () => {
      const has = this.pages.get(page);
      if (!has?.earliest) return;
      const { entries, next } = await this.server.request("pi/session/entries", { onPath: true, limit: PAGE, before: has.earliest });
      has.earliest = next ?? undefined;
      page({ type: "earlier", entries, more: next != null });
    });
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  readonly everyone: Post = (message) => {
    for (const page of this.pages.keys()) page(message);
  };

  private inOrder(step: () => Promise<void>): void {
    this.work = this.work.then(step).catch((error: unknown) => {
      if (this.server.status !== "ready") return; // which the pages are told
      this.everyone({ type: "problem", text: describe(error) });
    });
  }

  private async happened(event: Happened): Promise<void> {
    if (this.pages.size === 0) return;
    switch (event.type) {
      case "session_changed":
        return this.resetAll();
      case "entry_appended":
        await Promise.all([...this.pages].map(([page, has]) => this.append(page, has, event)));
        if (event.entry.type === "session_info") await this.tellState(); // it has another name
        return;
      case "context":
      case "agent_end":
      case "agent_start":
      case "compaction_start":
      case "compaction_end":
        this.passOn(event);
        return this.tellState();
      default:
        this.passOn(event);
    }
  }

  /** To the pages that do not have it already by the state that they began with. */
  private passOn(event: Happened): void {
    for (const [page, { seq }] of this.pages) if (event.seq > seq) page({ type: "event", event });
  }

  /** Of a burst the first event brings all entries; what is on another branch moves no leaf. */
  private async append(page: Post, has: Has, { leafId }: EntryAppended): Promise<void> {
    if (leafId === (has.latest ?? null)) return;
    const after = has.latest;
    if (after === undefined) return this.reset(page, has);
    let entries: StoredEntry[];
    try {
      ({ entries } = await this.server.request("pi/session/entries", { onPath: true, limit: PAGE, after }));
    } catch (error) {
      if (reasonOf(error) === "notFound") return this.reset(page, has); // the path is another one now
      throw error;
    }
    if (entries.length === PAGE) return this.reset(page, has);
    has.latest = idOf(entries.at(-1)) ?? after;
    page({ type: "entries", entries });
  }

  private async tellState(): Promise<void> {
    this.everyone({ type: "state", state: await this.server.request("pi/state", {}) });
  }

  private async resetAll(): Promise<void> {
    await Promise.all([...this.pages].map(([page, has]) => this.reset(page, has)));
  }

  private async reset(page: Post, has: Has): Promise<void> {
    has.seq = 0;
    has.earliest = undefined;
    has.latest = undefined;
    const { status } = this.server;
    if (status !== "ready") {
      page({ type: "down", status });
      return;
    }
    const [state, { entries, next }] = await Promise.all([
      this.server.request("pi/state", {}),
      this.server.request("pi/session/entries", { onPath: true, limit: PAGE, newest: true }),
    ]);
    has.seq = state.running?.seq ?? 0;
    has.earliest = next ?? undefined;
    has.latest = idOf(entries.at(-1));
    page({ type: "reset", state, entries, more: next != null });
  }
}

const idOf = (entry: StoredEntry | undefined): string | undefined => (typeof entry?.id === "string" ? entry.id : undefined);
