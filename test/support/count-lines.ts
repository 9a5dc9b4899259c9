import type { HiddenRuleWorld } from "../../src/testing/index.ts";

/** What training added to a skill of the hidden-rule world, line by line. */
export interface AddedLines {
  readonly useful: number;
  readonly useless: number;
  readonly harmful: number;
  /** Lines that say again what another line says. */
  readonly doubled: number;
  readonly tokens: number;
}

export function countLines(
  { rulesIn }: Pick<HiddenRuleWorld, "rulesIn">,
  original: string,
  trained: string,
): AddedLines {
  const words = (text: string) =>
    text
      .split("\n")
      .map((line) => line.replace(/^[-*\s]+/, "").trim())
      .filter((line) => line !== "" && !line.startsWith("<!--"));
  const known = new Set(words(original));
  const all = words(trained);
  const added = all.filter((line) => !known.has(line));
  const distinct = [...new Set(added)];
  const kindOf = (line: string) => {
    const { held, harmed } = rulesIn(line);
    return harmed.length > 0 ? "harmful" : held.length > 0 ? "useful" : "useless";
  };
  const count = (kind: string) => distinct.filter((line) => kindOf(line) === kind).length;
  return {
    useful: count("useful"),
    useless: count("useless"),
    harmful: count("harmful"),
    doubled: all.length - new Set(all).size,
    // about four characters each
    tokens: Math.round((trained.length - original.length) / 4),
  };
}
