/** The question whether a tool call may go ahead, in words. */
import { oneLine } from "../base/inert";
import { counted, head } from "../base/text";
import type { ApproveParams } from "../protocol/planned";

const LONGEST = 200;

/** What is asked, and whether it leaves out some of what would happen. */
export function question({ command, title, outside }: Pick<ApproveParams, "command" | "title" | "outside">): { text: string; cut: boolean } {
  const what = command === undefined ? title : `run: ${command}`;
  const [first = "", ...rest] = what.trim().split(/\r\n|[\r\n\u2028\u2029]/u);
  const cut = rest.length > 0 || first.length > LONGEST || oneLine(first) !== first;
  const more = rest.length ? ` (${counted(rest.length, "more line")})` : "";
  const shown = head(first, LONGEST) + (cut ? ` …${more}` : "");
  return { text: `Pi wants to ${shown}${outside ? " It reaches outside the workspace." : ""}`, cut };
}
