/** What a person does with entries of the session tree. */
import * as vscode from "vscode";
import type { Pages } from "../base/pages";
import { withProgress } from "../base/progress";
import type { SwitchParams } from "../protocol/generated";
import type { Server } from "../server/server";
import type { Filter, Row } from "./outline";
import type { SessionView } from "./view";
import { pageName, textOfEntry } from "./words";

/** The id behind a row, or the id itself. */
export function entryId(row: Row | string | undefined): string | undefined {
  if (typeof row === "string" || row === undefined) return row;
  return row.kind === "earlier" ? undefined : row.node.id;
}

async function stored(server: Server, id: string): Promise<Record<string, unknown>> {
  const { entries } = await server.request("pi/session/entries", { ids: [id] });
  const [entry] = entries;
  if (!entry) throw new Error("This entry is not in the session any more.");
  return entry;
}

const PAGE = "entry/";

export async function openEntry(server: Server, pages: Pages, id: string): Promise<void> {
  const entry = await stored(server, id);
  await pages.show(`${PAGE}${id}/${pageName(entry)}`, textOfEntry(entry));
}

/** Pages of entries that were closed can be opened again. */
export function keepEntryPages(server: Server, pages: Pages): void {
  pages.remake(PAGE, async (name) => textOfEntry(await stored(server, name.split("/", 1)[0] ?? "")));
}

export async function copyEntry(server: Server, id: string): Promise<void> {
  await vscode.env.clipboard.writeText(textOfEntry(await stored(server, id)));
}

const FILTERS: Record<Filter, string> = {
  default: "Conversation, tools, summaries",
  noTools: "Without tool results",
  userOnly: "Only what you said",
  labeled: "Only labelled entries",
  all: "Everything that is stored",
};

export async function chooseFilter(view: SessionView): Promise<void> {
  const { filter, query } = view.narrowed;
  const items = Object.entries(FILTERS).map(([name, label]) => ({
    label: `$(${name === filter ? "check" : "blank"}) ${label}`,
    filter: name as Filter,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Entries to show" });
  if (chosen) view.narrow(chosen.filter, query);
}

export async function search(view: SessionView): Promise<void> {
  const { filter, query } = view.narrowed;
  const found = await vscode.window.showInputBox({ title: "Search the session", value: query, placeHolder: "Words that an entry must hold" });
  if (found !== undefined) view.narrow(filter, found.trim());
}

const SUMMARIES: (vscode.QuickPickItem & { summarizer: NonNullable<SwitchParams["summarizer"]> })[] = [
  { label: "$(arrow-right) Switch", description: "without a summary of what is left", summarizer: "none" },
  { label: "$(sparkle) Switch with a summary by the model", description: "it costs a request", summarizer: "model" },
  { label: "$(zap) Switch with a local summary", description: "from the entries alone, free", summarizer: "local" },
];

/** Go on from another entry; the text that is to be edited, if the entry was a message of the person. */
export async function switchTo(server: Server, targetId: string): Promise<string | undefined> {
  const chosen = await vscode.window.showQuickPick(SUMMARIES, { title: "Switch branch" });
  if (!chosen) return undefined;
  const instructions = chosen.summarizer === "model" ? await askInstructions() : "";
  if (instructions === undefined) return undefined;
  const params = { targetId, summarizer: chosen.summarizer, ...(instructions && { instructions }) };
  const answer = await withProgress("Switching branch", (token) => server.request("pi/tree/switch", params, token));
  return answer.editorText ?? undefined;
}

const askInstructions = (): Thenable<string | undefined> =>
  vscode.window.showInputBox({ title: "What should the summary keep?", placeHolder: "Leave empty for the usual summary" });

export async function labelEntry(server: Server, id: string, current: string): Promise<void> {
  const label = await vscode.window.showInputBox({ title: "Label", value: current, placeHolder: "Empty removes the label" });
  if (label !== undefined) await server.request("pi/tree/label", { entryId: id, label: label.trim() || null });
}

export async function renameSession(server: Server): Promise<void> {
  const { session } = await server.request("pi/state", {});
  const name = await vscode.window.showInputBox({ title: "Name of the session", value: session.name ?? "" });
  if (name?.trim()) await server.request("pi/session/rename", { name: name.trim() });
}

