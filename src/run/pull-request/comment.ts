import { ended } from "../../core/one-line.ts";
import { percent, points } from "../../core/measure/percent.ts";
import { foundableSentence, listIds, verdictWords } from "../../core/verdict-words.ts";
import { type CostRow, armCostRows } from "../../report/arm-cost-rows.ts";
import type { Figures, PullRequestCheck, SkillCheck } from "./check-skills.ts";

/** The first line of the comment: by it the next push finds the comment again. */
export const commentMark = "<!-- whetstone: skills of this pull request -->";

/** A check as one comment: the verdict first, a row for each skill, then what each rests on. */
export function pullRequestComment(check: PullRequestCheck): string {
  const { checks, base } = check;
  const compared = checks.filter((one) => one.kind === "compared" || one.kind === "withheld");
  return [
    commentMark,
    `### ${headline(check)}`,
    ...(compared.length === 0 ? [] : ["", table(compared)]),
    ...compared.flatMap((one) => ["", ...details(one)]),
    ...restLines(checks),
    "",
    `<sub>Against ${cell(base.slice(0, 10))}${compared.length === 0 ? "" : "; both versions ran side by side on the same tasks"}. Made by Whetstone.</sub>`,
    "",
  ].join("\n");
}

type Compared = SkillCheck & { readonly kind: "compared" | "withheld" };

function headline({ checks, failOn }: PullRequestCheck): string {
  const compared = checks.filter((one) => one.kind === "compared" || one.kind === "withheld");
  const failing = compared.filter(({ fails }) => fails);
  if (failing.length > 0) return `${names(failing)}: refused, as fail-on is ${failOn}`;
  if (compared.length > 0)
    return compared.map((one) => `${cell(one.skill)}: ${verdictOf(one).word}`).join("; ");
  if (checks.length === 0) return "No skill differs from the base branch";
  return checks.some(({ kind }) => kind === "not-measured")
    ? "Changed skills were not measured"
    : "No skill could be compared";
}

const names = (checks: readonly SkillCheck[]): string => checks.map(({ skill }) => cell(skill)).join(", ");

function table(checks: readonly Compared[]): string {
  const head = ["skill", "before", "after", "difference [interval]", "verdict", "tokens", "turns", "cost"];
  const rows = checks.map((check) => {
    const { skill, spentNow } = check;
    const { before, after, claim, perRollout, cost } = figuresOf(check);
    const costs = new Map(perRollout && armCostRows(perRollout).map((row) => [row.name, row]));
    const { sign, word } = verdictOf(check);
    return [
      cell(skill),
      before.score === null ? "" : percent(before.score),
      after.score === null ? "" : percent(after.score),
      claim === undefined ? "" : differenceText(claim),
      `${sign} **${word}**`,
      changeText(costs.get("tokens")),
      changeText(costs.get("turns")),
      `${cost.total?.usd ?? ""}, ${spentNow} now`,
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

const figuresOf = (check: Compared): Figures => (check.kind === "compared" ? check.summary : check.figures);

const verdictOf = (check: Compared): { readonly word: string; readonly sign: string } =>
  check.kind === "compared" ? verdictWords[check.summary.verdict] : { word: "no verdict", sign: "–" };

function differenceText({ difference, interval }: NonNullable<Figures["claim"]>): string {
  const bare = (effect: number) => points(effect).replace(" points", "");
  return `${points(difference)} [${bare(interval.low)}, ${bare(interval.high)}]`;
}

/** `812 → 1,640 (+102 %)` */
const changeText = (row: CostRow | undefined): string =>
  row === undefined ? "" : `${row.before} → ${row.after}${row.change === "" ? "" : ` (${row.change})`}`;

/** What a verdict rests on, for whoever wants to know. */
function details(check: Compared): readonly string[] {
  const { skill } = check;
  const { lost, detectable, perRollout, tasks, trials, run } = figuresOf(check);
  const rows = perRollout === undefined ? [] : armCostRows(perRollout);
  return [
    `<details><summary>${cell(skill)}: what this rests on</summary>`,
    "",
    ...(check.kind === "compared" ? [cell(check.summary.sentence)] : []),
    ...(lost.length === 0
      ? []
      : [
          "",
          `Tasks lost: ${lost.map(({ task, blocks }) => `${cell(task)}${blocks ? " (a re-run confirms it)" : ""}`).join(", ")}.`,
        ]),
    "",
    `${tasks} tasks, ${trials} ${trials === 1 ? "trial" : "trials"} each and version. ${detectable === undefined ? "" : foundableSentence(detectable)}`.trim(),
    ...(rows.length === 0
      ? []
      : [
          "",
          "| a rollout takes | before | after | change | interval |",
          "|---|---|---|---|---|",
          ...rows.map(
            (row) => `| ${row.name} | ${row.before} | ${row.after} | ${row.change} | ${row.interval} |`,
          ),
        ]),
    "",
    `Run ${cell(run)}: \`whetstone runs show ${run.slice(0, 8)}\` with the same journal shows every task.`,
    "",
    "</details>",
  ];
}

/** Skills without a comparison, and why. */
function restLines(checks: readonly SkillCheck[]): readonly string[] {
  const named = (kind: SkillCheck["kind"]) =>
    checks.filter((one) => one.kind === kind).map(({ skill }) => cell(skill));
  const plain = (
    [
      ["added", "New, so there is nothing to compare with"],
      ["removed", "Removed"],
      ["no-tasks", "Changed, but there are no tasks beside it (a tasks.jsonl there would do)"],
      ["unchanged", "The same text as on the base branch"],
    ] as const
  ).flatMap(([kind, words]) => {
    const skills = named(kind);
    return skills.length === 0 ? [] : [`- ${words}: ${listIds(skills)}`];
  });
  const missed = checks.flatMap((one) =>
    one.kind === "not-measured"
      ? [`- Not measured: ${cell(one.skill)}: ${cell(sentences(one.why, one.could ?? one.next))}`]
      : [],
  );
  const withheld = checks.flatMap((one) =>
    one.kind === "withheld" ? [`- No verdict: ${cell(one.skill)}: ${cell(one.why)}`] : [],
  );
  const lines = [...withheld, ...missed, ...plain];
  return lines.length === 0 ? [] : ["", ...lines];
}

const sentences = (why: string, next: string | undefined): string =>
  next === undefined || next === "" ? why : `${ended(why)} ${next}`;

/** Nothing of a name or a sentence may become markup, a cell or a mention. */
const cell = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\\", "\\\\")
    .replaceAll(/[|`*_[\]#~]/g, String.raw`\$&`)
    .replaceAll("<", "&lt;")
    .replaceAll("@", "@\u200B");
