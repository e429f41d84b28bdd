/** What a refused or failed request means to a person. */
import { sentence } from "../base/text";

const REASONS: Record<string, string> = {
  busy: "Pi is still at work. Wait, or stop it.",
  untrusted: "This folder is not trusted.",
  noModel: "No model can be used: set an API key first.",
  staleTip: "Another program wrote into this session meanwhile. Look at it, then try again.",
  notFound: "It is not there any more.",
  nothingToCompact: "There is nothing to compact yet.",
  alreadyCompacted: "The session was just compacted.",
  openToolCall: "A tool call there has no result yet.",
  messagesFollow: "Messages came after the compaction, so it cannot be taken back.",
  cancelledByHook: "A hook of yours stopped this.",
  readOnly: "This session can only be read.",
  invalidSession: "This is not a session file.",
};

/** The reason of a refusal, if it is one. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("data" in error)) return undefined;
  const { data } = error;
  return typeof data === "object" && data !== null && "reason" in data && typeof data.reason === "string"
    ? data.reason
    : undefined;
}

/** The connection ended while somebody waited, or had ended before: codes of the protocol's library. */
const LOST = [-32097, -32096];

/** Whether there is no answer because the server has gone. */
export const isLost = (error: unknown): boolean => error instanceof Error && "code" in error && LOST.includes(error.code as number);

const NO_KEY = /^No API key for '([^']+)'(?=:)/u;

/** One sentence: the server's own where it gave one that a person understands, else ours for the reason. */
export function describe(error: unknown): string {
  if (isLost(error)) return "The Pi server stopped before it answered.";
  const reason = reasonOf(error) ?? "";
  const known = REASONS[reason];
  const message = error instanceof Error ? error.message : String(error);
  const provider = NO_KEY.exec(message)?.[1];
  if (provider) return `There is no API key for ${provider === "anthropic" ? "Anthropic" : provider} yet.`;
  return sentence([reason === "busy" ? known : "", message, known, "The server gave no reason."].find(Boolean) ?? "");
}

/** What a person can do about a problem: commands of ours without their prefix, by what a button says. */
export const REMEDIES = {
  "Set API Key": "setApiKey",
  "Choose Model": "chooseModel",
  "Restart Server": "restart",
  "Show Log": "showLog",
  Stop: "abort",
} as const;
export type Remedy = keyof typeof REMEDIES;

const HELPS: [says: RegExp, Remedy[]][] = [
  [/API.key|no model|authentication/iu, ["Set API Key", "Choose Model"]],
  [/server is not running/u, ["Restart Server", "Show Log"]],
  [/server stopped/u, ["Show Log"]],
  [/still at work/u, ["Stop"]],
];

export const remedies = (text: string): Remedy[] => HELPS.find(([says]) => says.test(text))?.[1] ?? [];
