/** Notifications. Whatever they are made of is shown as text. */
import * as vscode from "vscode";
import { inMessage } from "./inert";

/** Each gives the action that the person chose. */
export const tellError = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showErrorMessage(inMessage(text), ...actions);

export const tellWarning = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showWarningMessage(inMessage(text), ...actions);

export const tell = (text: string, ...actions: string[]): Thenable<string | undefined> =>
  vscode.window.showInformationMessage(inMessage(text), ...actions);
