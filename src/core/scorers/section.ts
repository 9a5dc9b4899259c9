import { z } from "zod";
import { createScorer, quote } from "./scorer.ts";

const valueSchema = z.union([
  z
    .string()
    .min(1)
    .transform((heading) => ({ heading, contains: undefined })),
  z.strictObject({ heading: z.string().min(1), contains: z.string().min(1).optional() }),
]);

/** The answer has a Markdown section with this heading (with `## Usage`, also at this level), and the section contains a text. */
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

/** The text below each such heading, up to the next one at its level or above. Every line is read once. */
function findSections(text: string, wanted: string): readonly string[] {
  const [, marks = "", title = ""] = /^(#{1,6}\s+)?(.*)$/s.exec(wanted.trim()) ?? [];
  const [name, ofLevel] = [plain(title), marks.trim().length];
  const lines = text.split(/\r?\n/);
  const sections: string[] = [];
  // the start of the next heading at this level or above, searching upwards
  const ends = Array.from({ length: 7 }, () => lines.length);
  for (const { line, level, title: found } of findHeadings(lines).toReversed()) {
    if (found === name && (ofLevel === 0 || level === ofLevel))
      sections.push(lines.slice(line + 1, ends[level]).join("\n"));
    ends.fill(line, level);
  }
  return sections;
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
    const [begin, marks] = (fence === "" && /^ {0,3}(#{1,6})(?=\s|$)/.exec(text)) || [];
    if (begin !== undefined && marks !== undefined)
      headings.push({ line, level: marks.length, title: plain(text.slice(begin.length)) });
  }
  return headings;
}

const plain = (title: string): string =>
  withoutClosing(title.trim())
    .replaceAll(/[*_`]/g, "")
    .trimEnd()
    .replace(/:$/, "")
    .trim()
    .replaceAll(/\s+/g, " ")
    .toLowerCase();

/** `Usage ##` is `Usage`, and `C#` is `C#`. It reads from the end, because a pattern would start over at every blank. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  const rest = title.slice(0, end);
  return end === 0 || rest.trimEnd() === rest ? title : rest.trimEnd();
}
