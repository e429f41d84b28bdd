import * as vscode from "vscode";
import { registerCommands } from "./base/commands";
import { Pages } from "./base/pages";
import { AskAction } from "./chat/askAction";
import { Chat } from "./chat/chat";
import { chooseModel, chooseThinking, handOverKeys, setApiKey } from "./chat/models";
import { answerRequests } from "./chat/requests";
import { compact, compactWithInstructions, preview, previewActions, undo } from "./context/compaction";
import { explain } from "./context/explain";
import { ContextView } from "./context/view";
import { RuleBook } from "./rules/book";
import { chooseFolder, compareRules, createRules, loadRules, showRulesHere } from "./rules/commands";
import { RuleDecorations } from "./rules/decorations";
import { offerRules } from "./rules/offer";
import { RuleStatus } from "./rules/status";
import { type RuleNode, RulesView } from "./rules/view";
import { announce } from "./server/announce";
import { tellFailures } from "./server/failures";
import { Server } from "./server/server";
import { chooseTrust, offerTrust } from "./server/trust";
import { chooseFilter, copyEntry, entryId, keepEntryPages, labelEntry, openEntry, renameSession, search, switchTo } from "./session/actions";
import { openSession } from "./session/open";
import { pickEntry } from "./session/pick";
import type { Row } from "./session/outline";
import { SessionView } from "./session/view";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Pi", { log: true });
  const server = new Server(context, log);
  const pages = new Pages();
  const chat = new Chat(context.extensionUri, server, pages, context.workspaceState);
  answerRequests(server, pages);
  context.subscriptions.push(
    log,
    server,
    pages,
    chat,
    tellFailures(server),
    announce(server),
    offerTrust(server, context.workspaceState),
    handOverKeys(server, context.secrets),
    serverCommands(server),
    ...rules(server, pages, chat),
    ...session(server, pages, chat),
    ...modelContext(server, pages),
    ...talk(server, chat, context.secrets),
  );
  void server.restart();
}

function serverCommands(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    registerCommands({
      "piLsp.restart": () => server.restart(),
      "piLsp.showLog": () => { server.log.show(); },
      "piLsp.trust": () => chooseTrust(server),
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("piLsp.server")) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
}

function rules(server: Server, pages: Pages, chat: Chat): vscode.Disposable[] {
  const book = new RuleBook(server);
  const folderOf = (place: vscode.Uri | RuleNode | undefined): vscode.Uri | undefined => {
    if (place instanceof vscode.Uri) return place;
    return place?.kind === "folder" ? vscode.Uri.parse(place.uri) : undefined;
  };
  return [
    book,
    new RuleStatus(server, book),
    offerRules(server, chat),
    vscode.window.registerFileDecorationProvider(new RuleDecorations(book)),
    new RulesView(server),
    registerCommands({
      "piLsp.showRulesHere": (uri?: vscode.Uri) => showRulesHere(book, uri),
      "piLsp.createRules": async (place?: vscode.Uri | RuleNode) => {
        const folder = folderOf(place) ?? (await chooseFolder());
        if (folder) await createRules(folder);
      },
      "piLsp.compareRules": (node: RuleNode) => compareRules(server, pages, node),
      "piLsp.loadRules": (node: RuleNode) => loadRules(server, node),
    }),
  ];
}

function session(server: Server, pages: Pages, chat: Chat): vscode.Disposable[] {
  const view = new SessionView(server);
  keepEntryPages(server, pages);
  const on = (row: Row | string | undefined, act: (id: string) => unknown): unknown => {
    const id = entryId(row ?? view.selected);
    if (!id) throw new Error("Choose an entry in the session tree first.");
    return act(id);
  };
  return [
    view,
    registerCommands({
      "piLsp.openSession": () => { openSession(server); },
      "piLsp.newSession": () => server.request("pi/session/new", {}),
      "piLsp.renameSession": () => renameSession(server),
      "piLsp.filterTree": () => chooseFilter(view),
      "piLsp.searchTree": () => search(view),
      "piLsp.clearTreeFilter": () => { view.narrow("default", ""); },
      "piLsp.openEntry": (row?: Row | string) => on(row, (id) => openEntry(server, pages, id)),
      "piLsp.copyEntry": (row?: Row | string) => on(row, (id) => copyEntry(server, id)),
      "piLsp.explainEntry": (row?: Row | string) => on(row, (id) => { explain(server, { entryId: id }); }),
      "piLsp.switchBranch": async (row?: Row | string) => {
        const id = entryId(row) ?? (await pickEntry(server, "Switch branch"));
        const text = id && (await switchTo(server, id));
        if (text) await chat.tell({ type: "draft", text });
      },
      "piLsp.forkSession": (row?: Row | string) =>
        on(row, async (id) => {
          const { editorText } = await server.request("pi/session/fork", { entryId: id });
          if (editorText) await chat.tell({ type: "draft", text: editorText });
        }),
      "piLsp.labelEntry": (row?: Row | string) => on(row, (id) => labelEntry(server, id, labelOf(row))),
    }),
  ];
}

const labelOf = (row: Row | string | undefined): string =>
  typeof row === "object" && row.kind !== "earlier" ? (row.node.label ?? "") : "";

function modelContext(server: Server, pages: Pages): vscode.Disposable[] {
  return [
    new ContextView(server),
    previewActions(server, pages),
    registerCommands({
      "piLsp.explain": (query?: string) => { explain(server, typeof query === "string" ? { query } : {}); },
      "piLsp.compact": () => compact(server),
      "piLsp.compactLocally": () => compact(server, "", "local"),
      "piLsp.compactWithInstructions": () => compactWithInstructions(server),
      "piLsp.previewCompaction": () => preview(server, pages),
      "piLsp.undoCompaction": () => undo(server),
      "piLsp.showContext": () => vscode.commands.executeCommand("piLsp.context.focus"),
      "piLsp.showTree": () => vscode.commands.executeCommand("piLsp.session.focus"),
    }),
  ];
}

function talk(server: Server, chat: Chat, secrets: vscode.SecretStorage): vscode.Disposable[] {
  return [
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, new AskAction(server), {
      providedCodeActionKinds: [AskAction.kind],
    }),
    registerCommands({
      "piLsp.openChat": () => chat.tell({ type: "focus" }),
      "piLsp.openChatInEditor": () => { chat.openInEditor(); },
      "piLsp.askAboutSelection": () => chat.attachSelection(),
      "piLsp.ask": async (given?: string) => {
        const text = typeof given === "string" ? given : await vscode.window.showInputBox({ title: "Ask Pi" });
        if (text?.trim()) await chat.send(text.trim());
      },
      "piLsp.abort": () => chat.abort(),
      "piLsp.chooseModel": () => chooseModel(server),
      "piLsp.chooseThinking": () => chooseThinking(server),
      "piLsp.setApiKey": () => setApiKey(server, secrets),
    }),
  ];
}
