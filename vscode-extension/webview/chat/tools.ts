/** Tool calls as compact cards: what was asked in one line; arguments, differences and output on demand. */
import { oneLine } from "../../src/base/inert";
import { head } from "../../src/base/text";
import { h, icon } from "../base/dom";
import { str, asObject, type JsonObject } from "./json";
import type { ToolCall } from "./transcript";

const LONGEST = 20_000;
const ICONS: Record<string, string> = { bash: "terminal", read: "file", write: "new-file", edit: "edit", grep: "search", find: "search", ls: "list-tree" };

export interface ToolActions {
  openFile: (path: string) => void;
}

export function toolCard(call: ToolCall, actions: ToolActions): HTMLElement {
  const { result } = call;
  const [state, said] = stateOf(call);
  const head = h(
    "summary",
    { title: oneLine(headline(call)) },
    icon(ICONS[call.name] ?? "tools"),
    h("span.tool-name", {}, call.name || "tool"),
    h("span.tool-line", { dir: "ltr" }, headline(call)),
    h(`span.tool-state.${state}`, {}, icon(STATES[state]), " ", h("span", state === "done" ? { class: "hidden-text" } : {}, said)),
  );
  const path = str(call.arguments.path);
  const body = h(
    "div.tool-body",
    {},
    path && h("button.link", { type: "button", onclick: () => { actions.openFile(path); } }, icon("go-to-file"), " ", path),
    ...askedFor(call),
    result?.text || call.output ? output(result?.text ?? call.output, result?.isError ?? false) : null,
    result?.spillFile && spillLink(result.spillFile, actions),
  );
  return h("details.tool", result?.isError ? { open: true } : {}, head, body);
}

type State = "running" | "open" | "done" | "failed";
const STATES: Record<State, string> = { running: "loading.codicon-modifier-spin", open: "circle-outline", done: "check", failed: "error" };

function stateOf({ result, running }: ToolCall): [State, string] {
  if (!result) return running ? ["running", "running"] : ["open", "no result"];
  const { exitCode } = result.details;
  if (!result.isError) return ["done", "done"];
  return ["failed", typeof exitCode === "number" ? `exit ${exitCode}` : "failed"];
}

/** One line that says what the call is about. */
export function headline({ arguments: given }: ToolCall): string {
  for (const name of ["command", "path", "pattern", "query", "url"]) {
    const text = str(given[name]);
    if (text) return head(text, 300).replace(/\s+/gu, " ");
  }
  const text = JSON.stringify(given);
  return text === "{}" ? "" : head(text, 300);
}

function askedFor({ name, arguments: given, result }: ToolCall): (HTMLElement | null)[] {
  const diff = str(result?.details.diff);
  if (diff) return [differences(diff)];
  const edits = Array.isArray(given.edits) ? given.edits.map(asObject) : [given];
  const changes = edits.filter((edit): edit is JsonObject => typeof edit?.oldText === "string" || typeof edit?.newText === "string");
  if (changes.length) return changes.map((edit) => differences(asDiff(str(edit.oldText), str(edit.newText))));
  if (name === "write") return [code(str(given.content))];
  const command = str(given.command);
  if (command) return [code(command)];
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => key !== "path"));
  return Object.keys(rest).length ? [code(JSON.stringify(rest, null, 2))] : [];
}

function asDiff(before: string, after: string): string {
  const marked = (text: string, sign: string): string[] => (text ? text.split("\n").map((line) => `${sign} ${line}`) : []);
  return [...marked(before, "-"), ...marked(after, "+")].join("\n");
}

function differences(text: string): HTMLElement {
  const lines = cut(text)
    .split("\n")
    .map((line) => h(`span.line${line.startsWith("+") ? ".added" : line.startsWith("-") ? ".removed" : ""}`, {}, `${line}\n`));
  return h("pre.diff", { dir: "ltr", tabindex: "0", "aria-label": "Changes" }, ...lines);
}

const code = (text: string): HTMLElement | null =>
  text ? h("pre.asked", { dir: "ltr", tabindex: "0", "aria-label": "Asked for" }, cut(text)) : null;

const output = (text: string, failed: boolean): HTMLElement =>
  h(`pre.output${failed ? ".failed" : ""}`, { dir: "ltr", tabindex: "0", "aria-label": "Output" }, cut(text));

function spillLink(path: string, actions: ToolActions): HTMLElement {
  return h("button.link", { type: "button", onclick: () => { actions.openFile(path); } }, icon("output"), " The whole output");
}

export const cut = (text: string): string => (text.length > LONGEST ? `${head(text, LONGEST)}\n… ${text.length - LONGEST} more characters` : text);
