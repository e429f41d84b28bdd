/** "Ask Pi" among the code actions of a selection. */
import * as vscode from "vscode";

export class AskAction implements vscode.CodeActionProvider {
  static readonly kind = vscode.CodeActionKind.Empty.append("piLsp.ask");

  provideCodeActions(_document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    if (range.isEmpty) return [];
    const action = new vscode.CodeAction("Ask Pi about this", AskAction.kind);
    action.command = { command: "piLsp.askAboutSelection", title: action.title };
    return [action];
  }
}
