/** Compaction: looked at before, done, and taken back. */
import * as vscode from "vscode";
import { type Pages, SCHEME } from "../base/pages";
import { withProgress } from "../base/progress";
import { tell, tellWarning } from "../base/tell";
import { counted, tokens } from "../base/text";
import type { CompactionPreview, EntryRef } from "../protocol/generated";
import type { Server } from "../server/server";
import { kindOf } from "../session/words";

type Summarizer = "model" | "local";

export async function compact(server: Server, instructions = "", summarizer: Summarizer = "model"): Promise<void> {
  const params = { summarizer, ...(instructions && { instructions }) };
  const result = await withProgress("Compacting the session", (token) => server.request("pi/compact", params, token));
  if (result.error) void tellWarning(`Pi: ${result.error}`);
  if (result.stopReason !== "done") return;
  const sizes = result.tokensBefore && result.tokensAfter ? ` from ${tokens(result.tokensBefore)} to ${tokens(result.tokensAfter)}` : "";
  const local = result.summarizer === "local" && summarizer === "model" ? " The model could not be used, so the summary is a local one." : "";
  const chosen = await tell(`Pi: compacted${sizes}.${local}`, "Undo", "Show Context");
  if (chosen === "Undo") await undo(server);
  else if (chosen) await vscode.commands.executeCommand("piLsp.showContext");
}

export async function compactWithInstructions(server: Server): Promise<void> {
  const instructions = await vscode.window.showInputBox({ title: "Compact the session", placeHolder: "What the summary must keep" });
  if (instructions !== undefined) await compact(server, instructions.trim());
}

export async function undo(server: Server): Promise<void> {
  await server.request("pi/compact/undo", {});
  void tell("Pi: the conversation goes on from before the compaction.");
}

const PAGES = "compaction/";
const PAGE = `${PAGES}What a compaction would do`;
const SUMMARY = `${PAGES}The local summary`;

/** Show what would be summarised and kept, and the local summary beside it. Over their first lines is what one may do. */
export async function preview(server: Server, pages: Pages): Promise<void> {
  const plan = await server.request("pi/compact/preview", {});
  await pages.show(PAGE, previewText(plan));
  await pages.showBeside(SUMMARY, plan.localSummary);
}

/** The actions over the two pages, which are made anew where the person comes back to them. */
export function previewActions(server: Server, pages: Pages): vscode.Disposable {
  pages.remake(PAGE, async () => previewText(await server.request("pi/compact/preview", {})));
  pages.remake(SUMMARY, async () => (await server.request("pi/compact/preview", {})).localSummary);
  const lenses = Object.entries(ACTIONS).map(([page, actions]) => {
    const shown = actions.map((action) => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), action));
    return vscode.languages.registerCodeLensProvider({ scheme: SCHEME, pattern: `/${page}` }, { provideCodeLenses: () => shown });
  });
  const written = server.onEvent((event) => {
    if (event.type === "compaction_end" && event.entryId) pages.renew(PAGES);
  });
  return vscode.Disposable.from(...lenses, written);
}

const ACTIONS: Record<string, vscode.Command[]> = {
  [PAGE]: [
    { title: "$(sparkle) Compact", tooltip: "The model writes the summary", command: "piLsp.compact" },
    { title: "$(edit) With instructions…", tooltip: "Say what must be kept", command: "piLsp.compactWithInstructions" },
  ],
  [SUMMARY]: [{ title: "$(zap) Compact with this local summary", tooltip: "Free, without a model", command: "piLsp.compactLocally" }],
};

/** The plan as a page to read. */
export function previewText(plan: CompactionPreview): string {
  const list = (title: string, refs: EntryRef[]): string[] => {
    if (refs.length === 0) return [];
    const sum = refs.reduce((whole, ref) => whole + ref.tokens, 0);
    const rows = refs.map((ref) => `- ${kindOf({ type: ref.type, role: ref.role ?? null }).name} · ${tokens(ref.tokens)}: ${ref.preview}`);
    return [`## ${title}`, "", `${counted(refs.length, "entry", "entries")}, ${tokens(sum)}`, "", ...rows, ""];
  };
  const files = (title: string, names: string[] | undefined): string[] => (names?.length ? [`${title}: ${names.join(", ")}`, ""] : []);
  return [
    "# What a compaction would do",
    "",
    `From ${tokens(plan.tokensBefore)} to about ${tokens(plan.tokensAfter)}. Nothing is written yet.`,
    "",
    ...list("Replaced by the summary", plan.summarized),
    ...list("Replaced too: the beginning of the turn that is cut", plan.turnPrefix),
    ...list("Kept as it is", plan.kept),
    ...files("Files that were read", plan.readFiles),
    ...files("Files that were changed", plan.modifiedFiles),
  ].join("\n");
}
