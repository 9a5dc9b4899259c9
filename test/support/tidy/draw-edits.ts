import type { Edit } from "../../../src/core/skill/edit.ts";
import { findOpenParts } from "../../../src/core/skill/regions.ts";

type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

const verbs = ["Check", "Write", "Name", "Keep", "Quote", "Leave out", "Count", "Round"];
const things = [
  "the total",
  "every date",
  "the unit",
  "`npm test`",
  "a source",
  "the customer's *name*",
  "one table",
];
const ends = [
  "",
  " before you answer",
  " in the first line",
  ", not the other way round",
  " with two decimals (2.50)",
];

/** A rule that may be drawn again: something is proposed twice now and then. */
export const drawSentence = (random: Random): string =>
  `${pick(verbs, random)} ${pick(things, random)}${pick(ends, random)}.`;

const shapes: readonly ((random: Random) => string)[] = [
  (random) => `- ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}`,
  (random) => `* ${drawSentence(random)}\n* ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}\n\n- ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}\n  - ${drawSentence(random)}\n  - ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}\n  ${drawSentence(random)}`,
  (random) => `- ${drawSentence(random)}\n\n  \`\`\`sh\n  npm run lint\n  \`\`\``,
  (random) => `1. ${drawSentence(random)}`,
  (random) => `1. ${drawSentence(random)}\n2. ${drawSentence(random)}`,
  (random) => drawSentence(random),
  (random) => drawSentence(random),
  (random) => `${drawSentence(random)}\n${drawSentence(random)}`,
  (random) => `${drawSentence(random)}\n\n${drawSentence(random)}`,
  (random) => `When in doubt:\n- ${drawSentence(random)}\n- ${drawSentence(random)}`,
  (random) => `## ${pick(["Style", "Units", "Checks"], random)}\n- ${drawSentence(random)}`,
  (random) => `### ${pick(["Style", "Units", "Checks"], random)}\n\n${drawSentence(random)}`,
  (random) => `## Before\n\n${drawSentence(random)}\n## Behind\n1. ${drawSentence(random)}`,
  (random) => `\`\`\`sh\nnpm test -- ${Math.floor(random() * 50)}\n\`\`\``,
  (random) => `\`\`\`json\n{ "cut": ${Math.floor(random() * 50)}`,
  (random) => `| case | answer |\n|---|---|\n| ${drawSentence(random)} | yes |`,
  (random) => `> ${drawSentence(random)}`,
];

/** An edit as an optimizer proposes them: its target is an item, a line, some lines, a sentence or a few words. */
export function drawEdit(text: string, random: Random): Edit {
  const op = pick(["append", "append", "insert_after", "insert_after", "replace", "delete"] as const, random);
  const content = op === "delete" ? undefined : pick(shapes, random)(random);
  const missing = random() < 0.05 ? "words that stand nowhere" : undefined;
  const target = op === "append" ? undefined : (missing ?? drawTarget(text, random));
  return {
    op,
    evidence: [],
    ...(target === undefined ? {} : { target }),
    ...(content === undefined ? {} : { content }),
  };
}

function drawTarget(text: string, random: Random): string {
  const { start, end } = pick(findOpenParts(text), random);
  const lines = text.slice(start, end).split(/\r?\n/);
  const spoken = lines.flatMap((line, at) => (/[\p{L}\p{N}]/u.test(line) ? [at] : []));
  const at = spoken.length === 0 ? 0 : pick(spoken, random);
  const line = lines[at] ?? "";
  const draw = random();
  if (draw < 0.4) return line;
  if (draw < 0.5) return line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, "");
  if (draw < 0.65) return lines.slice(at, at + 1 + Math.ceil(random() * 4)).join("\n");
  if (draw < 0.7) return `${line}\n`;
  if (draw < 0.85) return /[^.!?]+[.!?]/.exec(line)?.[0] ?? line;
  const words = line.split(" ");
  const from = Math.floor(random() * words.length);
  return words.slice(from, from + 1 + Math.floor(random() * 3)).join(" ");
}
