import * as vscode from "vscode";

/** A setting that only the person may choose, never a workspace: empty where they did not. */
export function machineSetting(name: string): string {
  const value = vscode.workspace.getConfiguration("piLsp").inspect<string>(name)?.globalValue;
  return typeof value === "string" ? value.trim() : "";
}

export function setting<T>(name: string, fallback: T): T {
  return vscode.workspace.getConfiguration("piLsp").get(name, fallback);
}
