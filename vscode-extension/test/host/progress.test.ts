import { beforeEach, describe, expect, it, vi } from "vitest";
import { filled } from "../../src/base/filled";
import { withProgress } from "../../src/base/progress";

/** VS Code's notification: what it shows, until when, and how it is cancelled. */
const shown = vi.hoisted((): { title: string; over: boolean; cancel: () => void } => ({ title: "", over: false, cancel: () => undefined }));
vi.mock("vscode", () => {
  class CancellationTokenSource {
    private listeners: (() => void)[] = [];
    token = { onCancellationRequested: (listener: () => void) => this.listeners.push(listener) };
    cancel(): void {
      for (const one of this.listeners) one();
    }
    dispose(): void {
      this.listeners = [];
    }
  }
  const withProgress = async ({ title }: { title: string }, task: (progress: unknown, token: unknown) => Promise<unknown>) => {
    const source = new CancellationTokenSource();
    Object.assign(shown, { title, over: false, cancel: () => { source.cancel(); } });
    await task({}, source.token);
    shown.over = true;
  };
  return { CancellationTokenSource, ProgressLocation: { Notification: 15 }, window: { withProgress } };
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("progress", () => {
  beforeEach(() => { shown.title = ""; });

  it("is not told of what is over at once", async () => {
    expect(await withProgress("Quick", () => Promise.resolve(1))).toBe(1);
    await expect(withProgress("Quick", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await pause(600);
    expect(shown.title).toBe("");
  });

  it("is told of what takes a while, ends with it, and can be stopped", async () => {
    const work = withProgress("Slow", (token) => new Promise<string>((_, reject) => {
      token.onCancellationRequested(() => { reject(new Error("stopped")); });
    }));
    await vi.waitFor(() => { expect(shown.title).toBe("Pi: Slow"); }, { timeout: 5000 });
    shown.cancel();
    await expect(work).rejects.toThrow("stopped");
    await vi.waitFor(() => { expect(shown.over).toBe(true); });
  });
});

describe("a view", () => {
  it("says why it is empty, but not what its status says", async () => {
    const view: { message: string | undefined } = { message: "" };
    expect(await filled(view, () => Promise.resolve([1]))).toEqual([1]);
    expect(await filled(view, () => Promise.reject(new Error("The session cannot be read.")))).toEqual([]);
    expect(view.message).toBe("The session cannot be read.");
    await filled(view, () => Promise.reject(Object.assign(new Error("gone"), { code: -32097 })));
    expect(view.message).toBeUndefined();
  });
});
