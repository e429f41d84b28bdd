/** What can be completed in the chat: `/template` and `/skill:name` at the start, `@file` anywhere. */
import * as vscode from "vscode";
import type { SkillFile } from "../protocol/generated";
import type { Server } from "../server/server";
import type { Completion } from "./messages";

const MOST = 20;

/** `query` is the word under the cursor with its first character. */
export async function complete(server: Server, query: string): Promise<Completion[]> {
  if (query.startsWith("/")) return calls(server, query.slice(1).toLowerCase());
  return query.startsWith("@") ? files(query.slice(1)) : [];
}

/** Templates, then skills; those whose name begins with what was typed stand first. */
async function calls(server: Server, typed: string): Promise<Completion[]> {
  const [templates, skills] = await Promise.all([
    server.supports("pi/templates") ? server.request("pi/templates", {}) : { templates: [] },
    server.request("pi/skills", {}),
  ]);
  const all = [
    ...templates.templates.map(({ name, argumentHint, description }) => ({ name, detail: [argumentHint, description].filter(Boolean).join(" · ") })),
    ...skills.skills.filter(isCallable).map(({ name, description }) => ({ name: `skill:${name}`, detail: description })),
  ];
  const found = all.filter(({ name }) => name.toLowerCase().includes(typed));
  const first = ({ name }: { name: string }): number => Number(!name.toLowerCase().startsWith(typed));
  found.sort((one, other) => first(one) - first(other));
  return found.slice(0, MOST).map(({ name, detail }) => ({ label: `/${name}`, detail, insert: `/${name} ` }));
}

/** One that the model is not told of can still be called. */
const isCallable = ({ listed, reason }: SkillFile): boolean => listed || (reason ?? "").startsWith("disable-model-invocation");

async function files(typed: string): Promise<Completion[]> {
  const found = await vscode.workspace.findFiles(`**/*${anyCase(typed)}*`, excluded(), 4 * MOST);
  const named = found.map((uri) => ({ uri, name: vscode.workspace.asRelativePath(uri) }));
  named.sort((one, other) => one.name.length - other.name.length || one.name.localeCompare(other.name));
  return named.slice(0, MOST).map(({ uri, name }) => ({
    label: name.split("/").at(-1) ?? name,
    detail: name,
    insert: `@${name} `,
    attachment: { uri: uri.toString(), label: name },
  }));
}

/** A pattern for what was typed, however it is written; no patterns of the person's own. */
export const anyCase = (typed: string): string =>
  typed.replace(/[[\]{}*?]/gu, "?").replace(/\p{L}/gu, (letter) => {
    const [small, large] = [letter.toLowerCase(), letter.toUpperCase()];
    return small !== large && small.length === 1 && large.length === 1 ? `[${small}${large}]` : letter;
  });

/** What a search leaves out, as packages that were installed; by itself it would leave out less. */
function excluded(): string | undefined {
  const of = (name: string): Record<string, unknown> => vscode.workspace.getConfiguration(name).get<Record<string, unknown>>("exclude", {});
  const patterns = Object.entries({ ...of("files"), ...of("search") }).filter(([, value]) => value === true);
  return patterns.length ? `{${patterns.map(([pattern]) => pattern).join(",")}}` : undefined;
}
