import type { MeasuredRule } from "../core/rules/rule-table.ts";
import { priceText, ruleWords, stepLook, unkeptSentence, worthText } from "../core/verdict-words.ts";
import { swapPhrases } from "../core/swap-words.ts";
import { helpsText, isRulesGate, measuredRules, ruleLine, sortRules } from "./measured-rules.ts";
import { describeModels } from "../core/describe-models.ts";
import { percent } from "../core/measure/percent.ts";
import type { Stage } from "../core/place.ts";
import { levelText } from "../core/shown-level.ts";
import { formatUsd } from "../core/work/spend.ts";
import { addCost, noCost } from "../core/cost.ts";
import { armCostNote, armCostRows } from "./arm-cost-rows.ts";
import { duration, plural } from "./format.ts";
import type { Estimate, RunReport, TaskFlag } from "./model.ts";
import { valCurve } from "./val-curve.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** A report as a page of text: verdict first, then the curve, the change, the steps and the bill. */
export function markdownReport(report: RunReport): string {
  const { overview } = report;
  const sections = [
    `# Whetstone: ${overview.command} ${overview.id}`,
    headline(overview),
    facts(report),
    ...section("What a rollout takes", armCostTable(report)),
    ...section("Score on val", curve(report)),
    ...section("What changed", changes(report)),
    ...section("Steps", stepTable(report)),
    ...section("Rules", measuredTables(report) ?? ruleTable(report)),
    ...section("Tasks", taskLines(report)),
    ...section("Cost", costTable(report)),
    ...section("Replies that could not be used", replyTable(report)),
    ...section("Failed calls", failureTable(report)),
  ];
  return `${sections.join("\n\n")}\n`;
}

const section = (title: string, body: string | undefined): readonly string[] =>
  body === undefined ? [] : [`## ${title}\n\n${body}`];

function headline({ status, sentence, next }: RunReport["overview"]): string {
  if (status === "stopped")
    return `**Stopped.** ${cell(sentence)}${next === undefined ? "" : `\n\nNext: ${cell(next)}`}`;
  return status === "running" ? `**Not finished.** ${cell(sentence)}` : `**${cell(sentence)}**`;
}

function facts({ overview, sealed, baselines }: RunReport): string {
  const { models, hosts, tasks, cost, workedMs } = overview;
  const splits = Object.entries(tasks).flatMap(([split, count]) => (count > 0 ? [`${count} ${split}`] : []));
  return table(
    ["", ""],
    [
      ...(sealed?.best === undefined
        ? []
        : [
            [
              "measured",
              `${spell(sealed.original)} → ${spell(sealed.best)}, ${plural(sealed.original.tasks, "task")}, ${plural(sealed.trials, "trial")} each`,
            ],
            [
              "tasks",
              `${sealed.wins} up, ${sealed.losses} down, ${sealed.ties} equal${sealed.leftOut === undefined ? "" : `, ${sealed.leftOut} left out`}`,
            ],
          ]),
      ...(sealed?.constant === undefined ? [] : [["best constant answer", percent(sealed.constant.score)]]),
      ...(baselines?.noSkill == null ? [] : [["no skill", spell(baselines.noSkill)]]),
      ...(baselines?.oneShot == null ? [] : [["one-shot rewrite", spell(baselines.oneShot)]]),
      ["models", describeModels(models, hosts)],
      ...(splits.length === 0 ? [] : [["tasks", splits.join(", ")] as const]),
      ["cost", `${formatUsd(cost.nanoUsd)}, ${plural(cost.calls, "call")}, ${cost.tokens} tokens`],
      ["time", duration(workedMs)],
    ],
  );
}

const spell = ({ value, low, high }: Estimate): string =>
  `${percent(value)} (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`;

function armCostTable({ sealed }: RunReport): string | undefined {
  if (sealed?.perRollout === undefined) return undefined;
  const rows = armCostRows(sealed.perRollout).map(({ name, before, after, change, interval }) => [
    name,
    before,
    after,
    change,
    interval,
  ]);
  return `${table(["", "before", "after", "change", "interval"], rows)}\n\n${armCostNote(sealed.perRollout)}`;
}

const barWidth = 40;

/** One bar per step for the current skill: what is sure, and how far the interval reaches. */
function curve({ baseline, steps, end, overview, settings }: RunReport): string | undefined {
  if (steps.length === 0) return undefined;
  const points = valCurve({ baseline: baseline?.value, steps, end, tasks: overview.tasks.val });
  if (points.length < 2) return undefined;
  const lines = points.map(({ name, estimate, action }) =>
    `${name.padStart(4)}  ${bar(estimate)}  ${percent(estimate.value).padStart(7)}  ${name === "end" ? "" : stepLook(action, isRulesGate(settings)).word}`.trimEnd(),
  );
  const note =
    "The current skill after each step. █ to the low end of the 95% interval, ▒ to its high end. Val guides the search; only a sealed test is a claim.";
  return `${fenced("text", ["step", ...lines].join("\n"))}\n\n${note}`;
}

function bar({ low, high }: Estimate): string {
  const [sure, reach] = [Math.round(low * barWidth), Math.round(high * barWidth)];
  return "█".repeat(sure) + "▒".repeat(reach - sure) + "░".repeat(barWidth - reach);
}

/** Original against best. */
function changes({ versions }: RunReport): string | undefined {
  const [original] = versions;
  const best = versions.findLast(({ isBest }) => isBest);
  if (original === undefined || best === undefined) return undefined;
  const paths = new Set([...Object.keys(original.files), ...Object.keys(best.files)]);
  const diffs = [...paths]
    .toSorted()
    .map((path) =>
      unifiedDiff({ path, before: original.files[path] ?? null, after: best.files[path] ?? null }),
    );
  const diff = diffs.join("").trimEnd();
  return diff === "" ? undefined : fenced("diff", diff);
}

