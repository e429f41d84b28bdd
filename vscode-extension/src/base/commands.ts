import * as vscode from "vscode";
import { tellProblem } from "./tell";

/** Commands by their ids; one that fails says why, to the person. */
export function registerCommands(commands: Record<string, (...args: never[]) => unknown>): vscode.Disposable {
  const registered = Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (...args: never[]) => {
      try {
        return await run(...args);
      } catch (error) {
        void tellProblem(error);
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}
