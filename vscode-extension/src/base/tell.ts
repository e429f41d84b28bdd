/** Notifications. Whatever they are made of is shown as text. */
import * as vscode from "vscode";
import { describe, REMEDIES, type Remedy, remedies } from "../server/errors";
import { inMessage } from "./inert";

/** Each gives the action that the person chose. */
export const tellError = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showErrorMessage(inMessage(text), ...actions);

export const tellWarning = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showWarningMessage(inMessage(text), ...actions);

export const tell = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showInformationMessage(inMessage(text), ...actions);

/** Say what went wrong, with what can be done about it; nothing where the person changed their mind. */
export async function tellProblem(error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) return;
  const text = describe(error);
  const chosen = await tellError(`Pi: ${text}`, ...remedies(text));
  if (chosen) await vscode.commands.executeCommand(`piLsp.${REMEDIES[chosen as Remedy]}`);
}

/** Do something that nobody waits for; what goes wrong is told. */
export const inBackground = (work: Thenable<unknown>): void => void work.then(undefined, tellProblem);
