/**
 * The session tree as rows for a person: a conversation runs down one level, as it was spoken. Where it forks, the
 * branches that were left stand as rows of their own that open on demand, and the path goes on behind them.
 */
import type { TreeNode } from "../protocol/generated";

export type Row =
  | { kind: "entry"; node: TreeNode; leaf: boolean }
  | { kind: "branch"; node: TreeNode; size: number }
  | { kind: "earlier"; rows: Row[] };

/** So many rows of one level are shown at once; the older ones stand behind a row that opens. */
const SHOWN = 300;

export class Outline {
  private readonly children = new Map<string | null, TreeNode[]>();

  /** `nodes` as the server gives them: parents before children, siblings by time. */
  constructor(
    nodes: readonly TreeNode[],
    private readonly leafId: string | null,
  ) {
    for (const node of nodes) {
      const siblings = this.children.get(node.parentId);
      if (siblings) siblings.push(node);
      else this.children.set(node.parentId, [node]);
    }
  }

  /** The rows of the whole tree. */
  rows(): Row[] {
    return shortened(this.run(this.children.get(null) ?? []));
  }

  /** The rows of a branch, which begins with its first entry. */
  branch(head: TreeNode): Row[] {
    return shortened(this.run([head]));
  }

  /** From a fork downwards: the branches beside, then the one that goes on. */
  private run(fork: TreeNode[]): Row[] {
    const rows: Row[] = [];
    let siblings = fork;
    for (;;) {
      const next = siblings.find((node) => node.onPath) ?? siblings.at(-1);
      if (!next) return rows;
      for (const node of siblings) {
        if (node !== next) rows.push({ kind: "branch", node, size: this.size(node) });
      }
      rows.push({ kind: "entry", node: next, leaf: next.id === this.leafId });
      siblings = this.children.get(next.id) ?? [];
    }
  }

  private size(head: TreeNode): number {
    let size = 0;
    const waiting = [head];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      size += 1;
      waiting.push(...(this.children.get(node.id) ?? []));
    }
    return size;
  }
}

function shortened(rows: Row[]): Row[] {
  if (rows.length <= SHOWN) return rows;
  const earlier = rows.slice(0, -SHOWN);
  return [{ kind: "earlier", rows: earlier.length <= SHOWN ? earlier : shortened(earlier) }, ...rows.slice(-SHOWN)];
}
