import type { MeasuredRule, RuleTable } from "../core/rules/rule-table.ts";
import { levelText } from "../core/shown-level.ts";
import { swapPhrases } from "../core/swap-words.ts";
import { priceText, ruleLabel, ruleWords, unkeptSentence, worthText } from "../core/verdict-words.ts";
import { helpsText, ruleLine, sortRules } from "../report/measured-rules.ts";
import { fit, plural, table, breakLine, wrap, colors } from "./format.ts";

/** `runs show --rules` shows the rest. */
const mostRules = 20;
const fewestRules = 4;
/** On narrower terminals a rule's own words wouldn't have enough room. */
const wideColumns = 100;

/**
 * The worth of each kept rule, one line each, best first, then the other rules in one sentence. Keeps to `rows` lines
 * if there is room for at least a few rules.
 */
export function worthLines(
  { rules, isCredit }: RuleTable,
  run: string,
  columns: number,
  rows = Number.POSITIVE_INFINITY,
): readonly string[] {
  const { kept, out } = sortRules(rules);
  // the table's head and the notes below it
  const most = Math.min(Math.max(rows - 4, fewestRules), mostRules);
  const isWide = columns >= wideColumns;
  const hasPrice = kept.some(({ price }) => price !== undefined);
  const head = [
    "no.",
    `points (${levelText} interval)`,
    "helps",
    "tokens",
    ...(hasPrice && isWide ? ["per rollout"] : []),
    ...(isWide ? ["rollouts", "asked by"] : []),
    "rule",
  ];
  const row = (rule: MeasuredRule) => [
    String(rule.rule).padStart(3),
    worthText(rule),
    helpsText(rule),
    String(rule.tokens),
    ...(hasPrice && isWide ? [priceText(rule.price)] : []),
    ...(isWide ? [`${rule.rollouts} of ${rule.ofRollouts}`, plural(rule.evidence.length, "task")] : []),
    ruleLine(rule),
  ];
  const [first = "", ...rest] = table([head, ...kept.slice(0, most).map(row)]);
  const more = kept.length > most ? `${kept.length - most} more in the skill.` : "";
  const credit = isCredit === true && kept.length > 0 ? "Points are partial credit." : "";
  const notes = [more, credit, unkeptSentence(out)].filter((note) => note !== "");
  return [
    ...(kept.length === 0 ? [] : [colors.dim(`  ${first}`), ...rest.map((line) => `  ${line}`)]).map((line) =>
      fit(line, columns),
    ),
    ...(notes.length === 0
      ? []
      : wrap(
          `${notes.join(" ")} \`whetstone runs show ${run.slice(0, 8)} --rules\` shows every rule in full.`,
          columns,
          "  ",
        ).map(colors.dim)),
  ];
}

/** Every rule that was tried, with everything known about it. */
export function wholeWorthLines({ rules }: RuleTable, columns: number): readonly string[] {
  const { kept, out } = sortRules(rules);
  return [...kept, ...out].flatMap((rule) => {
    const { word, tone } = ruleWords[rule.state];
    const paint = tone === "good" ? colors.green : tone === "bad" ? colors.red : colors.dim;
    const indented = (text: string) => breakLine(text, columns - 6).map((line) => `      ${line}`);
    return [
      ...breakLine(`${String(rule.rule).padStart(4)}  ${paint(word)}: ${ruleLabel(rule)}`, columns),
      ...indented(ruleLine(rule)),
      ...[
        ...(rule.price === undefined ? [] : [`${priceText(rule.price)} tokens per rollout`]),
        `${plural(rule.tokens, "token")}, in ${rule.rollouts} of ${rule.ofRollouts} rollouts, from step ${rule.step}`,
        ...swapPhrases(rule),
        ...(rule.evidence.length === 0 ? [] : [`asked for by ${rule.evidence.join(", ")}`]),
        rule.reason,
      ].flatMap((text) => indented(text).map(colors.dim)),
    ];
  });
}
