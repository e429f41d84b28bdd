/** Choose an entry of the session by what it says, where no row of the tree is at hand. */
import * as vscode from "vscode";
import { inLabel } from "../base/inert";
import { ago } from "../base/text";
import type { TreeNode } from "../protocol/generated";
import type { Server } from "../server/server";
import { kindOf } from "./words";

/** So many of the newest are offered; older ones are found in the tree. */
const MOST = 1000;

type Item = vscode.QuickPickItem & { id?: string };

/** Its id; undefined where the person chose none. */
export async function pickEntry(server: Server, title: string): Promise<string | undefined> {
  const options = { title, placeHolder: "Where to go on: the ends of other branches, then all entries, the newest first", matchOnDescription: true };
  return (await vscode.window.showQuickPick(entries(server), options))?.id;
}

async function entries(server: Server): Promise<Item[]> {
  const { nodes, leafId } = await server.request("pi/tree", { filter: "noTools", limit: 20 * MOST });
  const newest = nodes.filter(({ id }) => id !== leafId).sort((one, other) => other.time.localeCompare(one.time));
  const isEnd = (node: TreeNode): boolean => node.children === 0 && !node.onPath;
  return [
    ...group("Ends of other branches", newest.filter(isEnd)),
    ...group("Entries", newest.filter((node) => !isEnd(node)).slice(0, MOST)),
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
