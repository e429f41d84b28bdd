/** What the server puts around files, skills and rules that go along in a text: shown as folds, not as markup. */

/** A text that was put in: a file, a skill or a rule file. */
export interface PutIn {
  kind: "putIn";
  what: "file" | "skill" | "rules";
  /** What it is called, with its lines where they are not all. */
  name: string;
  path: string;
  text: string;
}

const WHAT = { file: "file", skill: "skill", project_instructions: "rules" } as const;
type Tag = keyof typeof WHAT;
const OPENING = /^<(file|skill|project_instructions) (?:path|name)="([^"\n]*)"(?: location="([^"\n]*)"| lines="(\d+)-(\d+)")?>\n/gmu;

type Piece = PutIn | { kind: "text"; text: string };

/** The pieces of a text in their order; blank ones are left out. It takes one way through the text, whatever stands there. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  const unclosed = new Set<string>();
  let end = 0;
  const plain = (upTo: number): void => {
    const between = text.slice(end, upTo);
    if (between.trim()) found.push({ kind: "text", text: end === 0 && upTo === text.length ? between : between.trim() });
  };
  for (const match of text.matchAll(OPENING)) {
    const tag = match[1] as Tag;
    if (match.index < end || unclosed.has(tag)) continue; // inside another, or never closed from here on
    const start = match.index + match[0].length;
    const close = text.indexOf(`\n</${tag}>`, start - 1);
    if (close < 0) {
      unclosed.add(tag);
      continue;
    }
    plain(match.index);
    found.push(putIn(match, text.slice(start, close)));
    end = close + `\n</${tag}>`.length;
  }
  plain(text.length);
  return found;
}

function putIn([, tag, name = "", location, first, last]: RegExpExecArray, text: string): PutIn {
  const path = location ?? name;
  const short = location === undefined ? (path.split(/[\\/]/u).at(-1) ?? path) : name;
  return { kind: "putIn", what: WHAT[tag as Tag], name: first && last ? `${short}:${first === last ? first : `${first}–${last}`}` : short, path, text };
}

const LISTS = { "read-files": "Files Read", "modified-files": "Files Changed" } as const;

/** A summary for people: its lists of files as lists, not as markup. */
export function readable(summary: string): string {
  return summary.replaceAll(/^<(read-files|modified-files)>\n([^]*?)\n<\/\1>$/gmu, (_, tag: keyof typeof LISTS, files: string) =>
    [`## ${LISTS[tag]}`, "", ...files.split("\n").map((file) => `- \`${file.replaceAll("`", "'")}\``)].join("\n"));
}
