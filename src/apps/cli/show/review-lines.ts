import type { Review, ReviewRule } from "../../../core/proposal/review.ts";
import { oneLine } from "../../../core/one-line.ts";
import { colors } from "./colors.ts";
import { facts } from "./facts.ts";
import { plural } from "./format.ts";

/** A proposal's head, its rules one by one, and what the night turned down. */
export function reviewLines(review: Review, columns: number): readonly string[] {
  return [
    ...headLines(review),
    ...review.rules.flatMap((rule, at) => ["", ...ruleLines(rule, at + 1, columns)]),
    ...rejectedLines(review, columns),
  ];
}

export function headLines({ id, night, document, gate, rules, state, reason }: Review): readonly string[] {
  const { name, kind, scope } = document;
  return [
    colors.bold(`Proposal ${id}`),
    `${plural(rules.length, "rule")} for ${name} (${scope} ${kind}), night ${night}`,
    ...(gate === "off" ? [colors.yellow("The gate was off: nothing of it is verified.")] : []),
    ...(state === "staged"
      ? []
      : [`${colors.yellow(state)}${reason === undefined ? "" : `: ${oneLine(reason)}`}`]),
  ];
}

/** What is known of one rule: the verdict, the words, and what they rest on. */
export function ruleLines(rule: ReviewRule, number: number, columns: number): readonly string[] {
  const { id, edit, label, status, nights, provenance, powers, rejection } = rule;
  const paint = status === "proven" ? colors.green : colors.yellow;
  const text = (words: string) => words.split("\n").map((line) => line.trimEnd());
  const written = (name: string, words: string): (readonly [string, string])[] =>
    text(words).map((line, at) => [at === 0 ? name : "", line]);
  const rows: (readonly [string, string])[] = [
    ...(edit.op === "add" ? [] : written(edit.op === "delete" ? "delete" : "replace", edit.target)),
    ...(edit.op === "delete" ? [] : written(edit.op === "add" ? "add" : "by", edit.text)),
    ...(nights.length === 0 ? [] : [["effect", nights.map(nightText).join("; ")] as const]),
    ...provenance.conversations.map(
      ({ source, date, words }, at) =>
        [
          at === 0 ? "from" : "",
          [`${source}, ${date}`, ...words.map((each) => `"${oneLine(each)}"`)].join(" "),
        ] as const,
    ),
    ...(provenance.tasks.length === 0 ? [] : [["tasks", provenance.tasks.join(", ")] as const]),
    ...powerRows("powers", powers, "ask"),
    ...powerRows("notes", powers, "note"),
    ...(rejection === undefined ? [] : [["rejected", oneLine(rejection)] as const]),
  ];
  return [`${number}. ${colors.bold(id.slice(0, 8))}  ${paint(label)}`, ...facts(rows, columns)];
}

const powerRows = (
  name: string,
  powers: ReviewRule["powers"],
  rank: ReviewRule["powers"][number]["rank"],
): readonly (readonly [string, string])[] =>
  powers
    .filter((power) => power.rank === rank)
    .map(({ id, kind, item }, at) => [at === 0 ? name : "", `${id} ${kind}: ${oneLine(item)}`]);

const nightText = ({ night, wins, losses, ties }: ReviewRule["nights"][number]): string =>
  `${night} ${wins} won, ${losses} lost, ${ties} tied`;

function rejectedLines({ rejected }: Review, columns: number): readonly string[] {
  if (rejected.length === 0) return [];
  return [
    "",
    "Turned down by the night:",
    ...facts(
      rejected.map(
        ({ id, text, reason }) =>
          [id.slice(0, 8), `${oneLine(text)}  ${colors.dim(oneLine(reason))}`] as const,
      ),
      columns,
    ),
  ];
}
