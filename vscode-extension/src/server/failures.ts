/** Tell the person what went wrong with the server and what they can do. */
import * as vscode from "vscode";
import { inBackground, tellError } from "../base/tell";
import { CrashError } from "./crashes";
import { EnvironmentError } from "./environment";
import type { Server } from "./server";

const PYTHON_PAGE = vscode.Uri.parse("https://www.python.org/downloads/");

export function tellFailures(server: Server): vscode.Disposable {
  const shown = new Set<string>(); // a notification stays until the person closes it
  return server.onFailure((error) => {
    if (error instanceof EnvironmentError && error.details) server.log.error(error.details);
    const message = error instanceof Error ? error.message : String(error);
    if (shown.has(message)) return;
    shown.add(message);
    inBackground(tell(server, error, message).finally(() => shown.delete(message)));
  });
}

async function tell(server: Server, error: unknown, message: string): Promise<void> {
  const actions = actionsFor(server, error);
  const chosen = await tellError(message, ...Object.keys(actions));
  if (chosen) await actions[chosen]?.();
}

function actionsFor(server: Server, error: unknown): Record<string, () => unknown> {
  const showLog = { "Show Log": () => { server.log.show(); } };
  const again = () => server.restart();
  if (error instanceof EnvironmentError && error.kind === "path") {
    return { "Open Setting": () => vscode.commands.executeCommand("workbench.action.openSettings", "piLsp.server.path"), "Try Again": again, ...showLog };
  }
  if (error instanceof EnvironmentError && error.kind === "python") {
    const choose = () => vscode.commands.executeCommand("workbench.action.openSettings", "piLsp.server.python");
    return { "Get Python": () => vscode.env.openExternal(PYTHON_PAGE), "Choose Python": choose, "Try Again": again, ...showLog };
  }
  if (error instanceof EnvironmentError) return { "Try Again": again, ...showLog };
  return error instanceof CrashError && error.restarts ? showLog : { Restart: again, ...showLog };
}
