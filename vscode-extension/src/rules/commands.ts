/** What a person does with rules. */
import * as vscode from "vscode";
import type { RuleFile, Rules } from "../protocol/generated";
import { inLabel } from "../base/inert";
import { nameOf, openFile } from "../base/places";
import type { Pages } from "../base/pages";
import type { Server } from "../server/server";
import type { RuleBook } from "./book";
import { aboutFile, summary } from "./text";
import type { RuleNode } from "./view";

const NAME = "AGENTS.md";

/** Show which rules apply to a file or folder; the chosen one is opened. */
export async function showRulesHere(book: RuleBook, given?: vscode.Uri): Promise<void> {
  const place = given ?? vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const rules = place && (await book.rulesOf(place));
  if (!rules) throw new Error("Open a folder first: rules belong to folders.");
  const chosen = await vscode.window.showQuickPick(items(rules), {
    title: `Rules in ${nameOf(rules.directory)}: ${summary(rules)}`,
    placeHolder: "In reading order; a later one is closer to the file",
    matchOnDescription: true,
  });
  if (chosen?.file) await openFile(chosen.file.uri);
  else if (chosen) await createRules(vscode.Uri.parse(rules.directory));
}

type Item = vscode.QuickPickItem & { file?: RuleFile };

function items(rules: Rules): Item[] {
  const found: Item[] = rules.files.map((file) => ({
    label: `$(${file.loaded ? "book" : "circle-slash"}) ${inLabel(nameOf(file.uri))}`,
    description: inLabel(aboutFile(file, nameOf)),
    file,
  }));
  const has = rules.files.some((file) => file.scope === "directory");
  return has ? found : [...found, { label: `$(new-file) Create ${NAME} here` }];
}

/** The workspace folder, which the person chooses where there are several; undefined where there is none. */
export async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const chosen = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick({ placeHolder: `The folder of the ${NAME}` }) : folders[0];
  return chosen?.uri;
}

/** Open an AGENTS.md of a folder; where there is none, a draft that is written when the person saves it. */
export async function createRules(folder: vscode.Uri): Promise<void> {
  const target = vscode.Uri.joinPath(folder, NAME);
  const exists = await vscode.workspace.fs.stat(target).then(() => true, () => false);
  if (exists) return openFile(target.toString());
  const draft = await vscode.workspace.openTextDocument(target.with({ scheme: "untitled" }));
  const editor = await vscode.window.showTextDocument(draft);
  const title = folder.path.split("/").at(-1) ?? "";
  await editor.insertSnippet(new vscode.SnippetString(`# \${1:${title.replace(/[$}\\]/gu, "\\$&")}}\n\n- \${2:What an agent must know here}\n`));
}

/** What the session was told beside what the file says now. */
export async function compareRules(server: Server, pages: Pages, node: RuleNode): Promise<void> {
  if (node.kind !== "rule") return;
  const uri = vscode.Uri.parse(node.file.uri);
  const told = await server.request("pi/rules/session", { uri: node.file.uri });
  const page = pages.put(`session/${uri.path.split("/").at(-1) ?? NAME}`, told.text);
  await vscode.commands.executeCommand("vscode.diff", page, uri, `${nameOf(node.file.uri)} (session ↔ now)`);
}

/** Tell the session of rules below the working directory. */
export async function loadRules(server: Server, node: RuleNode): Promise<void> {
  if (node.kind === "rule") await server.request("pi/rules/load", { uris: [node.file.uri] });
}
