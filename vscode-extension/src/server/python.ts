/** Find a Python that can run the server. */
import type { Run } from "./run";

export const MINIMUM: Version = [3, 11];

export type Version = [major: number, minor: number];

/** A program and the arguments that make it Python. */
export interface Python {
  command: string;
  args: string[];
  version: Version;
}

// venv and ensurepip are packages of their own on Debian; without them no environment can be made.
const PROBE = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
const NEWEST = 14;

/** What may be Python on this platform, the best first; what the person chose is the only one where they did. */
export function candidates(chosen: string, platform: NodeJS.Platform): Omit<Python, "version">[] {
  if (chosen) return [{ command: chosen, args: [] }];
  const plain = [{ command: "python3", args: [] }, { command: "python", args: [] }];
  if (platform === "win32") return [{ command: "py", args: ["-3"] }, ...plain];
  const named = Array.from({ length: NEWEST - MINIMUM[1] + 1 }, (_, index) => ({
    command: `python3.${NEWEST - index}`,
    args: [],
  }));
  return [plain[0] as { command: string; args: [] }, ...named, ...plain.slice(1)];
}

/** The first candidate that is new enough, or what was wrong with each. */
export async function findPython(
  chosen: string,
  platform: NodeJS.Platform,
  run: Run,
): Promise<Python | { problems: string[] }> {
  const problems: string[] = [];
  for (const { command, args } of candidates(chosen, platform)) {
    const found = await probe(command, args, run);
    if (typeof found !== "string") return { command, args, version: found };
    problems.push(`${[command, ...args].join(" ")}: ${found}`);
  }
  return { problems };
}

async function probe(command: string, args: string[], run: Run): Promise<Version | string> {
  let output;
  try {
    output = await run(command, [...args, "-I", "-c", PROBE]);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "not found" : String(error);
  }
  const version = parseVersion(output.stdout);
  if (output.code !== 0 || !version) return lastLine(output.stderr) || "it does not run";
  return isNewEnough(version) ? version : `it is ${version.join(".")}, older than ${MINIMUM.join(".")}`;
}

/** The version in "3 12", null in anything else. */
export function parseVersion(text: string): Version | null {
  const match = /^(\d+) (\d+)\s*$/u.exec(text);
  return match ? [Number(match[1]), Number(match[2])] : null;
}

function isNewEnough([major, minor]: Version): boolean {
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
