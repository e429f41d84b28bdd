/** What the protocol names and `protocol/schema.json` does not hold yet; each part leaves this file when it does. */
import type { NoParams, State } from "./generated";

export interface PlannedMethods {
  "pi/bash": { params: { command: string; exclude?: boolean }; result: NoParams };
  "pi/tools/policy/set": { params: { policy: string }; result: State };
}

/** A tool call that waits for the person's word. */
export interface ApproveParams {
  toolCallId: string;
  tool: string;
  title: string;
  arguments: Record<string, unknown>;
  risk: "read" | "write" | "execute";
  outside: boolean;
  diff?: { uri: string; before: string; after: string };
  command?: string;
  cwd?: string;
}

export interface ApproveResult {
  decision: "once" | "session" | "deny";
  reason?: string;
}

/** Events of running tools. */
export type PlannedEvent =
  | { type: "tool_start"; toolCallId: string; tool: string; arguments: Record<string, unknown> }
  | { type: "tool_update"; toolCallId: string; delta: string }
  | { type: "tool_end"; toolCallId: string; isError: boolean; preview: string; spillFile?: string | null };
