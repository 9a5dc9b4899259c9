import { type PowerKind, powerWords } from "../core/guard/power.ts";
import { shortId, replacedWords, writtenWords } from "../core/rules/rule-words.ts";
import { remindersFile } from "../core/reminders/reminder.ts";
import type { Review } from "../core/offer/review.ts";
import type { Decision, Rule, Wished } from "../core/rules/rule.ts";
import { whyLeftOut } from "../core/offer/without-effect.ts";
import { oneLine } from "../core/one-line.ts";
import { plural, facts, colors } from "./format.ts";

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
    `${plural(rules.length, "rule")} for ${name}${night === undefined ? "" : ` (${name === remindersFile ? "for the plugin's hook" : `${scope} ${kind}`}), night ${night}`}`,
    ...(gate === "off" ? [colors.yellow("The gate was off: nothing here is verified.")] : []),
    ...(state === "staged"
      ? []
      : [`${colors.yellow(state)}${reason === undefined ? "" : `: ${oneLine(reason)}`}`]),
  ];
}

type Row = readonly [name: string, text: string];

/** One rule: its verdict, its words, and the evidence. */
export function ruleLines(rule: Rule, number: number, columns: number): readonly string[] {
  const { edit, label, status, powers, decision, tokens } = rule;
  const [before, words] = [replacedWords(edit), writtenWords(edit)];
  const isRemoved = words === undefined;
  const paint = status === "proven" || status === "measured" ? colors.green : colors.yellow;
  const leftOut = whyLeftOut(rule);
  const { wish } = rule;
  const rows: readonly Row[] = [
    ...(wish === undefined ? [] : [saidRow(wish)]),
    ...(before === undefined && !isRemoved
      ? []
      : written(isRemoved ? "delete" : "replace", before ?? rule.text)),
    ...(isRemoved
      ? []
      : written(before !== undefined ? "by" : wish === undefined ? "add" : "proposed as", words)),
    ...(wish === undefined ? learnedRows(rule) : wishRows(wish)),
    ...rule.evidence.flatMap((one): readonly Row[] =>
      one.kind === "stops"
        ? [
            ["tested", `made from ${plural(one.madeFrom, "conversation")}, tested on ${one.testedOn} others`],
            ["", "a reminder, not a wall: another spelling passes; the plugin's hook checks it"],
          ]
        : [],
    ),
    ...(tokens <= 0 ? [] : [["costs", `about ${plural(tokens, "token")} in every conversation`] as const]),
    ...powerRows("asks for", powers, "ask"),
    ...powerRows("notes", powers, "note"),
    ...(decision !== undefined
      ? [["decided", deedText(decision)] as const]
      : leftOut === undefined
        ? []
        : [["left out", `${leftOut}, unless you accept it`] as const]),
  ];
  const name = /^\d+$/.test(rule.id) ? "Rule" : `${number}.`;
  return [`${name} ${colors.bold(shortId(rule))}  ${paint(label)}`, ...facts(rows, columns)];
}

function deedText(decision: Decision): string {
  if (decision.deed === "accept") return "accepted by you";
  if (decision.deed === "drop") return "dropped by you";
  if (decision.deed === "reject") return `rejected by you: ${oneLine(decision.reason)}`;
  return decision.deed === "edit" ? `${quoted(decision.text)} (edited by you)` : `the same as ${decision.as}`;
}

const powerRows = (
  name: string,
  powers: Rule["powers"],
  rank: Rule["powers"][number]["rank"],
): readonly Row[] =>
  powers
    .filter((power) => power.rank === rank)
    .map(({ kind, item }, at) => [
      at === 0 ? name : "",
      kind === "not-looked-at"
        ? "permissions not checked, as no model gave a usable answer: read it, then pass --acknowledge not-looked-at"
        : `${powerWords[kind as PowerKind] ?? kind}: ${oneLine(item)}`,
    ]);

const written = (name: string, words: string): readonly Row[] =>
  words.split("\n").map((line, at) => [at === 0 ? name : "", line.trimEnd()]);

/** The person's own words, with days and agents. */
function saidRow({ sentence, said }: Wished): Row {
  const agents = [...Map.groupBy(said, ({ agent }) => agent)].map(([agent, own]) => `${agent} ${own.length}`);
  const last = said.findLast(({ text }) => text !== "");
  const when = agents.length > 1 ? sentence.replace(/\.$/, ` (${agents.join(", ")}).`) : sentence;
  return ["you said", last === undefined ? when : `${quoted(last.text)}. ${when}`];
}

/** One example: what was asked, done and said, and what happens with the rule. */
function wishRows({ wordings, example, memory = [], sameAs }: Wished): readonly Row[] {
  return [
    ...(example === undefined
      ? []
      : [
          [example.date, `you asked: ${quoted(example.asked)}`] as const,
          ["", `${example.agent} did: ${quoted(example.did)}`] as const,
          ["", `you said: ${quoted(example.said)}`] as const,
          ...(example.withRule === undefined
            ? []
            : ([
                ["with it", `asked: ${quoted(example.withRule.asked)}`],
                ["", `it does: ${quoted(example.withRule.did)}`],
              ] as const)),
        ]),
    ...wordings.map((text, at) => [at === 0 ? "or" : "", `${quoted(text)} (your own words)`] as const),
    ...memory.map((text, at) => [at === 0 ? "memory" : "", oneLine(text, 300)] as const),
    ...sameAs.map(({ wish, text }, at) => [at === 0 ? "the same?" : "", `${wish} ${quoted(text)}`] as const),
  ];
}

function learnedRows({ provenance: { conversations, tasks } }: Rule): readonly Row[] {
  return [
    ...conversations.map(
      ({ source, date, words }, at) =>
        [at === 0 ? "from" : "", [`${source}, ${date}`, ...words.map(quoted)].join(" ")] as const,
    ),
    ...(tasks.length === 0 ? [] : [["tasks", tasks.join(", ")] as const]),
  ];
}

const quoted = (text: string): string => `"${oneLine(text, 200)}"`;

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
