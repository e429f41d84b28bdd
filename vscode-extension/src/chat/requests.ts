/** What the server asks of the editor: the person's word on a tool call, saved files, what is open. */
import * as vscode from "vscode";
import type { Pages } from "../base/pages";
import { tellWarning } from "../base/tell";
import type { ApproveParams, ApproveResult } from "../protocol/planned";
import type { Server } from "../server/server";
import { question } from "./approval";

export function answerRequests(server: Server, pages: Pages): void {
  server.answer("pi/approve", (params: ApproveParams, token) => approve(params, pages, token));
  server.answer("pi/save", (params: { uris: string[] }) => save(params.uris));
  server.answer("pi/editorContext", () => editorContext());
}

const DECISIONS: Record<string, ApproveResult["decision"]> = { "Allow Once": "once", "Allow in This Session": "session", Deny: "deny" };
const SHOW = "Show All of It";

/** Ask the person; closing the question, or the server's taking it back, is a no. */
async function approve(params: ApproveParams, pages: Pages, token: vscode.CancellationToken): Promise<ApproveResult> {
  const { text, cut } = question(params);
  const actions = [...(params.diff || cut ? [SHOW] : []), ...Object.keys(DECISIONS)];
  const cancelled = new Promise<undefined>((resolve) => token.onCancellationRequested(() => { resolve(undefined); }));
  for (;;) {
    const chosen = await Promise.race([tellWarning(text, ...actions), cancelled]);
    if (chosen !== SHOW) return { decision: DECISIONS[chosen ?? "Deny"] ?? "deny" };
    await showAll(params, pages);
  }
}

async function showAll({ diff, command, title }: ApproveParams, pages: Pages): Promise<void> {
  if (!diff) return pages.show("approve/command.sh", command ?? title);
  const name = vscode.Uri.parse(diff.uri).path.split("/").at(-1) ?? "file";
  const [before, after] = [pages.put(`before/${name}`, diff.before), pages.put(`after/${name}`, diff.after)];
  await vscode.commands.executeCommand("vscode.diff", before, after, `${name}: what Pi wants to change`);
}

async function save(uris: string[]): Promise<{ saved: string[] }> {
  const wanted = new Set(uris);
  const saved: string[] = [];
  for (const document of vscode.workspace.textDocuments) {
    const uri = document.uri.toString();
    if (wanted.has(uri) && (!document.isDirty || (await document.save()))) saved.push(uri);
  }
  return { saved };
}

function editorContext(): object {
  const editor = vscode.window.activeTextEditor;
  const active = editor?.document.uri.scheme === "file" ? editor : undefined;
  const diagnostics = vscode.languages
    .getDiagnostics()
    .filter(([uri, found]) => uri.scheme === "file" && found.length > 0)
    .map(([uri, found]) => ({
      uri: uri.toString(),
      // LSP counts severities from 1.
      items: found.map(({ message, severity, range }) => ({ message, severity: severity + 1, range: plainRange(range) })),
    }));
  if (!active) return { diagnostics };
  return { activeUri: active.document.uri.toString(), selection: plainRange(active.selection), diagnostics };
}

const plainRange = ({ start, end }: vscode.Range): object => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character },
});
