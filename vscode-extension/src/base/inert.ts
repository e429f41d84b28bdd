/** Text of sessions, files and models, made to be only read wherever VS Code would see more in it. */

import { head } from "./text";

// What would reorder or hide other text, or end the line.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]+/gu;

/** On one line, with nothing in it that acts on what stands beside it. */
export const oneLine = (text: string): string => text.replace(UNSEEN, " ");

/** For the labels of lists and of the status bar, where `$(name)` would be a picture. */
export const inLabel = (text: string): string => oneLine(text).replace(/\$\(/gu, "\\$(");

const LONGEST = 1000;

/** For notifications, where `[text](command:…)` would be a link that acts. */
export function inMessage(text: string): string {
  const line = oneLine(text).replace(/\]\(/gu, "]\u200b(");
  return line.length > LONGEST ? `${head(line, LONGEST)}…` : line;
}
