import { describe, expect, it } from "vitest";
import { Batcher } from "../../src/base/batcher";
import { shortPath } from "../../src/base/paths";
import { anyCase } from "../../src/chat/completions";
import { ago, bar, counted, head, percent, sentence, short, shorten } from "../../src/base/text";
import type { RuleFile, Rules } from "../../src/protocol/generated";
import { aboutFile, briefly, folderTooltip, hidesSomething, offerText, summary } from "../../src/rules/text";
import { kindOf, pageName, textOfEntry } from "../../src/session/words";

describe("numbers and places", () => {
  it.each([[0, "0"], [999, "999"], [1000, "1k"], [1234, "1.2k"], [34_567, "35k"], [999_600, "1.0M".replace(".0", "")], [2_500_000, "2.5M"]])("%d is %s", (count, text) => {
    expect(short(count)).toBe(text);
  });

  it("draws bars and shares", () => {
    expect(bar(0, 10, 4)).toBe("▱▱▱▱");
    expect(bar(1, 1000, 4)).toBe("▰▱▱▱");
    expect(bar(20, 10, 4)).toBe("▰▰▰▰");
    expect([percent(1, 1000), percent(0, 0), percent(1, 4)]).toEqual(["<1%", "0%", "25%"]);
  });

  it("makes sentences of clauses, and cuts between characters", () => {
    expect(["it is so", "Is it?", ""].map(sentence)).toEqual(["It is so.", "Is it?", ""]);
    expect([head("ab", 5), head("a😀b", 2), head("a😀b", 3)]).toEqual(["ab", "a", "a😀"]);
    expect([shorten("short", 5), shorten("too long", 5), shorten("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 2)]).toEqual(["short", "too…", "👨‍👩‍👧…"]);
  });

  it("says paths as short as can be", () => {
    expect(shortPath("/home/a/project/src/x.ts", ["/home/a/project"], "/home/a")).toBe("project/src/x.ts");
    expect(shortPath("/home/a/project", ["/home/a/project"], "/home/a")).toBe("project");
    expect(shortPath("/home/a/.pi/AGENTS.md", ["/home/a/project"], "/home/a")).toBe("~/.pi/AGENTS.md");
    expect(shortPath("/etc/x", ["/home/a/project"], "/home/a")).toBe("/etc/x");
    expect(["/w/north/apps/x", "/w/south/apps/x", "/w/south"].map((file) => shortPath(file, ["/w", "/w/north", "/w/south"], ""))).toEqual(["north/apps/x", "south/apps/x", "south"]);
  });

  it("finds files however they are written", () => {
    expect(["Read-me", "a*[b]", "ßé1"].map(anyCase)).toEqual(["[rR][eE][aA][dD]-[mM][eE]", "[aA]??[bB]?", "ß[éÉ]1"]);
  });

  it("says times and counts", () => {
    const now = Date.parse("2026-05-04T12:00:00Z");
    expect(["2026-05-04T11:59:40Z", "2026-05-04T11:15:00Z", "2026-05-03T11:00:00Z", "2025-01-01T00:00:00Z", "never"].map((time) => ago(time, now))).toEqual([
      "just now",
      "45 min ago",
      "1 day ago",
      "2025-01-01",
      "",
    ]);
    expect(counted(2, "entry", "entries")).toBe("2 entries");
  });
});

describe("Batcher", () => {
  it("asks once for what is asked together", async () => {
    const asked: string[][] = [];
    const batcher = new Batcher<string>((keys) => {
      asked.push(keys);
      return Promise.resolve(keys.map((key) => key.toUpperCase()));
    }, 1);
    expect(await Promise.all([batcher.get("a"), batcher.get("b"), batcher.get("a")])).toEqual(["A", "B", "A"]);
    expect(asked).toEqual([["a", "b"]]);
  });

  it("passes on a failure, and too few answers", async () => {
    const failing = new Batcher(() => Promise.reject(new Error("gone")), 1);
    await expect(failing.get("a")).rejects.toThrow("gone");
    await expect(new Batcher(() => Promise.resolve([]), 1).get("a")).rejects.toThrow("too few");
  });
});

const rule = (more: Partial<RuleFile>): RuleFile => ({
  uri: "file:///w/AGENTS.md",
  scope: "directory",
  loaded: true,
  inSession: true,
  tokens: 1200,
  bytes: 1,
  lines: 1,
  ...more,
});
const name = (uri: string): string => uri.split("/").at(-1) ?? "";

describe("rules in words", () => {
  const shadowed = rule({ uri: "file:///w/CLAUDE.md", loaded: false, reason: "shadowed", by: "file:///w/AGENTS.md", inSession: false, tokens: 9 });
  const rules: Rules = { directory: "file:///w", files: [rule({ changedSince: true }), shadowed], tokens: 1200, bytes: 1 };

  it("says what is read, in order, and what is not (R1, R7)", () => {
    expect(summary(rules)).toBe("1 rule · 1.2k tokens");
    expect(hidesSomething(rules)).toBe(true);
    expect(folderTooltip(rules, name)).toBe(
      "Pi reads 1 rule here, 1.2k tokens:\n1. AGENTS.md · 1.2k tokens · changed since the session read it\nNot CLAUDE.md: AGENTS.md is read instead",
    );
  });

  it("prefers the server's own word for why", () => {
    expect(aboutFile({ ...shadowed, detail: "the server knows" }, name)).toContain("the server knows");
  });

  it("says in few words what matters first", () => {
    const below = rule({ loaded: false, reason: "belowCwd", inSession: false, tokens: 34 });
    expect([shadowed, rule({ changedSince: true }), below, { ...below, inSession: true }].map(briefly)).toEqual([
      "shadowed · 9 tokens",
      "changed · 1.2k tokens",
      "below · 34 tokens",
      "added · 34 tokens",
    ]);
  });

  it("offers what lies below", () => {
    expect(offerText(["file:///w/a/AGENTS.md"], name)).toBe("Pi has not read AGENTS.md, which applies to what it works on.");
    expect(offerText(["a", "b", "c", "d"], name)).toBe("Pi has not read a, b, c and 1 more, which apply to what it works on.");
  });

  it("has nothing to say where there is nothing", () => {
    expect(folderTooltip({ directory: "file:///w", files: [], tokens: 0, bytes: 0 }, name)).toBe("");
  });
});

describe("entries in words", () => {
  it("names what it does not know by its own name", () => {
    expect(kindOf({ type: "message", role: "assistant" }).name).toBe("Assistant");
    expect(kindOf({ type: "new_kind" }).name).toBe("new_kind");
  });

  it.each([
    [{ type: "message", message: { role: "user", content: "Yes, please.\nAnd ../../never" } }, "You: Yes, please. And .. .. nev…"],
    [{ type: "compaction", summary: "## Goal\nBookings" }, "Compaction: Bookings"],
    [{ type: "branch_summary", summary: "This was done elsewhere:\n\n## Goal\n\n# A port\n" }, "Branch summary: A port"],
    [{ type: "branch_summary", summary: "no heading" }, "Branch summary: no heading"],
    [{ type: "model_change", modelId: "x" }, "Model"],
    [{ type: "message", message: { role: "user", content: "\u202e😀".repeat(40) } }, `You: ${"😀 ".repeat(13).trimEnd()}…`],
  ])("gives the page of %j a name", (entry, text) => {
    expect(pageName(entry)).toBe(text);
  });

  it.each([
    [{ message: { role: "user", content: "plain" } }, "plain"],
    [{ message: { content: [{ type: "text", text: "a" }, { type: "toolCall", name: "bash", arguments: { command: "ls" } }] } }, 'a\n\nbash {\n  "command": "ls"\n}'],
    [{ type: "compaction", summary: "short" }, "short"],
    [{ type: "x" }, '{\n  "type": "x"\n}'],
  ])("reads %j", (entry, text) => {
    expect(textOfEntry(entry)).toBe(text);
  });
});
