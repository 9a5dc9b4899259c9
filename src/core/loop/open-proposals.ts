import { exclusiveWith } from "../rules/rule-spans.ts";
import { type Change, type SearchRule, wordsOfRule, ruleTokens, ruleFile } from "../rules/search-rule.ts";
import { type NewEdit, areExclusive, openRules, worthOf } from "../rules/rule-search.ts";
import { saysAllOf } from "../rules/same-rule.ts";
import type { Edit } from "../skill/edit.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { TriedEdit, TriedStep } from "../stages/optimizer-text.ts";
import { oneLine } from "../one-line.ts";
import { points } from "../measure/percent.ts";
import { nameRules } from "../search-words.ts";
import type { GateInput, Standing } from "./gate.ts";
import { whyGivenUp } from "./make-rule-table.ts";
import { type SearchKnowledge, isMeasured, isUnwanted, seemsToHarm } from "./measure-rules.ts";

/** Accepts proposed changes as rules to measure. Repetitions count as the same rule. */
export function openProposals(input: GateInput<SearchKnowledge>): SearchKnowledge {
  const { changes, within = changes.length, on, step, standing } = input;
  const { known } = standing;
  let { rules, repeated } = known;
  const opened: NewEdit[] = [];
  const inSearch = new Set(known.search.open);
  const isIn = ({ number }: SearchRule) => on.includes(number);
  const surplus = new Set(changes.filter(({ kind }) => kind === "edit").slice(within));
  for (const proposed of changes) {
    const number = rules.length + repeated.length + 1;
    const evidence = proposed.kind === "edit" ? proposed.edit.evidence : [];
    const beside = rules.filter(isIn);
    const rule: SearchRule = { number, step, ...standAlone(proposed, beside), evidence };
    const same = findSame(rule, known.base, rules);
    if (same !== undefined) {
      repeated = [...repeated, { rule, ...(same.of === undefined ? {} : { of: same.of }) }];
      rules = rules.map((one) =>
        one.number === same.of ? { ...one, evidence: [...new Set([...one.evidence, ...evidence])] } : one,
      );
      continue;
    }
    const others = rules.filter((one) => inSearch.has(one.number));
    const levels = others.filter((one) => rule.levelOf !== undefined && rootOf(one) === rule.levelOf);
    const clashing = exclusiveWith(rule, others, known.base);
    const excludes = [...new Set([...levels.map((one) => one.number), ...clashing])];
    rules = [...rules, rule];
    inSearch.add(number);
    const [tokens, source] = [ruleTokens(rule, known.base), sourceOf(proposed)];
    opened.push({ rule: number, tokens, source, isSurplus: surplus.has(proposed), excludes });
  }
  return { ...known, rules, repeated, search: openRules(known.search, opened) };
}

/** Rules from one source are worth about the same. */
const sourceOf = (change: Change): string =>
  change.kind === "edit" ? (change.edit.source ?? "person") : (change.region ?? "rewrite");

const rootOf = ({ number, levelOf }: SearchRule): number => levelOf ?? number;

/** A change to the words of another rule becomes a level of that rule. A new text contains everything it was made from. */
function standAlone(change: Change, beside: readonly SearchRule[]): Pick<SearchRule, "change" | "levelOf"> {
  if (change.kind === "text")
    return {
      change: change.region === undefined ? { ...change, holds: beside.map((one) => one.number) } : change,
    };
  const { op, target = "", content = "" } = change.edit;
  if (op !== "replace" && op !== "delete") return { change };
  for (const other of beside) {
    if (other.change.kind !== "edit") continue;
    const { edit } = other.change;
    const own = edit.content ?? "";
    if (edit.file !== change.edit.file || !own.includes(target.trim())) continue;
    const { evidence, source } = change.edit;
    const now = own.replace(target.trim(), () => (op === "delete" ? "" : content.trim()));
    return {
      change: { kind: "edit", edit: { ...edit, content: now, evidence, source } },
      levelOf: rootOf(other),
    };
  }
  return { change };
}

