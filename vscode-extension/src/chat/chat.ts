/** The chat: a view in the side bar, and the same page in an editor. */
import * as vscode from "vscode";
import type { Pages } from "../base/pages";
import type { Server } from "../server/server";
import { describe } from "../server/errors";
import { openEntry, switchTo } from "../session/actions";
import { complete } from "./completions";
import { Feed, type Post } from "./feed";
import { type Attachment, type FromPage, PAGE_COMMANDS, type ToPage } from "./messages";
import { chatHtml, pageOptions } from "./page";

const VIEW = "piLsp.chat";
const EDITOR = "piLsp.chatEditor";

export class Chat implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly feed: Feed;
  private readonly subscriptions: vscode.Disposable[];
  private latest: vscode.Webview | undefined;
  /** What is said before a page is there to hear it. */
  private waiting: ToPage[] = [];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly pages: Pages,
  ) {
    this.feed = new Feed(server);
    this.subscriptions = [
      this.feed,
      vscode.window.registerWebviewViewProvider(VIEW, this),
      vscode.window.registerWebviewPanelSerializer(EDITOR, {
        deserializeWebviewPanel: (panel) => {
          this.fillPanel(panel);
          return Promise.resolve();
        },
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.fill(view.webview, view.onDidDispose, (message) => {
      if ("state" in message) view.description = message.state?.session.name ?? "";
    });
  }

  openInEditor(): void {
    this.fillPanel(vscode.window.createWebviewPanel(EDITOR, "Pi Chat", vscode.ViewColumn.Active));
  }

  private fillPanel(panel: vscode.WebviewPanel): void {
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "icon.svg");
    this.fill(panel.webview, panel.onDidDispose);
  }

  /** Show the chat and say this to it: a draft, or something to send along. */
  async tell(message: ToPage): Promise<void> {
    this.waiting.push(message);
    if (!this.latest) await vscode.commands.executeCommand(`${VIEW}.focus`);
    this.flush();
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Put the selection, or the whole file, beside the next message. */
  async attachSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== "file") throw new Error("Open a file first.");
    await this.tell({ type: "attach", attachment: attachmentOf(editor) });
  }

  /** Say something as the person; the answer comes by events. */
  async send(text: string): Promise<void> {
    await this.tell({ type: "focus" });
    await this.run({ type: "send", text, mode: "prompt", images: [], references: [] });
  }

  private fill(webview: vscode.Webview, gone: vscode.Event<void>, watch: Post = () => undefined): void {
    webview.options = pageOptions(this.extension);
    let joined: vscode.Disposable | undefined;
    const post: Post = (message) => {
      watch(message);
      void webview.postMessage(message);
    };
    const listening = webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "ready") {
        joined?.dispose();
        joined = this.feed.join(post);
        this.latest = webview;
        this.flush();
      } else void this.heard(message, post);
    });
    gone(() => {
      joined?.dispose();
      listening.dispose();
      if (this.latest === webview) this.latest = undefined;
    });
    webview.html = chatHtml(webview, this.extension);
  }

  private flush(): void {
    if (!this.latest) return;
    for (const message of this.waiting.splice(0)) void this.latest.postMessage(message);
  }

  private async heard(message: FromPage, post: (message: ToPage) => void): Promise<void> {
    try {
      if (message.type === "complete") {
        post({ type: "completions", query: message.query, items: await complete(this.server, message.query) });
      } else await this.run(message, post);
    } catch (error) {
      post({ type: "problem", text: describe(error) });
      if (message.type === "send") post({ type: "draft", text: message.text }); // nothing that was written is lost
    }
  }

  private async run(message: FromPage, post: (message: ToPage) => void = this.feed.everyone): Promise<void> {
    switch (message.type) {
      case "send": {
        const { text, mode, images, references } = message;
        const result = await this.server.request("pi/chat", { text, mode, images, references });
        if (result.error) post({ type: "problem", text: result.error });
        return;
      }
      case "abort": {
        const { queue } = await this.server.request("pi/abort", {});
        const undelivered = [...queue.steer, ...queue.followUp].join("\n\n");
        if (undelivered) post({ type: "draft", text: undelivered });
        return;
      }
      case "queue":
        await this.server.request("pi/queue/set", message.queue);
        return;
      case "openEntry":
        return openEntry(this.server, this.pages, message.entryId);
      case "openFile":
        await vscode.window.showTextDocument(await this.resolve(message.path));
        return;
      case "copy":
        return vscode.env.clipboard.writeText(message.text);
      case "resend": {
        const text = await switchTo(this.server, message.entryId);
        if (text !== undefined) post({ type: "draft", text });
        return;
      }
      case "command":
        if (PAGE_COMMANDS.includes(message.name)) await vscode.commands.executeCommand(`piLsp.${message.name}`);
        return;
      default:
    }
  }

  /** A path as tools write it: absolute, or from the session's working directory. */
  private async resolve(path: string): Promise<vscode.Uri> {
    const { session } = await this.server.request("pi/state", {});
    return /^(?:\/|[A-Za-z]:[\\/])/u.test(path) ? vscode.Uri.file(path) : vscode.Uri.joinPath(vscode.Uri.file(session.cwd), path);
  }
}

function attachmentOf({ document, selection }: vscode.TextEditor): Attachment {
  const name = vscode.workspace.asRelativePath(document.uri);
  const uri = document.uri.toString();
  if (selection.isEmpty) return { uri, label: name };
  const lines = selection.isSingleLine ? `${selection.start.line + 1}` : `${selection.start.line + 1}–${selection.end.line + 1}`;
  const { start, end } = selection;
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  return { uri, range, label: `${name}:${lines}` };
}
