import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { type LintFinding, placeAt } from "./lint-finding.ts";

/** Finds invisible characters: one finding for each line with some. */
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
    text: `contains ${count === 1 ? "an invisible character" : `${count} invisible characters, the first one`}: ${name}`,
    next: "Retype the line. Text that an agent reads but you can't see may be an instruction.",
  }));
}
