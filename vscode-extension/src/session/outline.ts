/**
 * The session tree as rows, asked for as they are shown: the conversation runs down one level to the leaf, as it was
 * spoken. What came earlier, and the branches beside it, are rows that open.
 */
import type { EntryAppended, TreeNode, TreeParams, TreeResult } from "../protocol/generated";

export type Row =
  | { kind: "entry"; node: TreeNode }
  | { kind: "branch"; node: TreeNode; size: number }
  | { kind: "earlier"; under: string | null; before: string; limit: number };

export type Filter = NonNullable<TreeParams["filter"]>;

/** So many rows come at once. */
const PAGE = 300;
/** Each row of earlier ones opens so many times as many as the one below it, so a long session is not deep. */
const GROWTH = 3;
/** Rows that are asked for beside the new ones, to find where these go on; also one that may have gone. */
const OVERLAP = 4;
/** They show as much of the session as it goes on; others may leave out its leaf. */
const WHOLE: readonly Filter[] = ["default", "noTools", "all"];

export class Outline {
  private filter: Filter = "default";
  private query = "";
  private rows: Row[] = [];
  private here: string | undefined;
  /** All may be another; else there are so many new entries at the end, the last of them this one. */
  private stale = true;
  private grown = 0;
  private tip: string | null = null;
  private readonly opened = new Map<string, Promise<Row[]>>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly ask: (params: TreeParams) => Promise<Pick<TreeResult, "nodes" | "more" | "leafId">>) {}

  get narrowed(): { filter: Filter; query: string } {
    return { filter: this.filter, query: this.query };
  }

  narrow(filter: Filter, query: string): void {
    this.filter = filter;
    this.query = query;
    this.forget();
  }

  /** What is known may be wrong: the next rows are asked for anew. */
  forget(): void {
    this.stale = true;
  }

  /** An entry was written; at the end of the path it is all that is new. */
  appended({ entry, parentId }: Pick<EntryAppended, "entry" | "parentId">): void {
    if (entry.entryId === this.tip) return; // the rows came after it
    if (parentId !== this.tip || entry.type === "label") this.forget(); // a label stands at another row
    this.tip = entry.entryId;
    this.grown += 1;
  }

  /** The rows of the first level, the newest last. */
  top(): Promise<Row[]> {
    const turn = this.turn.catch(() => undefined).then(() => this.brought());
    this.turn = turn;
    return turn;
  }

  /** The rows that a row opens. */
  below(row: Row): Promise<Row[]> {
    if (row.kind === "entry") return Promise.resolve([]);
    const key = keyOf(row);
    let rows = this.opened.get(key);
    if (!rows) {
      rows = row.kind === "branch" ? this.branch(row.node) : this.earlier(row);
      this.opened.set(key, rows);
      rows.catch(() => this.opened.delete(key));
    }
    return rows;
  }

  /** Whether the next message goes behind this row. */
  isHere(row: Row): boolean {
    return row.kind === "entry" && row.node.id === this.here;
  }

  private async brought(): Promise<Row[]> {
    const { stale, grown } = this;
    if (!stale && grown === 0) return this.rows;
    this.stale = false;
    this.grown = 0;
    try {
      this.rows = (stale ? undefined : await this.further(grown)) ?? (await this.newest());
    } catch (error) {
      this.forget();
      throw error;
    }
    return this.rows;
  }

  private async newest(): Promise<Row[]> {
    this.opened.clear();
    const found = await this.page({ limit: PAGE });
    return withEarlier(this.arrived(found), found.more, null, GROWTH * PAGE);
  }

  /** The rows with the new ones behind them; undefined where they do not go on from these, or are many by now. */
  private async further(grown: number): Promise<Row[] | undefined> {
    if (grown > PAGE || this.rows.length > 2 * PAGE) return undefined;
    const found = await this.page({ limit: grown + OVERLAP });
    const rows = this.arrived(found);
    const [first] = rows;
    if (!first || !found.more) return rows;
    const place = this.rows.findIndex((row) => keyOf(row) === keyOf(first));
    return place < 0 ? undefined : [...this.rows.slice(0, place), ...rows];
  }

  private arrived({ nodes, leafId }: Pick<TreeResult, "nodes" | "leafId">): Row[] {
    const last = nodes.findLast(({ branch }) => branch == null);
    const isWhole = !this.query && WHOLE.includes(this.filter);
    this.here = isWhole || last?.id === leafId ? last?.id : undefined;
    if (this.grown === 0) this.tip = leafId; // else it was told already what came after that
    return nodes.map(rowOf);
  }

  private async branch(head: TreeNode): Promise<Row[]> {
    const { nodes, more } = await this.page({ under: head.id, limit: PAGE });
    return [{ kind: "entry", node: head }, ...withEarlier(nodes.map(rowOf), more, head.id, GROWTH * PAGE)];
  }

  private async earlier({ under, before, limit }: Row & { kind: "earlier" }): Promise<Row[]> {
    const { nodes, more } = await this.page({ under, before, limit });
    return withEarlier(nodes.map(rowOf), more, under, GROWTH * limit);
  }

  private page(params: TreeParams): Promise<Pick<TreeResult, "nodes" | "more" | "leafId">> {
    return this.ask({ outline: true, filter: this.filter, ...(this.query && { query: this.query }), ...params });
  }
}

const rowOf = (node: TreeNode): Row => (node.branch == null ? { kind: "entry", node } : { kind: "branch", node, size: node.branch });

/** Names a row among all; where it stands does not matter. */
export const keyOf = (row: Row): string => (row.kind === "earlier" ? `earlier ${row.before}` : `${row.kind} ${row.node.id}`);

function withEarlier(rows: Row[], more: boolean, under: string | null, limit: number): Row[] {
  const [first] = rows;
  return more && first && first.kind !== "earlier" ? [{ kind: "earlier", under, before: first.node.id, limit }, ...rows] : rows;
}
