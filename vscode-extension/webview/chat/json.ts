/** Stored messages hold what other programs wrote: nothing is taken for granted. */

export type Json = unknown;
export type JsonObject = Record<string, Json>;

export function asObject(value: Json): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export const str = (value: Json): string => (typeof value === "string" ? value : "");

/** The blocks of a message; a text alone counts as one block. */
export function blocksOf(message: JsonObject): JsonObject[] {
  const { content } = message;
  if (typeof content === "string") return content ? [{ type: "text", text: content }] : [];
  return Array.isArray(content) ? content.map(asObject).filter((block) => block !== undefined) : [];
}

export const textOf = (message: JsonObject): string =>
  blocksOf(message)
    .map((block) => str(block.text))
    .filter(Boolean)
    .join("\n");
