/** What a page says is believed only as far as it has the shape of a message: pages show strangers' text. */
import { type FromPage, PAGE_COMMANDS } from "./messages";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const oneOf = (...allowed: readonly string[]): Check => (value) => allowed.includes(value as string);
const matching = (pattern: RegExp): Check => (value) => typeof value === "string" && pattern.test(value);
const list = (check: Check): Check => (value) => Array.isArray(value) && value.every((one) => check(one));
const optional = (check: Check): Check => (value) => value === undefined || value === null || check(value);
const shape = (fields: Record<string, Check>): Check => (value) => {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(fields).every(([name, check]) => check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined));
};

const position = shape({ line: count, character: count });
const file = matching(/^file:\/\//u);
const attachment = shape({ uri: file, label: text, range: optional(shape({ start: position, end: position })) });
const image = shape({ mimeType: matching(/^image\/[a-z0-9.+-]+$/u), data: matching(/^[A-Za-z0-9+/]*={0,2}$/u) });

const SHAPES: Record<FromPage["type"], Check> = {
  ready: shape({}),
  send: shape({ text, mode: oneOf("steer", "followUp"), images: list(image), attachments: list(attachment) }),
  abort: shape({}),
  images: shape({ images: list(image) }),
  queue: shape({ queue: shape({ steer: list(text), followUp: list(text) }) }),
  complete: shape({ query: matching(/^[/@]/u) }),
  openEntry: shape({ entryId: text }),
  openFile: shape({ path: text }),
  openLink: shape({ link: text }),
  drop: shape({ uris: list(file) }),
  earlier: shape({}),
  loadRules: shape({ uris: list(file) }),
  copy: shape({ text }),
  resend: shape({ entryId: text }),
  command: shape({ name: oneOf(...PAGE_COMMANDS) }),
};

/** The message, if it is one. */
export function fromPage(value: unknown): FromPage | undefined {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return undefined;
  const check = Object.hasOwn(SHAPES, value.type) ? SHAPES[value.type as FromPage["type"]] : undefined;
  return check?.(value) ? (value as FromPage) : undefined;
}
