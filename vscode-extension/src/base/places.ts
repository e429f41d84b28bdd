/** Files and entries, shown and named. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Range } from "../protocol/generated";
import { shortPath } from "./paths";

/** A file's name as the person knows it. */
export function nameOf(uri: string): string {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  return shortPath(vscode.Uri.parse(uri).fsPath, folders, homedir());
}

export async function openFile(uri: string, range?: Range | null): Promise<void> {
  const options = range ? { selection: toRange(range) } : {};
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), options);
}

export const toRange = ({ start, end }: Range): vscode.Range =>
  new vscode.Range(start.line, start.character, end.line, end.character);

