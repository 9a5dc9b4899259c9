import { oneLine, withoutColours } from "../../core/one-line.ts";
import { spellOut } from "../../report/spell-out.ts";
import { toTerminal } from "../../show/format.ts";

/** Our text for a client: without colours, invisible characters or terminal controls, and at most this long. */
export function printable(text: string, most: number): string {
  const shown = withoutColours(toTerminal(text));
  if (shown.length <= most) return shown;
  return `${shown.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}\n… and ${shown.length - most} more characters`;
}

/** The same as one line, for data. */
export const line = (text: string, most = 300): string => oneLine(spellOut(withoutColours(text)), most);
