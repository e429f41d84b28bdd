import { execFile } from "node:child_process";

/** What a finished program said. */
export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

export type Run = (command: string, args: string[], signal?: AbortSignal) => Promise<Output>;

const LIMIT = { maxBuffer: 16 * 1024 * 1024, windowsHide: true };

/** Run a program to its end. Rejects only where it cannot be started or is aborted. */
export const run: Run = (command, args, signal) =>
  new Promise((resolve, reject) => {
    execFile(command, args, { ...LIMIT, signal, env: environment() }, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === "number") resolve({ code, stdout, stderr });
      else reject(error ?? new Error(`${command} did not run`));
    });
  });

/** Ours, without what another Python on the machine would leave in the way of our own environment. */
export function environment(): NodeJS.ProcessEnv {
  const own = { ...process.env };
  for (const name of ["PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV"]) Reflect.deleteProperty(own, name);
  return own;
}

/** Whether a process of ours goes on. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
