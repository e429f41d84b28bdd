/** "Ask Pi" among the code actions of a selection. */
import * as vscode from "vscode";
import type { Server } from "../server/server";

export class AskAction implements vscode.CodeActionProvider {
  static readonly kind = vscode.CodeActionKind.Empty.append("piLsp.ask");

  constructor(private readonly server: Server) {}

  provideCodeActions(_document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    if (range.isEmpty || !this.server.supports("pi/chat")) return [];
    const action = new vscode.CodeAction("Ask Pi about this", AskAction.kind);
    action.command = { command: "piLsp.askAboutSelection", title: action.title };
    return [action];
  }
}
