import type { Task } from "../../core/tasks/task.ts";
import type { Consolidation } from "./consolidate.ts";
import { sumEvidence, sumsText } from "../../core/rules/evidence/evidence-words.ts";
import type { NightInput, NightRoll, TaskDiagnostic } from "./night-types.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { plural } from "../../core/plural.ts";

interface NightFacts {
  readonly input: NightInput;
  readonly nights: readonly Consolidation[];
  /** The rules after the night. */
  readonly rules: readonly LearnedRule[];
  readonly callError: string | undefined;
}

/** Why a night learned nothing, in one sentence; undefined when it did. */
export function whyNothingLearned({ input, nights, rules, callError }: NightFacts): string | undefined {
  const before = new Map(input.rules.map((rule) => [rule.id, rule]));
  const changed = rules.filter((rule) => before.get(rule.id) !== rule);
  const now = (status: LearnedRule["status"]) =>
    changed.filter((rule) => rule.status === status && before.get(rule.id)?.status !== status);
  const isUnverified = input.settings.gate === "off" && now("open").length > 0;
  if (now("proven").length > 0 || now("stated").length > 0 || isUnverified) return undefined;

  const tried = changed.filter((rule) => rule.evidence.length > (before.get(rule.id)?.evidence.length ?? 0));
  const open = tried.filter(({ status }) => status === "open");
  if (open.length > 0) {
    return `${plural(open.length, "rule")} ${open.length === 1 ? "is" : "are"} undecided: ${measuredText(open)} so far. Proof needs more tasks.`;
  }
  const given = tried.filter(({ status }) => status === "rejected" || status === "dropped");
  if (given.length > 0) return `The gate rejected ${plural(given.length, "rule")}: ${measuredText(given)}.`;

  const outcomes = nights.flatMap(({ rolls }) =>
    rolls.map(({ split, rolled: { task, outcome } }) => ({ split, task: task.id, outcome })),
  );
  const failed = outcomes.filter(({ outcome }) => outcome.kind === "pending").length;
  if (failed > 0)
    return `${failed} of ${plural(outcomes.length, "result")} ${failed === 1 ? "is" : "are"} missing because calls failed: ${callError ?? "no reason was given"}.`;
  return diagnoseProposals(nights, changed, outcomes);
}

function diagnoseProposals(
  nights: readonly Consolidation[],
  changed: readonly LearnedRule[],
  outcomes: readonly {
    readonly split: NightRoll["split"];
    readonly task: string;
    readonly outcome: NightRoll["rolled"]["outcome"];
  }[],
): string {
  const practised = outcomes.filter(({ split }) => split === "train");
  const waiting = changed.filter(({ status }) => status === "open");
  const refused = changed.filter(({ status }) => status === "refused");
  const unmatched = nights.flatMap((one) => one.unmatched);
  const proposed = nights.reduce((sum, one) => sum + one.proposed, 0);
  if (waiting.length > 0)
    return `${plural(waiting.length, "rule")} couldn't be tested, because no task of its habit came from another conversation.`;
  const reason = refused[0]?.reason ?? unmatched[0]?.reason;
  const turnedDown = refused.length + unmatched.length;
  if (reason !== undefined) {
    return turnedDown === 1
      ? `The only proposed edit was refused: ${reason}`
      : `All ${turnedDown} proposed edits were refused; the first: ${reason}`;
  }
  if (practised.length === 0) return "No tasks were available to practise on.";
  if (practised.every(({ outcome }) => outcome.kind === "scored" && outcome.hard >= 1))
    return `Every attempt at the ${plural(new Set(practised.map(({ task }) => task)).size, "train task")} passed already.`;
  return proposed === 0
    ? "Some train tasks failed, but the optimizer proposed no usable edit."
    : "All proposals were already known.";
}

/** `0 of 6 → 4 of 6 on 2 of your tasks`, over all rules. */
const measuredText = (rules: readonly LearnedRule[]): string =>
  sumsText(sumEvidence(rules.flatMap(({ evidence }) => evidence)));

const headLength = 200;

/** The result of every task and trial. */
export const taskDiagnostics = (document: string, rolls: readonly NightRoll[]): readonly TaskDiagnostic[] =>
  rolls.map(({ split, trial, holds, rolled: { task, outcome } }) => {
    const response =
      outcome.kind === "scored"
        ? (outcome.conversation.findLast(({ role }) => role === "assistant")?.content ?? "")
        : "";
    return {
      document,
      task: task.id,
      split,
      holds,
      trial,
      check: checkKind(task),
      hard: outcome.kind === "scored" ? outcome.hard : null,
      soft: outcome.kind === "scored" ? outcome.soft : null,
      responseLength: response.length,
      responseHead: response.slice(0, headLength),
      why: outcome.kind === "scored" ? outcome.feedback : outcome.cause.message,
    };
  });

const checkKind = ({ answers = [], checks = [] }: Task): string =>
  answers.length > 0 ? "answers" : [...new Set(checks.map(({ kind }) => kind))].join(", ");
