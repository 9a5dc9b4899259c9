import { escapeXml } from "../../adapters/xml-text.ts";
import { ended, oneLine } from "../../core/one-line.ts";
import { percent, points } from "../../core/measure/percent.ts";
import { foundableSentence } from "../../core/plan-words.ts";
import { levelText } from "../../core/shown-level.ts";
import { listIds, verdictWords } from "../../core/verdict-words.ts";
import { type CostRow, armCostRows } from "../../report/arm-cost-rows.ts";
import type { CompareSummary } from "../verbs/compare.ts";
import type { Figures, PullRequestCheck, SkillCheck } from "./check-skills.ts";

/** The first line of the comment, by which the next push finds the comment again. */
export const commentMark = "<!-- whetstone: skills of this pull request -->";

/** A check as one comment: the verdict, the branch's changes to its own exam, a row per skill, then the evidence. */
export function pullRequestComment(check: PullRequestCheck): string {
  const { checks, base } = check;
  const rows = checks.flatMap(rowsOf);
  return [
    commentMark,
    `### ${headline(check)}`,
    ...checks.flatMap(ownLines),
    ...(rows.length === 0 ? [] : ["", table(rows)]),
    ...rows.flatMap((row) => ["", ...details(row)]),
    ...restLines(checks),
    "",
    `<sub>Against ${code(base.slice(0, 10))}${rows.length === 0 ? "" : "; both versions ran side by side on the same tasks"}. Made by Whetstone.</sub>`,
    "",
  ].join("\n");
}

/** A comparison; `summary` is missing if it isn't a proof. */
interface Row {
  readonly skill: string;
  readonly figures: Figures;
  readonly spentNow: string;
  readonly summary?: CompareSummary;
}

function rowsOf(check: SkillCheck): readonly Row[] {
  const { skill, own } = check;
  const { figures, spentNow = "" } = own ?? {};
  return [
    ...(check.kind === "compared" ? [{ ...check, figures: check.summary }] : []),
    ...(figures === undefined ? [] : [{ skill, figures, spentNow }]),
  ];
}

/** The branch's changes to the files a skill is measured with. */
function ownLines({ skill, own }: SkillCheck): readonly string[] {
  if (own === undefined) return [];
  const groups = [...Map.groupBy(own.changed, ({ kind }) => kind)].map(
    ([kind, files]) => `${kind} (${files.map(({ file }) => code(file)).join(", ")})`,
  );
  const said = [`${code(skill)}: This pull request also changes ${groups.join(", ")}.`, baseIsUsed];
  if (own.figures !== undefined) said.push(ownIsUsed);
  if (own.why !== undefined) said.push(`Not measured with these: ${words(ended(own.why))}`);
  return ["", said.join(" ")];
}

const baseIsUsed = "The verdict uses the base commit's versions.";
const ownIsUsed =
  "A second row uses the pull request's versions and isn't a proof; the hosts, programs and spending limits in its config are never used.";

function headline({ checks, failOn }: PullRequestCheck): string {
  const compared = checks.filter((one) => one.kind === "compared");
  const failing = compared.filter(({ fails }) => fails);
  if (failing.length > 0) return `${names(failing)}: refused, as fail-on is ${failOn}`;
  if (compared.length > 0)
    return compared
      .map(({ skill, summary }) => `${code(skill)}: ${verdictWords[summary.verdict].word}`)
      .join("; ");
  if (checks.length === 0) return "No skill differs from the base branch";
  return checks.some(({ kind }) => kind === "not-measured")
    ? "Changed skills weren't measured"
    : "No skill could be compared";
}

const names = (checks: readonly SkillCheck[]): string => checks.map(({ skill }) => code(skill)).join(", ");

