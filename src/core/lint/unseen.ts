import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { type LintFinding, placeAt } from "./lint-finding.ts";

/** Characters that nobody sees: one finding for each line that holds some. */
export function findUnseen(file: string, text: string): readonly LintFinding[] {
  const lines = new Map<string, { readonly name: string; count: number }>();
  for (const { index, name, codePoint } of findHiddenCharacters(text)) {
    const place = placeAt(file, text, index);
    const known = lines.get(place);
    if (known === undefined)
      lines.set(place, {
        name: `${name} (U+${codePoint.toString(16).toUpperCase().padStart(4, "0")})`,
        count: 1,
      });
    else known.count += 1;
  }
  return Array.from(lines, ([place, { name, count }]) => ({
    kind: "hidden",
    place,
    text: `holds ${count === 1 ? "a character" : `${count} characters, the first`} that nobody sees: ${name}`,
    next: "Type the line anew; what an agent reads and you do not see may be an instruction.",
  }));
}
