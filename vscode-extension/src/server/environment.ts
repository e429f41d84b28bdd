/** The server's own virtual environment in the extension's global storage. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Python } from "./python";
import { isAlive, type Output, type Run } from "./run";

/** The environment cannot be made; `kind` chooses what the person is offered. */
export class EnvironmentError extends Error {
  constructor(
    readonly kind: "path" | "python" | "network" | "other",
    message: string,
    readonly details = "",
  ) {
    super(message);
  }
}

/** The wheel that the extension carries. */
export async function bundledWheel(extension: string): Promise<string> {
  const folder = path.join(extension, "server");
  const names = existsSync(folder) ? await readdir(folder) : [];
  const wheel = names.find((name) => name.endsWith(".whl"));
  if (!wheel) throw new EnvironmentError("other", "This build of the extension carries no server.");
  return path.join(folder, wheel);
}

/** Where the environment of this very wheel belongs: another build of the same version gets another one. */
export async function environmentFolder(storage: string, wheel: string): Promise<string> {
  const digest = createHash("sha256").update(await readFile(wheel)).digest("hex");
  return path.join(storage, `server-${digest.slice(0, 12)}`);
}

/** The interpreter of an environment. */
export function interpreter(folder: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

export interface Making {
  folder: string;
  wheel: string;
  python: Python;
  run: Run;
  report: (step: string) => void;
  signal: AbortSignal;
}

/**
 * Make the environment. It is made beside its place and moved there whole, so that a second window, or one that was
 * closed in the middle, never sees half of it. Only its interpreter may be started: scripts hold their old path.
 */
export async function makeEnvironment({ folder, wheel, python, run, report, signal }: Making): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  await mkdir(path.dirname(folder), { recursive: true });
  try {
    report("making a Python environment");
    const made = await run(python.command, [...python.args, "-I", "-m", "venv", draft], signal);
    if (made.code !== 0) throw new EnvironmentError("python", "Python could not make an environment.", said(made));
    report("installing the server");
    const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", wheel];
    const installed = await run(interpreter(draft, process.platform), pip, signal);
    if (installed.code !== 0) throw installError(installed);
    // One whose Python was removed from the machine stands in the way.
    if (!existsSync(interpreter(folder, process.platform))) await rm(folder, { recursive: true, force: true });
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(interpreter(folder, process.platform))) throw error; // else another window was quicker
    });
  } catch (error) {
    throw signal.aborted ? new EnvironmentError("other", "The Pi server was not installed: you stopped it.") : error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const OURS = /^server-[0-9a-f]{12}(?:\.(\d+))?$/u;

/**
 * Remove the environments of older versions, and drafts of windows that were closed while they made one. What is in use
 * on Windows stays until the next time.
 */
export async function removeOthers(storage: string, kept: string): Promise<void> {
  for (const name of await readdir(storage)) {
    const [ours, draftOf] = OURS.exec(name) ?? [];
    const folder = path.join(storage, name);
    if (!ours || folder === kept || (draftOf && isAlive(Number(draftOf)))) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const NO_NETWORK = /NewConnectionError|Name or service not known|getaddrinfo|Network is unreachable|ConnectTimeout|ProxyError|Temporary failure in name resolution|Failed to establish/u;

export function installError(output: Output): EnvironmentError {
  return NO_NETWORK.test(output.stderr + output.stdout)
    ? new EnvironmentError("network", "The server's Python packages could not be downloaded.", said(output))
    : new EnvironmentError("other", "The server could not be installed.", said(output));
}

const said = (output: Output): string => [output.stdout, output.stderr].filter(Boolean).join("\n").trim();
