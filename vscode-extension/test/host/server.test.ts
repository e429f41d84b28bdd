import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Coalesced } from "../../src/server/coalesced";
import { Crashes } from "../../src/server/crashes";
import { bundledWheel, environmentFolder, EnvironmentError, installError, makeEnvironment, removeOthers } from "../../src/server/environment";
import { describe as sentence, isLost, reasonOf, remedies } from "../../src/server/errors";
import { candidates, findPython, parseVersion } from "../../src/server/python";
import { run } from "../../src/server/run";
import { differs } from "../../src/server/versions";

const root = mkdtempSync(path.join(tmpdir(), "pi-lsp-test-"));
const scratch = (): string => mkdtempSync(path.join(root, "part-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** A program that says this and ends with this code. */
function program(says: string, code = 0): string {
  const file = path.join(scratch(), "python");
  writeFileSync(file, `#!/bin/sh\necho '${says}'\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe("Coalesced", () => {
  it("runs once more for any number of calls during a run", async () => {
    const finish: (() => void)[] = [];
    const task = new Coalesced(() => new Promise((resolve) => finish.push(resolve)));
    const first = task.run();
    const later = [task.run(), task.run(), task.run()];
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await first;
    await Promise.resolve();
    expect(finish).toHaveLength(2);
    finish[1]?.();
    await Promise.all(later);
    expect(finish).toHaveLength(2);
  });

  it("goes on after a failure, which only its own callers see", async () => {
    let runs = 0;
    const task = new Coalesced(() => (++runs === 1 ? Promise.reject(new Error("no")) : Promise.resolve()));
    const first = task.run();
    const second = task.run();
    await expect(first).rejects.toThrow("no");
    await second;
    expect(runs).toBe(2);
  });
});

describe("Crashes", () => {
  it("allows three in three minutes", () => {
    const crashes = new Crashes();
    expect([0, 1000, 2000, 3000].map((now) => crashes.mayRestart(now))).toEqual([true, true, true, false]);
    expect(crashes.mayRestart(400_000)).toBe(true);
  });
});

describe("findPython", () => {
  it("takes nothing but the person's choice where there is one", () => {
    expect(candidates("/opt/py", "linux")).toEqual([{ command: "/opt/py", args: [] }]);
    expect(candidates("", "win32")[0]).toEqual({ command: "py", args: ["-3"] });
    expect(candidates("", "linux").map(({ command }) => command)).toContain("python3.11");
  });

  it("finds a real one", async () => {
    expect(await findPython("", process.platform, run)).toHaveProperty("version");
  });

  it.each([
    [program("3 9"), "older than 3.11"],
    [program("Python was not found", 1), "does not run"],
    ["/nowhere/python", "not found"],
  ])("says what is wrong with %s", async (chosen, problem) => {
    const found = await findPython(chosen, "linux", run);
    expect("problems" in found && found.problems[0]).toContain(problem);
  });

  it("reads versions strictly", () => {
    expect(parseVersion("3 12\r\n")).toEqual([3, 12]);
    expect(parseVersion("3 12 extra")).toBeNull();
  });
});

describe("the environment", () => {
  it("belongs to one build of the wheel", async () => {
    const folder = scratch();
    const [a, b] = [path.join(folder, "a.whl"), path.join(folder, "b.whl")];
    writeFileSync(a, "one");
    writeFileSync(b, "two");
    expect(await environmentFolder(folder, a)).not.toBe(await environmentFolder(folder, b));
  });

  it("leaves nothing behind when it cannot be made", async () => {
    const storage = scratch();
    const python = { command: program("no", 1), args: [], version: [3, 12] as [number, number] };
    const steps: string[] = [];
    const making = makeEnvironment({
      folder: path.join(storage, "server-0"),
      wheel: "none.whl",
      python,
      run,
      report: (step) => steps.push(step),
      signal: new AbortController().signal,
    });
    await expect(making).rejects.toBeInstanceOf(EnvironmentError);
    expect(readdirSync(storage)).toEqual([]);
    expect(steps).toHaveLength(1);
  });

  it("says that the person stopped it", async () => {
    const abort = new AbortController();
    abort.abort();
    const python = { command: program("3 12"), args: [], version: [3, 12] as [number, number] };
    const making = makeEnvironment({ folder: path.join(scratch(), "server-0"), wheel: "none.whl", python, run, report: () => undefined, signal: abort.signal });
    await expect(making).rejects.toThrow("you stopped it");
  });

  it("takes the place of one whose Python is gone", async () => {
    const folder = path.join(scratch(), "server-0");
    mkdirSync(path.join(folder, "bin"), { recursive: true });
    symlinkSync("/nowhere/python", path.join(folder, "bin", "python"));
    const made: typeof run = (command, args) => {
      const draft = args.at(-1) ?? "";
      if (args.includes("venv")) mkdirSync(path.join(draft, "bin"), { recursive: true });
      if (args.includes("venv")) writeFileSync(path.join(draft, "bin", "python"), "");
      return Promise.resolve({ code: 0, stdout: command, stderr: "" });
    };
    const python = { command: "python3", args: [], version: [3, 12] as [number, number] };
    await makeEnvironment({ folder, wheel: "some.whl", python, run: made, report: () => undefined, signal: new AbortController().signal });
    expect(existsSync(path.join(folder, "bin", "python"))).toBe(true);
  });

  it("leaves no older ones, and no drafts of windows that are gone", async () => {
    const storage = scratch();
    const [kept, mine, stale] = ["server-0123456789ab", `server-aaaaaaaaaaaa.${process.pid}`, "server-bbbbbbbbbbbb.4194305"];
    for (const name of [kept, mine, stale, "server-cccccccccccc", "other"]) mkdirSync(path.join(storage, name));
    await removeOthers(storage, path.join(storage, kept));
    expect(readdirSync(storage).sort()).toEqual(["other", kept, mine].sort());
  });

  it("tells a missing network from other failures", () => {
    const output = (stderr: string) => ({ code: 1, stdout: "", stderr });
    expect(installError(output("NewConnectionError: [Errno -2] Name or service not known")).kind).toBe("network");
    expect(installError(output("error: externally-managed")).kind).toBe("other");
  });

  it("says when the extension carries no wheel", async () => {
    const folder = scratch();
    expect(existsSync(path.join(folder, "server"))).toBe(false);
    await expect(bundledWheel(folder)).rejects.toThrow("carries no server");
  });
});

describe("versions and errors", () => {
  it.each([
    ["0.1.0", "0.1.7", false],
    ["0.1.0", "0.2.0", true],
    ["1.0.0", "1.4.0", false],
    ["1.0.0", "2.0.0", true],
    ["0.1.0", "", true],
  ])("%s and %s", (ours, theirs, expected) => {
    expect(differs(ours, theirs)).toBe(expected);
  });

  it("says in a person's words that there is no key, and what to do", () => {
    const error = Object.assign(new Error("No API key for 'anthropic': set ANTHROPIC_API_KEY"), { data: { reason: "noModel" } });
    expect(sentence(error)).toBe("There is no API key for Anthropic yet.");
    expect(remedies(sentence(error))).toEqual(["Set API Key", "Choose Model"]);
    expect(remedies("401 authentication_error: invalid x-api-key")).toHaveLength(2);
    expect(remedies("The file is not there.")).toEqual([]);
  });

  it("says that the server has gone, with a way out", () => {
    const lost = Object.assign(new Error("Pending response rejected since connection got disposed"), { code: -32097 });
    expect(isLost(lost)).toBe(true);
    expect(sentence(lost)).toBe("The Pi server stopped before it answered.");
    expect([sentence(lost), "The Pi server is not running.", "Pi is still at work. Wait, or stop it."].map(remedies)).toEqual([["Show Log"], ["Restart Server", "Show Log"], ["Stop"]]);
    expect(isLost(new Error("no"))).toBe(false);
  });

  it("reads the reason of a refusal", () => {
    const refused = Object.assign(new Error(""), { data: { reason: "busy" } });
    expect(reasonOf(refused)).toBe("busy");
    expect(sentence(refused)).toContain("still at work");
    expect(sentence(Object.assign(new Error("the window is running; wait for it"), { data: { reason: "busy" } }))).toContain("still at work");
    expect(sentence(new Error("as it is"))).toBe("As it is.");
    expect(reasonOf("text")).toBeUndefined();
  });
});
