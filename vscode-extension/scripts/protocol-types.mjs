// Write src/protocol/generated.ts from ../protocol/schema.json; with --check only say whether it is up to date.
import { readFileSync, writeFileSync } from "node:fs";

const SCHEMA = new URL("../../protocol/schema.json", import.meta.url);
const TARGET = new URL("../src/protocol/generated.ts", import.meta.url);

const unknown = (schema) => {
  throw new Error(`no TypeScript type is known for ${JSON.stringify(schema)}`);
};
const PLAIN = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

/** The type of a schema as TypeScript writes it. */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return arrayOf(typeOf(schema.items ?? {}));
  if (schema.type === "object") return recordOf(schema.additionalProperties);
  if (Object.keys(schema).every((key) => key === "default" || key === "description")) return "unknown";
  return PLAIN[schema.type] ?? unknown(schema);
}

const arrayOf = (type) => (type.includes(" ") ? `(${type})[]` : `${type}[]`);
const recordOf = (values) => `Record<string, ${values && values !== true ? typeOf(values) : "unknown"}>`;
const comment = (text) => (text ? `/**\n${text.split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n` : "");

function declaration([name, schema]) {
  const head = comment(schema.description);
  if (!schema.properties) return `${head}export type ${name} = ${typeOf(schema)};\n`;
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(
    ([field, value]) => `  ${field}${required.has(field) ? "" : "?"}: ${typeOf(value)};\n`,
  );
  return `${head}export interface ${name} {${fields.length ? `\n${fields.join("")}` : ""}}\n`;
}

function generate() {
  const { methods, notifications, $defs } = JSON.parse(readFileSync(SCHEMA, "utf8"));
  const exchanges = Object.entries(methods).map(
    ([name, { params, result }]) => `  "${name}": { params: ${typeOf(params)}; result: ${typeOf(result)} };\n`,
  );
  const told = Object.entries(notifications).map(([name, { params }]) => `  "${name}": ${typeOf(params)};\n`);
  return [
    "// Generated from protocol/schema.json by `npm run types`. Do not edit.\n",
    ...Object.entries($defs).map(declaration),
    `/** The requests that the server answers. */\nexport interface Methods {\n${exchanges.join("")}}\n`,
    `/** What the server tells unasked. */\nexport interface Notifications {\n${told.join("")}}\n`,
  ].join("\n");
}

const wanted = generate();
if (!process.argv.includes("--check")) {
  writeFileSync(TARGET, wanted);
} else if (readFileSync(TARGET, "utf8") !== wanted) {
  console.error("src/protocol/generated.ts is not what protocol/schema.json says; run `npm run types`");
  process.exitCode = 1;
}
