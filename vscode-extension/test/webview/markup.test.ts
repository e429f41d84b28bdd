// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { paint } from "../../webview/chat/items";
import { pieces, readable } from "../../webview/chat/markup";
import { Transcript } from "../../webview/chat/transcript";

const FILE = `<file path="/w/src/a 'b'.ts" lines="1-3">\none\n<b>two</b>\nthree\n</file>`;
const SKILL = '<skill name="review" location="/w/.pi/skills/review/SKILL.md">\nReferences are relative to /w.\n\nLook closely.\n</skill>';

describe("texts that were put in", () => {
  it("are told from what the person wrote", () => {
    expect(pieces(`Look at\n${FILE}`)).toEqual([
      { kind: "text", text: "Look at" },
      { kind: "putIn", what: "file", name: "a 'b'.ts:1–3", path: "/w/src/a 'b'.ts", text: "one\n<b>two</b>\nthree" },
    ]);
    expect(pieces(FILE.replace("1-3", "7-7"))).toMatchObject([{ name: "a 'b'.ts:7" }]);
    expect(pieces(`${SKILL}\n\nthe last commit`)).toMatchObject([{ what: "skill", name: "review", path: "/w/.pi/skills/review/SKILL.md" }, { text: "the last commit" }]);
    expect(pieces('lead\n\n<project_instructions path="/w/a/AGENTS.md">\n# A\n</project_instructions>')).toMatchObject([{ text: "lead" }, { what: "rules", name: "AGENTS.md", text: "# A" }]);
  });

  it.each(["", "plain", "  kept  as it is\n", '<file path="/a">\nno end', "say <file path=\"/a\">\nx\n</file> inline", "<file>\nx\n</file>"])("leaves %j as it is", (text) => {
    expect(pieces(text)).toEqual(text.trim() ? [{ kind: "text", text }] : []);
  });

  it("are quick to look through, whatever stands there", () => {
    expect(pieces('<skill name="a" location="'.repeat(200_000))).toHaveLength(1);
    expect(pieces('<file path="a">\n'.repeat(300_000))).toHaveLength(1);
    expect(pieces('<file path="a">\n<file path="b">\nx\n</file>')).toMatchObject([{ path: "a", text: '<file path="b">\nx' }]);
  });

  it("are drawn as a fold with a link, and nothing of them acts", () => {
    const transcript = new Transcript();
    transcript.reset([{ type: "message", id: "a", message: { role: "user", content: [{ type: "text", text: "Look" }, { type: "text", text: FILE }] } }]);
    const opened: string[] = [];
    const nothing = (): void => undefined;
    const [item] = transcript.items;
    if (!item) throw new Error("nothing is shown");
    const element = paint(item, { copy: nothing, resend: nothing, openEntry: nothing, openLink: nothing, command: nothing, openFile: (path) => opened.push(path) });
    const fold = element.querySelector("details.put-in");
    expect(fold?.querySelector("summary")?.textContent.trim()).toBe("a 'b'.ts:1–3");
    expect(fold?.querySelector("b")).toBeNull();
    fold?.querySelector("button")?.click();
    expect(opened).toEqual(["/w/src/a 'b'.ts"]);
  });
});

describe("a summary", () => {
  it("shows its lists of files as lists", () => {
    const summary = "## Goal\nTides\n\n<read-files>\na.py\nb `c`.py\n</read-files>\n\n<modified-files>\nd.py\n</modified-files>";
    expect(readable(summary)).toBe("## Goal\nTides\n\n## Files Read\n\n- `a.py`\n- `b 'c'.py`\n\n## Files Changed\n\n- `d.py`");
  });

  it("is left as it is where it has none, or one that is not closed", () => {
    for (const summary of ["<read-files>", "<read-files>\na.py", "text <read-files>\nx\n</read-files>"]) expect(readable(summary)).toBe(summary);
  });
});
