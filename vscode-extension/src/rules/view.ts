/** The view "Rules & Skills": rule files by folder in reading order, then the skills. */
import * as vscode from "vscode";
import type { RuleFile, SkillFile } from "../protocol/generated";
import { filled } from "../base/filled";
import { oneLine } from "../base/inert";
import { nameOf } from "../base/places";
import { counted, sentence, tokens } from "../base/text";
import type { Server } from "../server/server";
import { aboutFile, briefly } from "./text";

export type RuleNode =
  | { kind: "folder"; uri: string; files: RuleFile[] }
  | { kind: "rule"; file: RuleFile }
  | { kind: "skills"; skills: SkillFile[] }
  | { kind: "skill"; skill: SkillFile };

export class RulesView implements vscode.TreeDataProvider<RuleNode>, vscode.Disposable {
  private readonly view: vscode.TreeView<RuleNode>;
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("piLsp.rules", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      server.onStatus(() => { this.changed.fire(undefined); }),
      server.onEvent((event) => {
        if (event.type === "session_changed" || event.type === "resources_changed") this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async getChildren(node?: RuleNode): Promise<RuleNode[]> {
    if (node?.kind === "folder") return node.files.map((file) => ({ kind: "rule", file }));
    if (node?.kind === "skills") return node.skills.map((skill) => ({ kind: "skill", skill }));
    if (node || this.server.status !== "ready") return [];
    return filled(this.view, () => this.top());
  }

  private async top(): Promise<RuleNode[]> {
    const [rules, skills] = await Promise.all([
      this.server.request("pi/rules/all", {}),
      this.server.request("pi/skills", {}),
    ]);
    const problems = [...(rules.problems ?? []), ...(skills.problems ?? [])];
    this.view.message = problems.length ? problems.map((one) => sentence(oneLine(one))).join(" ") : undefined;
    const folders = byFolder(rules.files);
    return skills.skills.length ? [...folders, { kind: "skills", skills: skills.skills }] : folders;
  }

  getTreeItem(node: RuleNode): vscode.TreeItem {
    switch (node.kind) {
      case "folder":
        return folderItem(node.uri, node.files);
      case "rule":
        return ruleItem(node.file);
      case "skills":
        return skillsItem(node.skills);
      case "skill":
        return skillItem(node.skill);
    }
  }
}

function byFolder(files: RuleFile[]): RuleNode[] {
  const folders = new Map<string, RuleFile[]>();
  for (const file of files) {
    const folder = file.appliesTo ?? "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].map(([uri, found]) => ({ kind: "folder", uri, files: found }));
}

function folderItem(uri: string, files: RuleFile[]): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(nameOf(uri)), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `folder ${uri}`; // so that VS Code knows it again after a change, and asks the new one for its children
  item.iconPath = vscode.ThemeIcon.Folder;
  item.contextValue = "folder";
  const loaded = files.filter((file) => file.loaded);
  item.description = loaded.length ? tokens(loaded.reduce((sum, file) => sum + file.tokens, 0)) : "not read";
  return item;
}

function ruleItem(file: RuleFile): vscode.TreeItem {
  const uri = vscode.Uri.parse(file.uri);
  const item = new vscode.TreeItem(oneLine(uri.path.split("/").at(-1) ?? file.uri));
  item.description = briefly(file);
  item.tooltip = `${nameOf(file.uri)}${file.title ? ` – ${file.title}` : ""}\n${aboutFile(file, nameOf)} · ${counted(file.lines, "line")}`;
  item.iconPath = ruleIcon(file);
  item.contextValue = ["rule", file.changedSince && "changed", file.scope === "nested" && !file.inSession && "nested"]
    .filter(Boolean)
    .join(".");
  item.command = openCommand(uri);
  return item;
}

function ruleIcon(file: RuleFile): vscode.ThemeIcon {
  if (file.changedSince) return new vscode.ThemeIcon("diff-modified", new vscode.ThemeColor("gitDecoration.modifiedResourceForeground"));
  if (file.loaded) return new vscode.ThemeIcon("book");
  if (file.reason === "belowCwd") return new vscode.ThemeIcon("circle-outline");
  return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
}

function skillsItem(skills: SkillFile[]): vscode.TreeItem {
  const item = new vscode.TreeItem("Skills", vscode.TreeItemCollapsibleState.Expanded);
  item.id = "skills";
  item.iconPath = new vscode.ThemeIcon("mortar-board");
  item.description = String(skills.filter((skill) => skill.listed).length);
  return item;
}

function skillItem(skill: SkillFile): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(skill.name));
  item.description = skill.listed ? oneLine(skill.description) : `not listed: ${skill.reason ?? ""}`;
  item.tooltip = `${nameOf(skill.uri)}\n${item.description}\n${skill.scope} skill · ${tokens(skill.tokens)}`;
  item.iconPath = skill.listed
    ? new vscode.ThemeIcon("lightbulb")
    : new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  item.contextValue = "skill";
  item.command = openCommand(vscode.Uri.parse(skill.uri));
  return item;
}

const openCommand = (uri: vscode.Uri): vscode.Command => ({ command: "vscode.open", title: "Open", arguments: [uri] });
