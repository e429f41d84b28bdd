/** Links of an answer to files: a path or a `file:` address, perhaps with a line. Everything else is not followed. */

export interface Place {
  path: string;
  /** From 0. */
  line?: number;
}

const SCHEME = /^[a-z][a-z0-9+.-]+:/iu; // one letter is a drive of Windows
const LINE = /(?:#L|:)(\d{1,7})(?:[-:,].*)?$/u;

/** The file that a link of Markdown means; undefined where it is none, or one of another machine. */
export function placeOf(link: string): Place | undefined {
  let text: string;
  try {
    text = decodeURIComponent(link.trim());
  } catch {
    return undefined;
  }
  const line = LINE.exec(text);
  let path = text.slice(0, line?.index).replace(/#.*$/u, "");
  if (/^file:\/\/\//iu.test(path)) path = path.slice("file://".length).replace(/^\/(?=[a-z]:)/iu, "");
  // Two slashes name another machine, to which Windows would send the person's credentials.
  if (!path || SCHEME.test(path) || /^[\\/]{2}/u.test(path) || path.includes("\0")) return undefined;
  return line ? { path, line: Math.max(0, Number(line[1]) - 1) } : { path };
}
