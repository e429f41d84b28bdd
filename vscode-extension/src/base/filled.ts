import type * as vscode from "vscode";
import { describe, isLost } from "../server/errors";

/** The rows of a view; where they cannot be had, none, and the view says why. */
export async function filled<T>(view: Pick<vscode.TreeView<T>, "message">, rows: () => Promise<T[]>): Promise<T[]> {
  try {
    return await rows();
  } catch (error) {
    view.message = isLost(error) ? undefined : describe(error); // a lost server is told by its status
    return [];
  }
}
