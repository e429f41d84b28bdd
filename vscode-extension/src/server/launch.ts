/** Which program is the server: the person's own, or the one in the extension's environment, made when it is missing. */
import { constants, existsSync } from "node:fs";
import { access, rm, stat } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { bundledWheel, EnvironmentError, environmentFolder, interpreter, makeEnvironment, removeOthers } from "./environment";
import { findPython } from "./python";
import { environment, run } from "./run";
import { machineSetting } from "../base/settings";

export interface Command {
  command: string;
  args: string[];
  options: { env: NodeJS.ProcessEnv };
  /** The environment of ours that it is in. */
  made?: string;
}

/** Rejects with an `EnvironmentError`. Shows its progress where it has to install. */
export async function serverCommand(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Command> {
  const options = { env: environment() };
  const own = machineSetting("server.path");
  if (own) {
    log.info(`The server is ${own}, as the setting piLsp.server.path says.`);
    const problem = await whyNotRun(own);
    if (problem) throw new EnvironmentError("path", `The Pi server ${own} cannot be started: ${problem}.`);
    return { command: own, args: [], options };
  }
  const wheel = await bundledWheel(context.extensionPath);
  const storage = context.globalStorageUri.fsPath;
  const folder = await environmentFolder(storage, wheel);
  const command = interpreter(folder, process.platform);
  if (!existsSync(command)) {
    await install(folder, wheel, log);
    await removeOthers(storage, folder);
  }
  // -I: nothing is imported from the workspace, which is where the process is started.
  return { command, args: ["-I", "-m", "pi_lsp"], options, made: folder };
}

/** Remove an environment of ours in which the server does not run any more, as after an upgrade of its Python; whether it was one. */
export async function removeBroken({ command, made }: Command): Promise<boolean> {
  if (!made) return false;
  const tried = await run(command, ["-I", "-c", "import pi_lsp"]).catch(() => undefined);
  if (tried?.code === 0) return false;
  await rm(made, { recursive: true, force: true });
  return true;
}

/** Why a program of the person's cannot be started; empty where it may. A bare name is looked up when it is started. */
async function whyNotRun(program: string): Promise<string> {
  if (!path.isAbsolute(program)) return program.includes("/") || program.includes(path.sep) ? "it is no absolute path" : "";
  const found = await stat(program).catch(() => undefined);
  if (!found) return "there is no such file";
  if (!found.isFile()) return "it is not a file";
  return access(program, constants.X_OK).then(() => "", () => "it is not executable");
}

async function install(folder: string, wheel: string, log: vscode.LogOutputChannel): Promise<void> {
  const python = await findPython(machineSetting("server.python"), process.platform, run);
  if ("problems" in python) {
    throw new EnvironmentError("python", "Pi needs Python 3.11 or newer, and found none.", python.problems.join("\n"));
  }
  log.info(`Making the server's environment with ${python.command} ${python.version.join(".")} in ${folder}`);
  const progress = { location: vscode.ProgressLocation.Notification, title: "Pi", cancellable: true };
  await vscode.window.withProgress(progress, (shown, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => {
      abort.abort();
    });
    const report = (message: string): void => {
      shown.report({ message });
      log.info(message);
    };
    return makeEnvironment({ folder, wheel, python, run, report, signal: abort.signal });
  });
}
