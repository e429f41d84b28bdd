import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import schema from "../../../protocol/schema.json";

/** A schema as `protocol/generate.py` writes them. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Exchange {
  method: string;
  params: unknown;
  result: unknown;
}

const GOLDEN = new URL("../../../protocol/golden/", import.meta.url);
const DEFINITIONS = schema.$defs as Record<string, Schema>;
const METHODS = schema.methods as Record<string, { params: Schema; result: Schema }>;

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** What does not fit, by the path to it: a field that our types do not know does not fit either. */
function misfits(value: unknown, schema: Schema, at: string): string[] {
  if (schema.$ref) return misfits(value, DEFINITIONS[schema.$ref.split("/").at(-1) ?? ""] ?? {}, at);
  if (schema.anyOf) {
    const all = schema.anyOf.map((choice) => misfits(value, choice, at));
    return all.some((found) => found.length === 0) ? [] : all.flat();
  }
  if (schema.enum) return schema.enum.includes(value) ? [] : [`${at}: ${JSON.stringify(value)}`];
  if (schema.type && !TYPES[schema.type]?.(value)) return [`${at}: not ${schema.type}`];
  if (schema.items) return (value as unknown[]).flatMap((item, index) => misfits(item, schema.items ?? {}, `${at}[${index}]`));
  if (!schema.properties) return [];
  const fields = Object.entries(value as object).flatMap(([name, item]) => {
    const known = schema.properties?.[name];
    return known ? misfits(item, known, `${at}.${name}`) : [`${at}.${name}: unknown`];
  });
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value as object, name));
  return [...fields, ...missing.map((name) => `${at}.${name}: missing`)];
}

const exchanges = readdirSync(GOLDEN).map((name) => JSON.parse(readFileSync(new URL(name, GOLDEN), "utf8")) as Exchange);

describe("golden messages", () => {
  it("cover every method of the schema", () => {
    expect(exchanges.map(({ method }) => method).sort()).toEqual(Object.keys(METHODS).sort());
  });

  it.each(exchanges)("$method has the shape that our types say", ({ method, params, result }) => {
    const types = METHODS[method];
    expect(types).toBeDefined();
    expect(misfits(params, types?.params ?? {}, "params")).toEqual([]);
    expect(misfits(result, types?.result ?? {}, "result")).toEqual([]);
  });

  it("would show a misfit", () => {
    expect(misfits({ trusted: "yes", more: 1 }, { $ref: "#/$defs/TrustResult" }, "result")).toEqual([
      "result.trusted: not boolean",
      "result.more: unknown",
    ]);
  });
});
