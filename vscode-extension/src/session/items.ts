/** How VS Code draws the rows of the session tree. */
import * as vscode from "vscode";
import { oneLine } from "../base/inert";
import { ago, counted } from "../base/text";
import type { TreeNode } from "../protocol/generated";
import { keyOf, type Row } from "./outline";
import { kindOf } from "./words";

/** The server counts no further. */
const COUNTED = 1000;

/** `isHere`: the next message goes behind this row. */
export function itemOf(row: Row, isHere: boolean): vscode.TreeItem {
  const item = row.kind === "earlier" ? earlierItem() : row.kind === "branch" ? branchItem(row) : entryItem(row.node, isHere);
  item.id = keyOf(row);
  return item;
}

function earlierItem(): vscode.TreeItem {
  const item = new vscode.TreeItem("Earlier entries", vscode.TreeItemCollapsibleState.Collapsed);
  item.iconPath = new vscode.ThemeIcon("history");
  return item;
}

function entryItem(node: TreeNode, isHere: boolean): vscode.TreeItem {
  const item = nodeItem(node, [kindOf(node).name, ago(node.time, Date.now()), isHere ? "you are here" : ""]);
  item.description = isHere ? "● you are here" : "";
  item.iconPath = iconOf(node, isHere);
  item.contextValue = ["entry", isHere && "leaf", node.label && "labelled", node.role === "user" && "user"].filter(Boolean).join(".");
  return item;
}

function branchItem({ node, size }: Row & { kind: "branch" }): vscode.TreeItem {
  const count = size < COUNTED ? counted(size, "entry", "entries") : "1,000 entries or more";
  const item = nodeItem(node, ["A branch that was left", count, ago(node.time, Date.now())]);
  if (size > 1) {
    item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
    delete item.command; // it would keep a click from opening the row
  }
  item.description = count;
  item.iconPath = new vscode.ThemeIcon("git-branch", FAINT);
  item.contextValue = node.role === "user" ? "branch.user" : "branch";
  return item;
}

const FAILED: Record<NonNullable<TreeNode["failed"]>, string> = { error: "it failed", aborted: "it was stopped" };

/** A row that shows its entry, with these facts in its tooltip. */
function nodeItem(node: TreeNode, facts: string[]): vscode.TreeItem {
  const failed = node.failed ? FAILED[node.failed] : "";
  const lines = [[...facts, failed].filter(Boolean).join(" · "), node.label && `Label: ${node.label}`, node.preview].filter(Boolean);
  const item = new vscode.TreeItem(titleOf(node));
  item.tooltip = lines.join("\n");
  item.accessibilityInformation = { label: lines.join(", ") };
  item.command = { command: "piLsp.openEntry", title: "Show", arguments: [node.id] };
  return item;
}

/** Its label, which a person gave to find it by, before what it says. */
function titleOf(node: TreeNode): vscode.TreeItemLabel {
  const text = oneLine(node.preview) || kindOf(node).name;
  if (!node.label) return { label: text };
  const mark = `[${oneLine(node.label)}]`;
  return { label: `${mark} ${text}`, highlights: [[0, mark.length]] };
}

const FAINT = new vscode.ThemeColor("descriptionForeground");

function iconOf(node: TreeNode, isHere: boolean): vscode.ThemeIcon {
  if (node.failed === "error") return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  const place = isHere ? new vscode.ThemeColor("charts.green") : node.onPath ? undefined : FAINT;
  const icon = node.failed === "aborted" ? "circle-slash" : isHere ? "target" : kindOf(node).icon;
  return new vscode.ThemeIcon(icon, place);
}
