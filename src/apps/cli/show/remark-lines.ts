import { colors } from "./colors.ts";
import { breakLine } from "./wrap.ts";

/** What was guessed, or is good to know, before a run begins; a long one goes on below itself. */
export const remarkLines = (label: "guess" | "note", text: string, columns: number): readonly string[] =>
  breakLine(text, columns - 7).map((line, at) => `${at === 0 ? marks[label] : "     "}  ${line}`);

const marks = { guess: colors.dim("guess"), note: colors.yellow("note ") } as const;
