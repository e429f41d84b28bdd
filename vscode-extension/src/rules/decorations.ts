/** A badge on folders with rules of their own; the tooltip of every folder says which rules apply there. */
import * as vscode from "vscode";
import { nameOf } from "../base/places";
import type { RuleBook } from "./book";
import { folderTooltip, hasOwn } from "./text";

export class RuleDecorations implements vscode.FileDecorationProvider {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.changed.event;

  constructor(private readonly book: RuleBook) {
    book.onChange(() => { this.changed.fire(undefined); });
  }

  async provideFileDecoration(uri: vscode.Uri): Promise<vscode.FileDecoration | undefined> {
    const rules = await this.book.rulesOf(uri);
    if (!rules || !isSame(vscode.Uri.parse(rules.directory), uri)) return undefined; // a file
    const tooltip = folderTooltip(rules, nameOf);
    if (!tooltip) return undefined;
    return hasOwn(rules)
      ? new vscode.FileDecoration("π", tooltip)
      : new vscode.FileDecoration(undefined, tooltip);
  }
}

const isSame = (one: vscode.Uri, other: vscode.Uri): boolean => one.fsPath === other.fsPath;
