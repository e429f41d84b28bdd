import { describe, expect, it } from "vitest";
import type { EntryAppended, TreeNode, TreeParams } from "../../src/protocol/generated";
import { Outline, type Row } from "../../src/session/outline";

const node = (text: string): TreeNode => {
  const [id = "", branch] = text.split("*");
  const said = { type: "message", role: "user", preview: id, time: "", children: 0, onPath: !branch, bytes: 1 };
  return { id, parentId: null, ...said, ...(branch && { branch: Number(branch) }) };
};

type Told = Pick<EntryAppended, "entry" | "parentId">;

/** A server whose outline holds these rows, `b*2` a branch of two; below an entry those of `under`. */
class Fake {
  asked: TreeParams[] = [];
  under: Record<string, string[]> = {};
  fails = false;

  constructor(
    public rows: string[],
    public leafId: string | null = rows.at(-1) ?? null,
  ) {}

  ask = (params: TreeParams): Promise<{ nodes: TreeNode[]; more: boolean; leafId: string | null }> => {
    this.asked.push(params);
    if (this.fails) return Promise.reject(new Error("gone"));
    const rows = (params.under ? (this.under[params.under] ?? []) : this.rows).map(node);
    const end = params.before ? rows.findIndex(({ id }) => id === params.before) : rows.length;
    const start = Math.max(0, end - (params.limit ?? 1000));
    return Promise.resolve({ nodes: rows.slice(start, end), more: start > 0, leafId: this.leafId });
  };

  /** Another entry at the end. */
  grow(id: string, parentId = this.leafId): Told {
    this.rows.push(id);
    this.leafId = id;
    return appended(id, parentId);
  }
}

const appended = (entryId: string, parentId: string | null, type = "message"): Told => ({ entry: { entryId, type, preview: "", tokens: 1 }, parentId });
const said = (rows: Row[]): string[] => rows.map((row) => (row.kind === "earlier" ? "…" : `${row.kind === "branch" ? `⑂${row.size} ` : ""}${row.node.id}`));
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const firstOf = (rows: Row[]): Row => rows[0] ?? expect.fail("no row");

describe("Outline", () => {
  it("tells branches from what goes on, and where the next message goes", async () => {
    const outline = new Outline(new Fake(["a", "b*2", "d", "e", "x*1"], "e").ask);
    const rows = await outline.top();
    expect(said(rows)).toEqual(["a", "⑂2 b", "d", "e", "⑂1 x"]);
    expect(said(rows.filter((row) => outline.isHere(row)))).toEqual(["e"]);
  });

  it("knows the place also where the leaf is an entry that is not shown, but not in a part", async () => {
    const outline = new Outline(new Fake(["a", "b"], "hidden").ask);
    expect(said((await outline.top()).filter((row) => outline.isHere(row)))).toEqual(["b"]);
    outline.narrow("userOnly", "");
    expect((await outline.top()).filter((row) => outline.isHere(row))).toEqual([]);
  });

  it("asks for a part of a long session, and for more of it at each step back", async () => {
    const fake = new Fake(numbered(10_000));
    const outline = new Outline(fake.ask);
    let rows = await outline.top();
    const seen = [rows.length - 1];
    while (firstOf(rows).kind === "earlier") {
      rows = await outline.below(firstOf(rows));
      seen.push(rows.filter(({ kind }) => kind === "entry").length);
    }
    expect(seen).toEqual([300, 900, 2700, 6100]);
    expect(firstOf(rows)).toMatchObject({ node: { id: "n0" } });
  });

  it("asks for a branch when it is opened, once", async () => {
    const fake = new Fake(["a", "b*400", "c"]);
    fake.under.b = numbered(399);
    const outline = new Outline(fake.ask);
    const branch = (await outline.top())[1] ?? expect.fail("no branch");
    const rows = await outline.below(branch);
    expect(said(rows).slice(0, 3)).toEqual(["b", "…", "n99"]);
    expect(await outline.below(branch)).toBe(rows);
    expect(said(await outline.below(rows[1] ?? expect.fail("no row")))).toEqual(numbered(99));
    expect(fake.asked.map(({ under, before }) => [under, before])).toEqual([[undefined, undefined], ["b", undefined], ["b", "n99"]]);
  });

  it("asks only for the end when the session goes on", async () => {
    const fake = new Fake(numbered(1000));
    const outline = new Outline(fake.ask);
    const before = await outline.top();
    outline.appended(fake.grow("x"));
    outline.appended(fake.grow("y"));
    const rows = await outline.top();
    expect(said(rows)).toEqual([...said(before), "x", "y"]);
    expect(said(rows.filter((row) => outline.isHere(row)))).toEqual(["y"]);
    expect(fake.asked.map(({ limit }) => limit)).toEqual([300, 6]);
  });

  it("takes out what stood there only because it was the leaf", async () => {
    const fake = new Fake(["a", "b", "c", "d", "e", "calls"]);
    const outline = new Outline(fake.ask);
    await outline.top();
    fake.rows.pop();
    outline.appended(fake.grow("result", "calls"));
    expect(said(await outline.top())).toEqual(["a", "b", "c", "d", "e", "result"]);
  });

  it("asks for nothing where nothing has happened", async () => {
    const fake = new Fake(["a"]);
    const outline = new Outline(fake.ask);
    const rows = await outline.top();
    outline.appended(appended("a", null)); // told late
    expect(await outline.top()).toBe(rows);
    expect(fake.asked).toHaveLength(1);
  });

  it.each([
    ["an entry on another branch", appended("x", "n3")],
    ["a label, which stands at another row", appended("x", "n999", "label")],
  ])("begins anew after %s", async (_, event) => {
    const fake = new Fake(numbered(1000));
    const outline = new Outline(fake.ask);
    await outline.top();
    outline.appended(event);
    fake.rows = ["n3", "x"];
    expect(said(await outline.top())).toEqual(["n3", "x"]);
    expect(fake.asked.map(({ limit }) => limit)).toEqual([300, 300]);
  });

  it("begins anew where the new rows do not go on from those it has, or where it has many", async () => {
    const fake = new Fake(numbered(1000));
    const outline = new Outline(fake.ask);
    await outline.top();
    const event = fake.grow("x");
    fake.rows = [...numbered(900).map((id) => `other ${id}`), "x"];
    outline.appended(event);
    expect(said(await outline.top()).slice(-2)).toEqual(["other n899", "x"]);
    for (let count = 0; count < 300; count++) outline.appended(fake.grow(`y${count}`));
    expect(await outline.top()).toHaveLength(601);
    outline.appended(fake.grow("z"));
    expect(await outline.top()).toHaveLength(301);
  });

  it("asks again after a failure", async () => {
    const fake = new Fake(["a"]);
    const outline = new Outline(fake.ask);
    fake.fails = true;
    await expect(outline.top()).rejects.toThrow("gone");
    const branch: Row = { kind: "branch", node: node("b*2"), size: 2 };
    await expect(outline.below(branch)).rejects.toThrow("gone");
    fake.fails = false;
    expect(said(await outline.top())).toEqual(["a"]);
    expect(said(await outline.below(branch))).toEqual(["b"]);
  });
});
