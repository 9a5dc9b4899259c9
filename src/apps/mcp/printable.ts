import { oneLine, withoutColours } from "../../core/one-line.ts";
import { spellOut } from "../../report/spell-out.ts";
import { toTerminal } from "../../show/format.ts";

/** Text of ours for a client: no colours, nothing that nobody sees or that steers a terminal, and no more than so much. */
export function printable(text: string, most: number): string {
  const shown = withoutColours(toTerminal(text));
  if (shown.length <= most) return shown;
  return `${shown.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}\n… and ${shown.length - most} more characters`;
}

/** One line of it, for data. */
export const line = (text: string, most = 300): string => oneLine(spellOut(withoutColours(text)), most);