function table(rows: readonly Row[]): string {
  const head = [
    "skill",
    "before",
    "after",
    `difference [${levelText} interval]`,
    "verdict",
    "tokens",
    "turns",
    "cost",
  ];
  const cells = rows.map(({ skill, figures, summary, spentNow }) => {
    const { before, after, claim, perRollout, cost } = figures;
    const costs = new Map(perRollout && armCostRows(perRollout).map((row) => [row.name, row]));
    const { sign, word } = summary === undefined ? noProof : verdictWords[summary.verdict];
    return [
      summary === undefined ? `${code(skill)}, with the pull request's own inputs` : code(skill),
      before.score === null ? "" : percent(before.score),
      after.score === null ? "" : percent(after.score),
      claim === undefined ? "" : differenceText(claim),
      `${sign} **${word}**${constantText(claim)}`,
      changeText(costs.get("tokens")),
      changeText(costs.get("turns")),
      `${cost.total?.usd ?? ""}, ${spentNow} now`,
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...cells.map(line)].join("\n");
}

const noProof = { sign: "–", word: "not a proof" };

function differenceText({ difference, interval }: NonNullable<Figures["claim"]>): string {
  const bare = (effect: number) => points(effect).replace(" points", "");
  return `${points(difference)} [${bare(interval.low)}, ${bare(interval.high)}]`;
}

/** The best single text for every task, shown next to a verdict. */
const constantText = (claim: Figures["claim"]): string =>
  claim?.constant?.best === undefined ? "" : ` (best constant answer: ${percent(claim.constant.best.score)})`;

/** `812 → 1,640 (+102%)` */
const changeText = (row: CostRow | undefined): string =>
  row === undefined ? "" : `${row.before} → ${row.after}${row.change === "" ? "" : ` (${row.change})`}`;

/** The evidence for a verdict. */
function details({ skill, figures, summary }: Row): readonly string[] {
  const { lost, perRollout, tasks, trials, run } = figures;
  const rows = perRollout === undefined ? [] : armCostRows(perRollout);
  return [
    // a block of HTML, in which Markdown isn't read
    `<details><summary><code>${escapeXml(flat(skill))}</code>: what this ${summary === undefined ? "second row " : ""}is based on</summary>`,
    "",
    ...(summary === undefined ? [] : [words(summary.sentence)]),
    ...(lost.length === 0
      ? []
      : [
          "",
          `Tasks lost: ${lost.map(({ task, blocks }) => `${code(task)}${blocks ? " (a re-run confirms it)" : ""}`).join(", ")}.`,
        ]),
    "",
    `${tasks} tasks, ${trials} ${trials === 1 ? "trial" : "trials"} per task and version. ${foundableSentence(figures)}`.trim(),
    ...(rows.length === 0
      ? []
      : [
          "",
          "| per rollout | before | after | change | interval |",
          "|---|---|---|---|---|",
          ...rows.map(
            (row) => `| ${row.name} | ${row.before} | ${row.after} | ${row.change} | ${row.interval} |`,
          ),
        ]),
    "",
    `Run ${code(run)}: \`whetstone runs show ${run.slice(0, 8)}\` with the same journal shows every task.`,
    "",
    "</details>",
  ];
}

/** The skills without a comparison, with the reasons. */
function restLines(checks: readonly SkillCheck[]): readonly string[] {
  const named = (kind: SkillCheck["kind"]) =>
    checks.filter((one) => one.kind === kind).map(({ skill }) => code(skill));
  const plain = (
    [
      ["added", "New, so there's nothing to compare with"],
      ["removed", "Removed"],
      ["no-tasks", "Changed, but no tasks were found next to it (a tasks.jsonl there is enough)"],
      ["unchanged", "Unchanged from the base branch"],
    ] as const
  ).flatMap(([kind, words]) => {
    const skills = named(kind);
    return skills.length === 0 ? [] : [`- ${words}: ${listIds(skills)}`];
  });
  const missed = checks.flatMap((one) =>
    one.kind === "not-measured"
      ? [`- Not measured: ${code(one.skill)}: ${words(sentences(one.why, one.could ?? one.next))}`]
      : [],
  );
  const lines = [...missed, ...plain];
  return lines.length === 0 ? [] : ["", ...lines];
}

const sentences = (why: string, next: string | undefined): string =>
  next === undefined || next === "" ? why : `${ended(why)} ${next}`;

/**
 * A name as code, in which GitHub finds no markup and nothing to link or notify, such as @name, #1, addresses and commit ids.
 * The fence is longer than any in the name, and a table's bar is replaced with a look-alike.
 */
function code(name: string): string {
  const text = flat(name).replaceAll("|", "│");
  const fence = "`".repeat(1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)));
  return `${fence}${/^`|`$/.test(text) ? ` ${text} ` : text}${fence}`;
}

/** A sentence that may contain names: plain words and numbers stay, and everything else becomes code. */
const words = (sentence: string): string =>
  flat(sentence)
    .split(" ")
    .map((word) => (isPlain.test(word) ? word : code(word)))
    .join(" ");

// excludes possible commit ids, and words with capitals or signs inside
const isPlain =
  /^(?!["'(]?[\da-fA-F]{7,})["'(]?(?:\p{L}\p{Ll}*(?:['’-]\p{Ll}+)*|[+−-]?\d+(?:[.,]\d+)*%?|[%=→–])[.,:;?!"')]*$/u;

/** One line, without invisible characters. */
const flat = (text: string): string => oneLine(text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")) || "-";
