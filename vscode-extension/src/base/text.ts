/** Numbers and times as a person reads them. */

/** "950", "1.2k", "34k", "1.2M". */
export function short(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_500 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/u, "") : size.toFixed(0)}${unit}`;
}

/** "1 rule", "3 rules", "2 entries". */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string => `${count} ${count === 1 ? noun : nouns}`;

export const tokens = (count: number): string => `${short(count)} ${count === 1 ? "token" : "tokens"}`;

/** A bar of `width` characters, at least one of them filled where there is anything. */
export function bar(part: number, whole: number, width = 8): string {
  const share = whole > 0 ? Math.min(1, part / whole) : 0;
  const filled = part > 0 ? Math.max(1, Math.round(share * width)) : 0;
  return "▰".repeat(filled) + "▱".repeat(width - filled);
}

/** The first UTF-16 units of a text, at most so many, and no half of a character. */
export function head(text: string, units: number): string {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? units - 1 : units);
}

/** At most so many characters, and a sign where some are left out. */
export function shorten(text: string, most: number): string {
  const shown = [];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (shown.push(segment) > most) return `${shown.slice(0, most - 1).join("").trimEnd()}…`;
  }
  return text;
}

/** A clause as a sentence. */
export const sentence = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1).replace(/[^.!?…]$/u, "$&.");

/** "12%", "<1%". */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  return part > 0 && share < 1 ? "<1%" : `${share.toFixed(0)}%`;
}

/** When something was, seen from now: "just now", "5 min ago", "3 h ago", "2 days ago", else the date. */
export function ago(time: string, now: number): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  return days < 30 ? `${counted(days, "day")} ago` : time.slice(0, 10);
}
