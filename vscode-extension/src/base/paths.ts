import path from "node:path";

/** A path as short as it can be said: from one of the folders, else from home. */
export function shortPath(file: string, folders: readonly string[], home: string): string {
  for (const folder of folders) {
    const inside = within(file, folder);
    if (inside !== null) return inside || path.basename(folder);
  }
  const inside = home ? within(file, home) : null;
  return inside === null ? file : `~/${inside}`;
}

function within(file: string, folder: string): string | null {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative)) ? relative : null;
}
