/** What can be completed in the chat: `/skill:name` at the start, `@file` anywhere. */
import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { Completion } from "./messages";

const MOST = 20;

/** `query` is the word under the cursor with its first character. */
export async function complete(server: Server, query: string): Promise<Completion[]> {
  if (query.startsWith("/")) return skills(server, query.slice(1).toLowerCase());
  return query.startsWith("@") ? files(query.slice(1)) : [];
}

async function skills(server: Server, typed: string): Promise<Completion[]> {
  const found = await server.request("pi/skills", {});
  return found.skills
    .filter((skill) => skill.listed && `skill:${skill.name}`.toLowerCase().includes(typed))
    .slice(0, MOST)
    .map((skill) => ({ label: `/skill:${skill.name}`, detail: skill.description, insert: `/skill:${skill.name} ` }));
}

async function files(typed: string): Promise<Completion[]> {
  const words = typed.replace(/[[\]{}*?]/gu, "?"); // no patterns of the person's
  const found = await vscode.workspace.findFiles(`**/*${words}*`, undefined, 4 * MOST);
  const named = found.map((uri) => ({ uri, name: vscode.workspace.asRelativePath(uri) }));
  named.sort((one, other) => one.name.length - other.name.length || one.name.localeCompare(other.name));
  return named.slice(0, MOST).map(({ uri, name }) => ({
    label: name.split("/").at(-1) ?? name,
    detail: name,
    insert: `@${name} `,
    attachment: { uri: uri.toString(), label: name },
  }));
}
