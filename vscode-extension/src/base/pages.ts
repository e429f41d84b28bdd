/** Read-only documents that show what the server says: plain text, whatever it holds. */
import * as vscode from "vscode";
import { describe } from "../server/errors";

export const SCHEME = "pi-lsp";

/** Makes the text of a page from the rest of its name. */
type Maker = (rest: string) => Promise<string>;

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly makers = new Map<string, Maker>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  /** How pages are made anew whose names begin so: VS Code asks for closed ones again, as when the person goes back. */
  remake(beginning: string, maker: Maker): void {
    this.makers.set(beginning, maker);
  }

  /** What pages whose names begin so say is true no more: those that are open are made anew. */
  renew(beginning: string): void {
    for (const key of [...this.texts.keys()]) {
      const uri = vscode.Uri.parse(key);
      if (!uri.path.startsWith(`/${beginning}`)) continue;
      this.texts.delete(key);
      this.changed.fire(uri);
    }
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

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const known = this.texts.get(uri.toString());
    if (known !== undefined) return known;
    const name = uri.path.slice(1);
    for (const [beginning, make] of this.makers) {
      if (name.startsWith(beginning)) return make(name.slice(beginning.length)).catch(describe);
    }
    return "This page showed what the server knew earlier. Open it again.";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
