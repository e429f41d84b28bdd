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

  /** The page of this name (its ending chooses the language) with this text. */
  put(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  async show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.put(name, text), { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This page was made from what the server knew earlier. Open it again.";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
