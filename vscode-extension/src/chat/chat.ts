/** The chat: a view in the side bar, and the same page in an editor. */
import * as vscode from "vscode";
import type { Pages } from "../base/pages";
import type { Image } from "../protocol/generated";
import type { Server } from "../server/server";
import { describe, isLost } from "../server/errors";
import { openEntry, switchTo } from "../session/actions";
import { complete } from "./completions";
import { Feed, type Post } from "./feed";
import { fromPage } from "./heard";
import { placeOf } from "./links";
import type { Attachment, FromPage, ToPage } from "./messages";
import { chatHtml, pageOptions } from "./page";
import { Waiting } from "./waiting";

/** Where a page is: a view or an editor. */
type Surface = vscode.WebviewView | vscode.WebviewPanel;

const VIEW = "piLsp.chat";
const EDITOR = "piLsp.chatEditor";

export class Chat implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly feed: Feed;
  private readonly queued: Waiting;
  private readonly subscriptions: vscode.Disposable[];
  private readonly surfaces = new Set<Surface>();
  /** Those whose page listens, the one that came last at the end. */
  private readonly listening = new Set<Surface>();
  /** What is said before a page is there to hear it. */
  private waiting: ToPage[] = [];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: Server,
    private readonly pages: Pages,
    memory: vscode.Memento,
  ) {
    this.feed = new Feed(server);
    this.queued = new Waiting(server, memory, (text) => { this.post({ type: "draft", text }); });
    this.subscriptions = [
      this.feed,
      this.queued,
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
    this.fill(view, (message) => {
      if ("state" in message) view.description = message.state.session.name ?? "";
    });
  }

  openInEditor(): void {
    this.fillPanel(vscode.window.createWebviewPanel(EDITOR, "Pi Chat", vscode.ViewColumn.Active));
  }

  private fillPanel(panel: vscode.WebviewPanel): void {
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "icon.svg");
    this.fill(panel);
  }

  /** Whether the person sees the chat. */
  get isVisible(): boolean {
    return [...this.surfaces].some(({ visible }) => visible);
  }

  /** Say this on every page that there is. */
  announce(message: ToPage): void {
    this.feed.everyone(message);
  }

  /** Show the chat and say this to it: a draft, or something to send along. */
  async tell(message: ToPage): Promise<void> {
    const surface = this.latest;
    this.post(message);
    if (surface && "reveal" in surface) surface.reveal();
    else await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Say this to the page that came last; to the next one where there is none. */
  private post(message: ToPage): void {
    this.waiting.push(message);
    this.flush();
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
    await this.heard({ type: "send", text, mode: "steer", images: [], attachments: [] }, (message) => { this.post(message); });
  }

  /** End what goes on; what was still to be said stands in the text field again. */
  async abort(): Promise<void> {
    const { queue } = await this.server.request("pi/abort", {});
    this.queued.giveBack(queue);
  }

  private fill(surface: Surface, watch: Post = () => undefined): void {
    const { webview } = surface;
    this.surfaces.add(surface);
    webview.options = pageOptions(this.extension);
    let joined: vscode.Disposable | undefined;
    let images: Image[] = [];
    const leave = (): void => {
      joined?.dispose();
      this.listening.delete(surface);
    };
    const post: Post = (message) => {
      watch(message);
      void webview.postMessage(message);
    };
    const hearing = webview.onDidReceiveMessage((value: unknown) => {
      const message = fromPage(value);
      if (!message) this.server.log.warn("The chat's page said something that is no message of ours; it is ignored.");
      else if (message.type === "ready") {
        leave();
        joined = this.feed.join(post);
        this.listening.add(surface);
        if (images.length) post({ type: "unsent", text: "", images, attachments: [] });
        this.flush();
      } else if (message.type === "images") images = message.images;
      else void this.heard(message, post);
    });
    // A page that is hidden is gone; it says "ready" again when it is shown.
    const shown = (): void => {
      if (!surface.visible) leave();
    };
    if ("reveal" in surface) surface.onDidChangeViewState(shown);
    else surface.onDidChangeVisibility(shown);
    surface.onDidDispose(() => {
      this.surfaces.delete(surface);
      leave();
      hearing.dispose();
    });
    webview.html = chatHtml(webview, this.extension);
  }

  private get latest(): Surface | undefined {
    return [...this.listening].at(-1);
  }

  private flush(): void {
    const page = this.latest?.webview;
    if (page) for (const message of this.waiting.splice(0)) void page.postMessage(message);
  }

  private async heard(message: FromPage, post: Post): Promise<void> {
    try {
      await this.run(message, post);
    } catch (error) {
      post({ type: "problem", text: describe(error) });
    }
  }

  /** Nothing that was written is lost: what could not be said is `unsent`. */
  private async say({ text, mode, images, attachments }: FromPage & { type: "send" }, post: Post): Promise<void> {
    const stored = { said: false, error: undefined as unknown };
    const hearing = this.server.onEvent((event) => {
      if (event.type === "message_start") stored.said ||= event.role === "user";
      else if (event.type === "message_end") stored.error = event.message.errorMessage;
    });
    const references = attachments.map(({ uri, range }) => ({ uri, ...(range && { range }) }));
    try {
      const { queue, error } = await this.server.request("pi/chat", { text, mode, images, references });
      if (queue) this.queued.giveBack(queue);
      if (error && error !== stored.error) post({ type: "problem", text: error });
    } catch (error) {
      const isKept = stored.said || this.queued.holds(text);
      if (!isKept || !isLost(error)) post({ type: "unsent", text, images, attachments });
      throw error;
    } finally {
      hearing.dispose();
    }
  }

  private async run(message: FromPage, post: Post): Promise<void> {
    switch (message.type) {
      case "send":
        return this.say(message, post);
      case "abort":
        return this.abort();
      case "queue":
        await this.server.request("pi/queue/set", message.queue);
        return;
      case "openEntry":
        return openEntry(this.server, this.pages, message.entryId);
      case "complete":
        post({ type: "completions", query: message.query, items: await complete(this.server, message.query) });
        return;
      case "drop":
        for (const uri of message.uris) post({ type: "attach", attachment: wholeFile(vscode.Uri.parse(uri)) });
        return;
      case "earlier":
        this.feed.earlier(post);
        return;
      case "loadRules":
        await this.server.request("pi/rules/load", { uris: message.uris });
        return;
      case "openFile":
        return this.open(message.path);
      case "openLink": {
        const place = placeOf(message.link);
        if (place) await this.open(place.path, place.line);
        return;
      }
      case "copy":
        return vscode.env.clipboard.writeText(message.text);
      case "resend": {
        const text = await switchTo(this.server, message.entryId);
        if (text) post({ type: "draft", text });
        return;
      }
      case "command":
        await vscode.commands.executeCommand(`piLsp.${message.name}`);
        return;
      default:
    }
  }

  /** Open a path as tools and models write it: absolute, or from the session's working directory; `line` is from 0. */
  private async open(path: string, line?: number): Promise<void> {
    if (/^[\\/]{2}/u.test(path)) throw new Error("Files of other machines are not opened from here.");
    const { session } = await this.server.request("pi/state", {});
    const uri = /^(?:\/|[A-Za-z]:[\\/])/u.test(path) ? vscode.Uri.file(path) : vscode.Uri.joinPath(vscode.Uri.file(session.cwd), path);
    const exists = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
    if (!exists) throw new Error(`There is no file ${path}.`);
    const at = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.commands.executeCommand("vscode.open", uri, at); // shows images too
  }
}

function attachmentOf({ document, selection }: vscode.TextEditor): Attachment {
  const whole = wholeFile(document.uri);
  if (selection.isEmpty) return whole;
  const lines = selection.isSingleLine ? `${selection.start.line + 1}` : `${selection.start.line + 1}–${selection.end.line + 1}`;
  const { start, end } = selection;
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  return { ...whole, range, label: `${whole.label}:${lines}` };
}

const wholeFile = (uri: vscode.Uri): Attachment => ({ uri: uri.toString(), label: vscode.workspace.asRelativePath(uri) });
