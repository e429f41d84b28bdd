/** What a refused or failed request means to a person. */

const REASONS: Record<string, string> = {
  busy: "Pi is busy. Stop it, or wait until it is done.",
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

/** One sentence: the server's own where it gave one, else ours for the reason. */
export function describe(error: unknown): string {
  const known = REASONS[reasonOf(error) ?? ""];
  const message = error instanceof Error ? error.message : String(error);
  return [message, known, "The server gave no reason."].find(Boolean) ?? "";
}
