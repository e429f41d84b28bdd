/** Rule files in words. */
import type { RuleFile, Rules } from "../protocol/generated";
import { counted, tokens } from "../base/text";

type NameOf = (uri: string) => string;

/** So many files are named in a sentence. */
const NAMED = 3;

const REASONS: Record<NonNullable<RuleFile["reason"]>, string> = {
  shadowed: "another file of the folder is read instead",
  notAFile: "it is not a file",
  unreadable: "it cannot be read",
  otherCase: "its name is not written as agents look for it",
  duplicate: "it is read already by another path",
  belowCwd: "it lies below the working directory, where agents do not look",
  worktree: "it belongs to another working tree",
};

/** Why a file is not loaded, in a clause. */
export function whyNot(file: RuleFile, nameOf: NameOf): string {
  if (file.detail) return file.detail;
  if (file.reason === "shadowed" && file.by) return `${nameOf(file.by)} is read instead`;
  if (file.reason === "duplicate" && file.by) return `it is read already as ${nameOf(file.by)}`;
  return file.reason ? REASONS[file.reason] : "";
}

/** One line: what it weighs, and what is to be said of it. */
export function aboutFile(file: RuleFile, nameOf: NameOf): string {
  const parts = [tokens(file.tokens)];
  if (!file.loaded) parts.push(`not loaded: ${whyNot(file, nameOf)}`);
  if (file.changedSince) parts.push("changed since the session read it");
  return parts.join(" · ");
}

const STATES: Record<NonNullable<RuleFile["reason"]>, string> = {
  shadowed: "shadowed",
  notAFile: "not a file",
  unreadable: "unreadable",
  otherCase: "other case",
  duplicate: "read already",
  belowCwd: "below",
  worktree: "other worktree",
};

/** The same in few words, for a narrow place: what is to be said of it first. */
export function briefly(file: RuleFile): string {
  const state = file.inSession && !file.loaded ? "added" : file.reason ? STATES[file.reason] : file.loaded ? "" : "not read";
  return [state, file.changedSince ? "changed" : "", tokens(file.tokens)].filter(Boolean).join(" · ");
}

/** The tooltip of a folder: what an agent started there reads, in its order, and what it does not. */
export function folderTooltip(rules: Rules, nameOf: NameOf): string {
  const loaded = rules.files.filter((file) => file.loaded);
  const others = rules.files.filter((file) => !file.loaded);
  if (loaded.length === 0 && others.length === 0) return "";
  const lines = loaded.map((file, index) => `${index + 1}. ${nameOf(file.uri)} · ${aboutFile(file, nameOf)}`);
  const head = loaded.length ? `Pi reads ${counted(loaded.length, "rule")} here, ${tokens(rules.tokens)}:` : "Pi reads no rules here";
  return [head, ...lines, ...others.map((file) => `Not ${nameOf(file.uri)}: ${whyNot(file, nameOf)}`)].join("\n");
}

/** "3 rules · 1.2k tokens". */
export function summary(rules: Rules): string {
  const count = rules.files.filter((file) => file.loaded).length;
  return count ? `${counted(count, "rule")} · ${tokens(rules.tokens)}` : "no rules";
}

/** Whether a file stands here that its writer believes to be read. */
export const hidesSomething = (rules: Rules): boolean => rules.files.some((file) => file.reason === "shadowed");

/** Whether the folder has rules of its own, read or not. */
export const hasOwn = (rules: Rules): boolean => rules.files.some((file) => file.scope === "directory");

/** That files below the working directory could be loaded. */
export function offerText(uris: readonly string[], nameOf: NameOf): string {
  const named = uris.slice(0, NAMED).map(nameOf).join(", ");
  const more = uris.length > NAMED ? ` and ${uris.length - NAMED} more` : "";
  return `Pi has not read ${named}${more}, which ${uris.length === 1 ? "applies" : "apply"} to what it works on.`;
}