/** Finds an earlier rule, or a place in the skill, that already says it. */
function findSame(
  rule: SearchRule,
  base: Skill,
  rules: readonly SearchRule[],
): { readonly of?: number } | undefined {
  const text = wordsOfRule(rule);
  // nothing would be left of the other rule, which is measured anyway
  if (text === "") return { of: rule.levelOf };
  const isLike = (one: SearchRule) => addsWords(one) === addsWords(rule) && isDelete(one) === isDelete(rule);
  const same = rules.find((one) => isLike(one) && saysAllOf(wordsOfRule(one), text));
  if (same !== undefined) return { of: same.number };
  if (!addsWords(rule)) return undefined;
  // guidance may have many lines, and adds nothing if each of them was said before
  const saying = linesOf(text).map((line) => {
    const isSaid = (words: string) => linesOf(words).some((other) => saysAllOf(other, line));
    const by = rules.find((one) => one.change.kind === "edit" && addsWords(one) && isSaid(wordsOfRule(one)));
    if (by !== undefined) return { of: by.number };
    return isSaid(base.files[ruleFile(rule, base)] ?? mainText(base)) ? {} : undefined;
  });
  return saying.includes(undefined) ? undefined : (saying.find((one) => one?.of !== undefined) ?? saying[0]);
}

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");

const addsWords = ({ change }: SearchRule): boolean =>
  change.kind === "edit"
    ? change.edit.op === "append" || change.edit.op === "insert_after"
    : change.region !== undefined;

/** Whether the rule only removes its words. */
const isDelete = ({ change }: SearchRule): boolean => change.kind === "edit" && change.edit.op === "delete";

/** The proposers' view: each rule's worth and fate, and the findings of steps whose rules aren't all in the skill. */
export function recallRules(
  tried: readonly TriedStep[],
  { known, current: { rules: held = [] } }: Standing<SearchKnowledge>,
): readonly TriedStep[] {
  const steps = [...new Set([...known.rules, ...tried].map(({ step }) => step))].toSorted((a, b) => a - b);
  return steps.map((step) => {
    const rules = known.rules.filter((rule) => rule.step === step);
    const seen = tried.find((one) => one.step === step) ?? { step, patterns: [], edits: [] };
    const isSettled = rules.length > 0 && rules.every(({ number }) => held.includes(number));
    return {
      ...seen,
      patterns: isSettled && seen.edits.length === 0 ? [] : seen.patterns,
      edits: [...rules.flatMap((rule) => toldRule(rule, held, known)), ...seen.edits],
    };
  });
}

function toldRule(
  { number, change }: SearchRule,
  held: readonly number[],
  known: SearchKnowledge,
): readonly TriedEdit[] {
  if (change.kind === "text" && change.region !== "slow-update") return [];
  const isGuidance = change.kind === "text";
  const edit: Edit = isGuidance ? { op: "append", content: change.text, evidence: [] } : change.edit;
  const fate = `${isGuidance ? "guidance, " : ""}${fateOf(number, held, known)}`;
  // the skill shows the rest of its words
  const content = edit.content && held.includes(number) ? oneLine(edit.content, 80) : edit.content;
  return [{ ...edit, content, rule: number, fate }];
}

function fateOf(rule: number, held: readonly number[], known: SearchKnowledge): string {
  const { search } = known;
  const worth = points(worthOf(search, rule).mean);
  const soFar = isMeasured(known, rule) ? `${worth} so far` : "not measured yet";
  if (held.includes(rule)) return `in the skill, ${soFar}`;
  if (search.givenUp.includes(rule)) return `given up, ${worth}: ${whyGivenUp(search, rule)}`;
  const rivals = held.filter((one) => areExclusive(search, one, rule));
  if (rivals.length > 0)
    return `left out: it changes the same words as ${nameRules(rivals)}, and only one can stay`;
  if (isUnwanted(known, rule)) return `left out, ${soFar}: a later edit would delete it`;
  return `left out, ${soFar}: ${seemsToHarm(known, rule) ? "it seems to harm" : "the text has no room for it"}`;
}
