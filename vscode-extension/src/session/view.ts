/** The view "Session": the tree of the window's session, live. */
import * as vscode from "vscode";
import type { TreeNode, TreeParams } from "../protocol/generated";
import { oneLine } from "../base/inert";
import { ago, counted } from "../base/text";
import type { Server } from "../server/server";
import { Outline, type Row } from "./outline";
import { kindOf } from "./words";

/** More than any person reads; a longer session shows so many, and says so. */
const LIMIT = 20_000;
const QUIET_MS = 150;
/** So many times as long as reading the tree takes it is left alone after that: a long session changes often. */
const REST = 4;

export type Filter = NonNullable<TreeParams["filter"]>;

export class SessionView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly view: vscode.TreeView<Row>;
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private outline = new Outline([], null);
  private timer: NodeJS.Timeout | undefined;
  private filter: Filter = "default";
  private query = "";
  private newest = "";
  private quietMs = QUIET_MS;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("piLsp.session", { treeDataProvider: this, showCollapseAll: true });
    const refresh = (): void => { this.refresh(); };
    this.subscriptions = [
      this.view,
      this.changed,
      server.onStatus(refresh),
      server.onEvent((event) => {
        if (event.type === "entry_appended" || event.type === "session_changed") refresh();
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
    this.filter = filter;
    this.query = query;
    void vscode.commands.executeCommand("setContext", "piLsp.treeNarrowed", filter !== "default" || query !== "");
    this.changed.fire(undefined);
  }

  get narrowed(): { filter: Filter; query: string } {
    return { filter: this.filter, query: this.query };
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row?.kind === "branch") return this.outline.branch(row.node);
    if (row?.kind === "earlier") return row.rows;
    if (row || this.server.status !== "ready") return [];
    const params: TreeParams = { filter: this.filter, limit: LIMIT, ...(this.query && { query: this.query }) };
    const started = performance.now();
    const [tree, state] = await Promise.all([this.server.request("pi/tree", params), this.server.request("pi/state", {})]);
    this.quietMs = Math.max(QUIET_MS, REST * (performance.now() - started));
    this.outline = new Outline(tree.nodes, tree.leafId);
    this.view.description = state.session.name ?? "";
    this.view.message = this.message(tree.nodes.length, tree.more);
    const rows = this.outline.rows();
    this.show(rows.at(-1));
    return rows;
  }

  /** Only rows of the first level are revealed. */
  getParent(): undefined {
    return undefined;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row.kind === "earlier") {
      const item = new vscode.TreeItem(`${row.rows.length} earlier entries`, vscode.TreeItemCollapsibleState.Collapsed);
      item.iconPath = new vscode.ThemeIcon("history");
      return item;
    }
    return row.kind === "branch" ? branchItem(row) : entryItem(row);
  }

  /** Bring the newest row into sight once VS Code has the rows, and again when there are more. */
  private show(newest: Row | undefined): void {
    if (newest?.kind !== "entry" || newest.node.id === this.newest || !this.view.visible) return;
    this.newest = newest.node.id;
    setTimeout(() => void this.view.reveal(newest, { select: false, focus: false }).then(undefined, () => undefined), QUIET_MS);
  }

  private message(shown: number, more: boolean): string | undefined {
    if (more) return `Only the first ${shown} entries are shown. Search to find others.`;
    if (shown) return undefined;
    return this.query || this.filter !== "default" ? "Nothing is found. Another search or filter may show more." : "Nothing was said in this session yet.";
  }

  private refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed.fire(undefined);
    }, this.quietMs);
  }
}

function entryItem({ node, leaf }: Row & { kind: "entry" }): vscode.TreeItem {
  const { name, icon } = kindOf(node);
  const item = new vscode.TreeItem(titleOf(node));
  item.id = `entry ${node.id}`;
  item.description = leaf ? "● you are here" : "";
  item.tooltip = [`${name} · ${ago(node.time, Date.now())}${leaf ? " · you are here" : ""}`, node.label && `Label: ${node.label}`, node.preview]
    .filter(Boolean)
    .join("\n");
  item.accessibilityInformation = { label: `${name}: ${node.preview}${leaf ? ", you are here" : ""}${node.label ? `, label ${node.label}` : ""}` };
  item.iconPath = new vscode.ThemeIcon(leaf ? "target" : icon, colour(node.onPath, leaf));
  item.contextValue = ["entry", leaf && "leaf", node.label && "labelled", node.role === "user" && "user"].filter(Boolean).join(".");
  item.command = { command: "piLsp.openEntry", title: "Show", arguments: [node.id] };
  return item;
}

function branchItem({ node, size }: Row & { kind: "branch" }): vscode.TreeItem {
  const item = new vscode.TreeItem(titleOf(node), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `branch ${node.id}`;
  item.description = counted(size, "entry", "entries");
  item.tooltip = `A branch that was left, ${item.description}\n${node.preview}`;
  item.accessibilityInformation = { label: `Branch: ${node.preview}, ${item.description}` };
  item.iconPath = new vscode.ThemeIcon("git-branch", new vscode.ThemeColor("descriptionForeground"));
  item.contextValue = node.role === "user" ? "branch.user" : "branch";
  return item;
}

/** Its label, which a person gave to find it by, before what it says. */
function titleOf(node: TreeNode): vscode.TreeItemLabel {
  const text = oneLine(node.preview) || kindOf(node).name;
  if (!node.label) return { label: text };
  const mark = `[${oneLine(node.label)}]`;
  return { label: `${mark} ${text}`, highlights: [[0, mark.length]] };
}

function colour(onPath: boolean, leaf: boolean): vscode.ThemeColor | undefined {
  if (leaf) return new vscode.ThemeColor("charts.green");
  return onPath ? undefined : new vscode.ThemeColor("descriptionForeground");
}
