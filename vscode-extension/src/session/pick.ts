/** Choose an entry of the session by what it says, where no row of the tree is at hand. */
import * as vscode from "vscode";
import { inLabel } from "../base/inert";
import { ago } from "../base/text";
import type { TreeNode } from "../protocol/generated";
import type { Server } from "../server/server";
import { kindOf } from "./words";

/** So many of the newest of each kind are offered; others are found in the tree. */
const MOST = 300;

type Item = vscode.QuickPickItem & { id?: string };

/** Its id; undefined where the person chose none. */
export async function pickEntry(server: Server, title: string): Promise<string | undefined> {
  const options = { title, placeHolder: "Where to go on: the ends of other branches, then this one, the newest first", matchOnDescription: true };
  return (await vscode.window.showQuickPick(entries(server), options))?.id;
}

async function entries(server: Server): Promise<Item[]> {
  const asked = { filter: "noTools", limit: MOST } as const;
  const [ends, line] = await Promise.all([
    server.request("pi/tree", { ...asked, ends: true }),
    server.request("pi/tree", { ...asked, outline: true }),
  ]);
  return [
    ...group("Ends of other branches", ends.nodes.filter(({ onPath }) => !onPath)),
    ...group("This branch", line.nodes.filter(({ id, branch }) => branch == null && id !== line.leafId).reverse()),
    ...(line.more || ends.more ? [{ label: "$(ellipsis) Others are found in the session tree", alwaysShow: true }] : []),
  ];
}

const group = (label: string, nodes: TreeNode[]): Item[] =>
  nodes.length ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...nodes.map(itemOf)] : [];

function itemOf(node: TreeNode): Item {
  const { name, icon } = kindOf(node);
  const facts = [name, ago(node.time, Date.now()), node.onPath ? "" : "on another branch", node.label ? `[${inLabel(node.label)}]` : ""];
  return {
    label: `$(${node.onPath ? icon : "git-branch"}) ${inLabel(node.preview) || name}`,
    description: facts.filter(Boolean).join(" · "),
    id: node.id,
  };
}
