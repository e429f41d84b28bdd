/** Which model answers, how much it thinks, and the key to it. */
import * as vscode from "vscode";
import { inLabel } from "../base/inert";
import { counted, short } from "../base/text";
import type { ListedModel } from "../protocol/generated";
import type { Server } from "../server/server";

const KEYS = "apiKey.";
const SHOWN_MS = 5000;
const ANTHROPIC = "anthropic";
/** A model as it was on a day; beside it stands the one that is kept up to date. */
const DATED = /-\d{8}$/u;

export async function chooseModel(server: Server): Promise<void> {
  const [{ models, problems }, state] = await Promise.all([server.request("pi/model/list", {}), server.request("pi/state", {})]);
  const isCurrent = ({ id, provider }: ListedModel): boolean => id === state.model?.id && provider === state.model.provider;
  const rank = (model: ListedModel): number => (isCurrent(model) ? 4 : 0) + (model.available ? 2 : 0) + (DATED.test(model.id) ? 0 : 1);
  const items = [...models].sort((one, other) => rank(other) - rank(one)).map((model) => ({
    label: `$(${isCurrent(model) ? "check" : "blank"}) ${inLabel(model.name)}`,
    description: inLabel(model.provider) + (model.available ? "" : " · needs an API key"),
    detail: `$(blank) ${inLabel(model.id)} · sees ${short(model.contextWindow)} tokens, writes ${short(model.maxTokens)}`,
    model,
  }));
  const placeHolder = problems?.length ? `${counted(problems.length, "problem")} in models.json: ${problems[0] ?? ""}` : "The model of the next messages";
  const chosen = await vscode.window.showQuickPick(items, { title: "Model", placeHolder, matchOnDescription: true, matchOnDetail: true });
  if (chosen) await server.request("pi/model/set", { provider: chosen.model.provider, id: chosen.model.id });
}

export async function chooseThinking(server: Server): Promise<void> {
  const [{ models }, state] = await Promise.all([server.request("pi/model/list", {}), server.request("pi/state", {})]);
  const known = models.find((model) => model.id === state.model?.id && model.provider === state.model.provider);
  const items = levelsOf(known).map((level) => ({ label: `$(${level === state.thinkingLevel ? "check" : "blank"}) ${level}`, level }));
  const chosen = await vscode.window.showQuickPick(items, { title: "How much the model thinks before it answers" });
  if (chosen) await server.request("pi/thinking/set", { level: chosen.level });
}

const levelsOf = (model: ListedModel | undefined): string[] => (model?.thinkingLevels.length ? model.thinkingLevels : ["off"]);

/** Keep a key in the editor's secret storage and hand it to the server, which keeps it in memory alone. */
export async function setApiKey(server: Server, secrets: vscode.SecretStorage): Promise<void> {
  const provider = await chooseProvider(server);
  if (!provider) return;
  const key = await vscode.window.showInputBox({
    title: `API key for ${provider}`,
    password: true,
    ignoreFocusOut: true,
    prompt: "It is kept in the editor's secret storage. Leave it empty to remove it.",
  });
  if (key === undefined) return;
  if (key.trim()) await secrets.store(KEYS + provider, key.trim());
  else await secrets.delete(KEYS + provider);
  await server.request("pi/auth/set", { provider, apiKey: key.trim() });
  vscode.window.setStatusBarMessage(`$(key) Pi: the API key for ${inLabel(provider)} is ${key.trim() ? "kept" : "removed"}`, SHOWN_MS);
}

async function chooseProvider(server: Server): Promise<string | undefined> {
  const { models } = await server.request("pi/model/list", {});
  const providers = [...new Set([ANTHROPIC, ...models.map((model) => model.provider)])];
  return providers.length === 1 ? providers[0] : vscode.window.showQuickPick(providers, { title: "API key for which provider?" });
}

/** Hand over what is kept whenever the server starts, and what another window keeps from then on. */
export function handOverKeys(server: Server, secrets: vscode.SecretStorage): vscode.Disposable {
  const give = async (names: readonly string[]): Promise<void> => {
    if (!server.supports("pi/auth/set")) return;
    for (const name of names.filter((one) => one.startsWith(KEYS))) {
      await server.request("pi/auth/set", { provider: name.slice(KEYS.length), apiKey: (await secrets.get(name)) ?? "" });
    }
  };
  const tried = (work: Thenable<void>): void => void work.then(undefined, (error: unknown) => {
    server.log.warn(`A stored API key was not taken: ${String(error)}`);
  });
  return vscode.Disposable.from(
    server.onStatus((status) => { if (status === "ready") tried(secrets.keys().then(give)); }),
    secrets.onDidChange(({ key }) => { tried(give([key])); }),
  );
}
