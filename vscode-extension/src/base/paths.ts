import path from "node:path";

/** A path as short as it can be said, as hovers say it too: from one of the folders with its name, else from home. */
export function shortPath(file: string, folders: readonly string[], home: string): string {
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const folder of deepestFirst) {
    const inside = within(file, folder);
    if (inside === null) continue;
    return path.posix.join(path.basename(folder), inside.replaceAll(path.sep, "/"));
  }
  const inside = home ? within(file, home) : null;
  return inside === null ? file : `~/${inside}`;
}

function within(file: string, folder: string): string | null {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative)) ? relative : null;
}
