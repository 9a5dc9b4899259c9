import { findPowers } from "../../core/guard/capability-diff.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import { type Answered, lookAtTexts } from "../../core/offer/look-at-proposal.ts";
import type { Context } from "../../core/context.ts";
import type { Review } from "../../core/offer/review.ts";
import type { Rule } from "../../core/rules/rule.ts";
import { mainText } from "../../core/skill/skill.ts";
import { applyRules, isPromising, isStaged } from "../../core/rules/learned/apply-rules.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { DocumentNight, NightResult } from "./night-types.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import type { PinnedNight } from "./pin-night.ts";
import type { SleepPlace } from "../place.ts";
import { stageProposal } from "../../run/offer/stage.ts";
import type { SleepState } from "../state.ts";
import type { Staged } from "../../core/offer/make-review.ts";
import { reviewWish, wishConversations } from "../wishes/review-wish.ts";
import type { Wish } from "../wishes/wish.ts";
import { dayOf } from "../wishes/wish-words.ts";

/** The summary of a proposal that a person sees first. */
export interface ProposalSummary {
  readonly id: string;
  readonly document: {
    /** `skill:<name>` or `memory:<file name>`, prefixed with `personal:` if it belongs to the person. */
    readonly id: string;
    readonly kind: "skill" | "memory";
    readonly scope: "project" | "personal";
    readonly name: string;
  };
  /** The file or folder that it would change. */
  readonly path: string;
  readonly rules: readonly Pick<Rule, "id" | "text" | "status" | "works" | "label">[];
}

export interface StageNightInput {
  readonly place: SleepPlace;
  readonly pinned: PinnedNight;
  readonly state: SleepState;
  readonly result: NightResult;
  readonly looked: Answered;
  /** Tonight's tasks. */
  readonly tasks: readonly MinedTask[];
  /** The wishes after tonight. */
  readonly wishes: readonly Wish[];
  readonly redactor: Redactor;
  readonly now: () => number;
}

/** Stages one proposal per document for the person. */
export async function stageNight(input: StageNightInput): Promise<readonly ProposalSummary[]> {
  const { place, pinned, result, now } = input;
  const staged: ProposalSummary[] = [];
  for (const one of result.documents) {
    if (one.rules.length === 0) continue;
    const review = await stageProposal({
      journalDir: place.journalDir,
      night: pinned.id,
      document: one.document,
      gate: result.gate,
      rules: await offered(one, input),
      rejected: one.unmatched.map(({ text, reason }) => ({ id: "", text, reason })),
      now,
    });
    if (review !== undefined) staged.push(summarizeProposal(review, one.document));
  }
  return staged;
}

/** Refuses rules that contain a secret. */
async function offered({ document, rules }: DocumentNight, input: StageNightInput) {
  const clean: LearnedRule[] = [];
  for (const rule of rules) {
    const { found } = await input.redactor.redact(textOf(rule));
    clean.push(found.length === 0 ? rule : { ...rule, status: "refused", reason: "It contains a secret." });
  }
  return clean
    .filter((rule) => isOffered(rule, input.result))
    .map((rule) => {
      const proposed = mainText(applyRules(document, [rule]).skill);
      const looked = input.looked(textOf(rule));
      return {
        rule,
        ...originOf(rule, input),
        powers: findPowers(mainText(document.skill), proposed),
        looked,
      };
    });
}

const textOf = ({ edit }: LearnedRule): string => (edit.op === "delete" ? "" : edit.text);

/** Asks one question about all rules that would be offered. */
export const lookAtRules = (result: NightResult, context: Context): Promise<Answered> =>
  lookAtTexts(
    result.documents
      .flatMap(({ rules }) => rules)
      .filter((rule) => isOffered(rule, result) && (rule.status === "open" || isStaged(rule)))
      .map(textOf),
    context,
  );

/** An open rule that hasn't helped yet, or another wording of a wish, is tested further before a person sees it. */
const isOffered = (rule: LearnedRule, { gate }: NightResult): boolean =>
  rule.status !== "open" || (rule.wish === undefined && (gate === "off" || isPromising(rule)));

/** The wish behind a rule, or else the tasks that it was learned from. */
function originOf(rule: LearnedRule, input: StageNightInput): Pick<Staged, "conversations" | "wish"> {
  const { wishes, result } = input;
  const wish = wishes.find(({ id }) => id === rule.wish);
  if (wish === undefined) return { conversations: learnedFrom(rule, input) };
  const answers = result.diagnostics.tasks.filter(({ holds }) => holds.includes(rule.id));
  const tasks = [...input.tasks, ...input.state.archive];
  return { conversations: wishConversations(wish), wish: reviewWish({ wish, wishes, tasks, answers }) };
}

/** The conversations behind a rule, with the person's own words. */
function learnedFrom(
  { provenance }: LearnedRule,
  { pinned, tasks, state }: StageNightInput,
): Rule["provenance"]["conversations"] {
  const called = [...tasks, ...state.archive].filter(({ task }) => provenance.tasks.includes(task.id));
  return provenance.conversations.map((id) => {
    const digest = pinned.conversations.find((one) => one.id === id);
    const at = digest?.endedAt ?? state.conversations.find((one) => one.id === id)?.at;
    const words = called.filter(({ seen }) => seen.includes(id)).flatMap(({ evidence }) => evidence);
    return {
      id,
      source: digest?.source ?? id.slice(0, id.indexOf(":")),
      date: at === undefined ? "an earlier night" : dayOf(at),
      words: [...new Set(words)].slice(0, 3),
    };
  });
}

export const summarizeProposal = (
  { id, rules }: Review,
  { path, ...document }: Document,
): ProposalSummary => ({
  id,
  document: { id: document.id, kind: document.kind, scope: document.scope, name: document.name },
  path,
  rules: rules.map(({ id: rule, text, status, works, label }) => ({ id: rule, status, works, text, label })),
});
