import { z } from "zod";
import { createScorer, quote } from "./scorer.ts";

const valueSchema = z.union([
  z
    .string()
    .min(1)
    .transform((heading) => ({ heading, contains: undefined })),
  z.strictObject({ heading: z.string().min(1), contains: z.string().min(1).optional() }),
]);

/** The answer has a Markdown section with this heading (`## Usage`: of this level), and that section holds a text. */
export const section = createScorer(
  valueSchema,
  "the value of a section check must be a heading, or { heading, contains? }",
  ({ heading, contains }, { text }) => {
    const sections = findSections(text, heading);
    const held = contains === undefined ? "" : ` that contains ${quote(contains)}`;
    return {
      pass: sections.some((body) => contains === undefined || body.includes(contains)),
      expected: `to have a section ${quote(heading)}${held}${sections.length === 0 ? " (there is no such heading)" : ""}`,
    };
  },
);

/** The text below each such heading, up to the next one of its level or above. */
function findSections(text: string, wanted: string): readonly string[] {
  const [, marks = "", title = ""] = /^(#{1,6}\s+)?(.*)$/s.exec(wanted.trim()) ?? [];
  const lines = text.split(/\r?\n/);
  const headings = findHeadings(lines);
  return headings.flatMap(({ line, level, title: found }, at) => {
    if (found !== plain(title) || (marks !== "" && level !== marks.trim().length)) return [];
    const next = headings.slice(at + 1).find((other) => other.level <= level);
    return [lines.slice(line + 1, next?.line).join("\n")];
  });
}

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly title: string;
}

function findHeadings(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  let fence = "";
  for (const [line, text] of lines.entries()) {
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (mark !== "" && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
    const [, marks, title = ""] = (fence === "" && /^ {0,3}(#{1,6})(?:\s+(.*))?$/.exec(text)) || [];
    if (marks !== undefined) headings.push({ line, level: marks.length, title: plain(title) });
  }
  return headings;
}

const plain = (title: string): string =>
  title
    .replace(/\s+#+\s*$/, "")
    .replaceAll(/[*_`]/g, "")
    .replace(/:\s*$/, "")
    .trim()
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
