/** The view "Session": the tree of the window's session, live. */
import * as vscode from "vscode";
import { filled } from "../base/filled";
import type { Server } from "../server/server";
import { itemOf } from "./items";
import { type Filter, keyOf, Outline, type Row } from "./outline";

const QUIET_MS = 150;
/** So many times as long as asking for rows takes it is not asked again: a search reads the whole session. */
const REST = 4;

export class SessionView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly view: vscode.TreeView<Row>;
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly outline: Outline;
  private timer: NodeJS.Timeout | undefined;
  /** The newest row that was drawn; none where all may be another. */
  private newest = "";
  private quietMs = QUIET_MS;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.outline = new Outline((params) => server.request("pi/tree", params));
    this.view = vscode.window.createTreeView("piLsp.session", { treeDataProvider: this, showCollapseAll: true });
    const anew = (): void => {
      this.outline.forget();
      this.newest = "";
      this.refresh();
    };
    this.subscriptions = [
      this.view,
      this.changed,
      server.onStatus(() => {
        anew();
        void this.tellName();
      }),
      server.onEvent((event) => {
        if (event.type === "session_changed") {
          this.view.description = event.state.session.name ?? "";
          anew();
        } else if (event.type === "entry_appended") {
          if (event.entry.type === "session_info") void this.tellName();
          this.outline.appended(event);
          this.refresh();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The entry of the selected row, for commands without a row of their own. */
  get selected(): Row | undefined {
    return this.view.selection[0];
  }

  narrow(filter: Filter, query: string): void {
    this.outline.narrow(filter, query);
    void vscode.commands.executeCommand("setContext", "piLsp.treeNarrowed", this.isNarrowed);
    this.changed.fire(undefined);
  }

  get narrowed(): { filter: Filter; query: string } {
    return this.outline.narrowed;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (this.server.status !== "ready") return [];
    return filled(this.view, () => (row ? this.outline.below(row) : this.top()));
  }

  private async top(): Promise<Row[]> {
    const started = performance.now();
    const rows = await this.outline.top();
    this.quietMs = Math.max(QUIET_MS, REST * (performance.now() - started));
    this.view.message = rows.length ? undefined : this.nothing();
    this.show(rows.findLast(({ kind }) => kind === "entry"));
    return rows;
  }

  /** Only rows of the first level are revealed. */
  getParent(): undefined {
    return undefined;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return itemOf(row, this.outline.isHere(row));
  }

  /** Bring the newest row into sight once VS Code has the rows, and again when there are more: unless the person looks elsewhere. */
  private show(newest: Row | undefined): void {
    if (!newest || keyOf(newest) === this.newest || !this.view.visible) return;
    const looksElsewhere = this.newest && this.selected && keyOf(this.selected) !== this.newest;
    this.newest = keyOf(newest);
    if (looksElsewhere) return;
    setTimeout(() => void this.view.reveal(newest, { select: false, focus: false }).then(undefined, () => undefined), QUIET_MS);
  }

  private get isNarrowed(): boolean {
    return this.narrowed.filter !== "default" || this.narrowed.query !== "";
  }

  private nothing(): string {
    return this.isNarrowed ? "Nothing is found. Another search or filter may show more." : "Nothing was said in this session yet.";
  }

  private async tellName(): Promise<void> {
    if (this.server.status !== "ready") return;
    const state = await this.server.request("pi/state", {}).catch(() => undefined);
    if (state) this.view.description = state.session.name ?? "";
  }

  private refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed.fire(undefined);
    }, this.quietMs);
  }
}
