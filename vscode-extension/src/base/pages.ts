/** Read-only documents that show what the server says: plain text, whatever it holds. */
import * as vscode from "vscode";

export const SCHEME = "pi-lsp";

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  /** The page of this name with this text. */
  put(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  /** Show a page: where it stands already, else in the column that is used now. A name without an ending is prose. */
  async show(name: string, text: string): Promise<void> {
    await this.open(name, text, { viewColumn: vscode.ViewColumn.Active, preview: true });
  }

  /** Show a page in the next column, and leave the focus where it is. */
  async showBeside(name: string, text: string): Promise<void> {
    await this.open(name, text, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }

  private async open(name: string, text: string, options: vscode.TextDocumentShowOptions): Promise<void> {
    const uri = this.put(name, text);
    let document = await vscode.workspace.openTextDocument(uri);
    if (document.languageId === "plaintext") {
      document = await vscode.languages.setTextDocumentLanguage(document, "markdown");
      this.texts.set(uri.toString(), text); // for VS Code this was the end of another document
    }
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    await vscode.window.showTextDocument(document, { ...options, ...(shown?.viewColumn && { viewColumn: shown.viewColumn }) });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This page was made from what the server knew earlier. Open it again.";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
