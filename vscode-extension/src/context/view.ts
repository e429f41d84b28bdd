/** The view "What the Model Sees": the next request piece by piece, with its weight. */
import * as vscode from "vscode";
import type { Context, ContextMessage, ContextSection, ContextTool } from "../protocol/generated";
import { filled } from "../base/filled";
import { oneLine } from "../base/inert";
import { nameOf } from "../base/places";
import { bar, counted, percent, sentence, short, tokens } from "../base/text";
import type { Server } from "../server/server";
import { kindOf } from "../session/words";

const QUIET_MS = 300;
const BAR = 6;

interface Group {
  kind: "group";
  name: string;
  icon: string;
  tokens: number;
  pieces: Piece[];
}
/** Tokens of a piece, of the whole request, and of its heaviest piece, to which the bars are drawn. */
interface Weight {
  tokens: number;
  whole: number;
  heaviest: number;
}
type Piece =
  | { kind: "section"; section: ContextSection; weight: Weight }
  | { kind: "tool"; tool: ContextTool; weight: Weight }
  | { kind: "message"; message: ContextMessage; weight: Weight };
export type ContextNode = Group | Piece;

export class ContextView implements vscode.TreeDataProvider<ContextNode>, vscode.Disposable {
  private readonly view: vscode.TreeView<ContextNode>;
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("piLsp.context", { treeDataProvider: this });
    const refresh = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.changed.fire(undefined); }, QUIET_MS);
    };
    this.subscriptions = [
      this.view,
      this.changed,
      server.onStatus(refresh),
      server.onEvent((event) => {
        if (event.type === "context" || event.type === "session_changed") refresh();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async getChildren(node?: ContextNode): Promise<ContextNode[]> {
    if (node) return node.kind === "group" ? node.pieces : [];
    if (this.server.status !== "ready") return [];
    return filled(this.view, () => this.groups());
  }

  private async groups(): Promise<ContextNode[]> {
    const context = await this.server.request("pi/context", {});
    this.view.description = `${short(context.total)} of ${tokens(context.window)} · ${context.source}`;
    this.view.message = context.doubt ? sentence(oneLine(context.doubt)) : undefined;
    return groups(context);
  }

  getTreeItem(node: ContextNode): vscode.TreeItem {
    switch (node.kind) {
      case "group":
        return groupItem(node);
      case "section":
        return sectionItem(node.section, node.weight);
      case "tool":
        return pieceItem(node.tool.name, node.weight, "tools", entryCommand(node.tool.entryId));
      case "message":
        return messageItem(node.message, node.weight);
    }
  }
}

function groups(context: Context): Group[] {
  const weigh = (pieces: { tokens: number }[]): number => pieces.reduce((sum, piece) => sum + piece.tokens, 0);
  const [sections, tools, messages] = [weigh(context.sections), weigh(context.tools), weigh(context.messages)];
  const whole = Math.max(1, sections + tools + messages);
  const heaviest = Math.max(...[...context.sections, ...context.tools, ...context.messages].map((piece) => piece.tokens));
  const weight = ({ tokens: own }: { tokens: number }): Weight => ({ tokens: own, whole, heaviest });
  const all: Group[] = [
    {
      kind: "group",
      name: "System prompt",
      icon: "gear",
      tokens: sections,
      pieces: context.sections.map((section) => ({ kind: "section", section, weight: weight(section) })),
    },
    {
      kind: "group",
      name: "Tools",
      icon: "tools",
      tokens: tools,
      pieces: context.tools.map((tool) => ({ kind: "tool", tool, weight: weight(tool) })),
    },
    {
      kind: "group",
      name: "Messages",
      icon: "comment-discussion",
      tokens: messages,
      pieces: context.messages.map((message) => ({ kind: "message", message, weight: weight(message) })),
    },
  ];
  return all.filter((group) => group.pieces.length > 0);
}

function groupItem(group: Group): vscode.TreeItem {
  const open = group.name === "Tools" ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded;
  const item = new vscode.TreeItem(group.name, open);
  item.id = group.name;
  item.iconPath = new vscode.ThemeIcon(group.icon);
  item.description = `${tokens(group.tokens)} · ${counted(group.pieces.length, "piece")}`;
  return item;
}

function sectionItem(section: ContextSection, weight: Weight): vscode.TreeItem {
  const label = section.uri ? nameOf(section.uri) : section.name.replaceAll("_", " ");
  const open = section.uri
    ? { command: "vscode.open", title: "Open", arguments: [vscode.Uri.parse(section.uri)] }
    : entryCommand(section.entryId);
  return pieceItem(label, weight, section.uri ? "book" : "symbol-text", open);
}

function messageItem(message: ContextMessage, weight: Weight): vscode.TreeItem {
  const { name, icon } = kindOf({ type: "message", role: message.role });
  const item = pieceItem(message.preview || name, weight, icon, entryCommand(message.entryId));
  item.tooltip = `${name} · ${tokens(message.tokens)}${message.added ? " · put in for this request, no entry holds it" : ""}\n${message.preview}`;
  item.contextValue = "message";
  return item;
}

function pieceItem(label: string, { tokens: own, whole, heaviest }: Weight, icon: string, command?: vscode.Command): vscode.TreeItem {
  // The weight comes first: behind a text it would be cut off.
  const item = new vscode.TreeItem(`${bar(own, heaviest, BAR)} ${short(own)}  ${oneLine(label)}`);
  item.tooltip = `${label}\n${tokens(own)} as this model counts, ${percent(own, whole)} of the request`;
  item.accessibilityInformation = { label: `${label}, ${tokens(own)}, ${percent(own, whole)}` };
  item.iconPath = new vscode.ThemeIcon(icon);
  if (command) item.command = command;
  return item;
}

const entryCommand = (id: string | null | undefined): vscode.Command | undefined =>
  id ? { command: "piLsp.openEntry", title: "Show", arguments: [id] } : undefined;