function stepTable({ steps, settings, end }: RunReport): string | undefined {
  if (steps.length === 0) return end?.sentence;
  const rows = table(
    ["step", "", "val", "edits", "what the gate said"],
    steps.map(({ step, action, incumbent, applied, refused, reason }) => [
      String(step),
      stepLook(action, isRulesGate(settings)).word,
      incumbent === undefined ? "" : percent(incumbent),
      `${applied}${refused === 0 ? "" : `, ${refused} refused`}`,
      reason,
    ]),
  );
  return end === undefined ? rows : `${rows}\n\n${cell(end.sentence)}`;
}

function ruleTable({ rules }: RunReport): string | undefined {
  if (rules.length === 0) return undefined;
  return table(
    ["rule", "step", "asked for by", "tokens", "val"],
    rules.map(({ text, op, step, evidence, tokens, before, after, fate, worth }) => [
      `${op === "delete" && fate === undefined ? "removed: " : ""}${fate === undefined ? "" : `${fate}: `}${text}`,
      step === 0 ? "" : String(step),
      fate === undefined ? plural(evidence.length, "task") : "",
      String(tokens),
      worth === undefined
        ? before === undefined || after === undefined
          ? ""
          : `${percent(before)} → ${percent(after)}`
        : `worth ${spell(worth)}`,
    ]),
  );
}

/** What each rule is worth, the best first; then what was tried and is not in the text. */
function measuredTables({ summary }: RunReport): string | undefined {
  const found = measuredRules(summary);
  if (found === undefined || found.rules.length === 0) return undefined;
  const { kept, out } = sortRules(found.rules);
  const hasPrice = found.rules.some(({ price }) => price !== undefined);
  const figures = (rule: MeasuredRule) => [
    ...(rule.rollouts === 0 ? ["not measured", ""] : [worthText(rule), helpsText(rule)]),
    String(rule.tokens),
    ...(hasPrice ? [priceText(rule.price)] : []),
    `${rule.rollouts} of ${rule.ofRollouts}`,
  ];
  const names = (ids: readonly string[]) =>
    ids.length > 5 ? `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more` : ids.join(", ");
  const head = [
    "no.",
    "rule",
    `points on val (${levelText} interval)`,
    "helps",
    "tokens",
    ...(hasPrice ? ["more in a rollout"] : []),
    "rollouts",
  ];
  return [
    ...(kept.length === 0
      ? []
      : [
          table(
            [...head, "asked for by"],
            kept.map((rule) => [String(rule.rule), ruleLine(rule), ...figures(rule), names(rule.evidence)]),
          ),
          ...swapList(kept),
          "Points are what a rule brings, by the model that every val rollout feeds. Only a sealed test is a claim.",
        ]),
    ...(out.length === 0
      ? []
      : [
          unkeptSentence(out),
          table(
            [...head, "why it is not in it"],
            out.map((rule) => [
              String(rule.rule),
              ruleLine(rule),
              ...figures(rule),
              `${ruleWords[rule.state].word}: ${rule.reason}`,
            ]),
          ),
        ]),
  ].join("\n\n");
}

function swapList(rules: readonly MeasuredRule[]): readonly string[] {
  const lines = rules.flatMap((rule) => {
    const phrases = swapPhrases(rule);
    return phrases.length === 0 ? [] : [`- Rule ${rule.rule}: ${cell(phrases.join("; "))}.`];
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

const shownTasks = 20;

function taskLines({ tasks }: RunReport): string | undefined {
  const flagged = (flag: TaskFlag) => tasks.filter(({ flags }) => flags.includes(flag)).map(({ id }) => id);
  const lines = (
    [
      ["regressed", "passed more often with the original"],
      ["improved", "passes more often with the best skill"],
      ["flaky", "trials of one version differ"],
      ["always-fails", "fails under every version"],
    ] as const
  ).flatMap(([flag, words]) => {
    const ids = flagged(flag);
    if (ids.length === 0) return [];
    const more = ids.length > shownTasks ? `, and ${ids.length - shownTasks} more` : "";
    return [`- ${flag} (${words}): ${ids.length}. ${cell(ids.slice(0, shownTasks).join(", "))}${more}`];
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

function costTable({ costs }: RunReport): string | undefined {
  if (costs.length === 0) return undefined;
  const rows = costs.map(({ role, stage, cost }) => costRow(role, stage, cost));
  const total = costs.map(({ cost }) => cost).reduce(addCost, noCost);
  return table(["role", "stage", "USD", "calls", "tokens"], [...rows, costRow("all", "", total)]);
}

const costRow = (role: string, stage: Stage | "", { nanoUsd, calls, tokens }: typeof noCost) => [
  role,
  stage,
  formatUsd(nanoUsd),
  String(calls),
  String(tokens),
];

function replyTable({ replies = [] }: RunReport): string | undefined {
  if (replies.length === 0) return undefined;
  return table(
    ["role", "reply", "replies", "what came last", "next"],
    replies.map(({ role, reply, count, message, next }) => [role, reply, String(count), message, next]),
  );
}

function failureTable({ failures }: RunReport): string | undefined {
  if (failures.length === 0) return undefined;
  return table(
    ["class", "calls", "last message"],
    failures.map(({ class: name, count, message }) => [name, String(count), message]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** Nothing in a text may become a cell, a line or a tag of its own. */
const cell = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** A fence longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
