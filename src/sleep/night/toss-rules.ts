import type { Context } from "../../core/context.ts";
import { type Toggle, planTosses } from "../../core/rules/evidence/plan-tosses.ts";
import { rollTosses } from "./roll-tosses.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { wordingKey } from "../../core/rules/learned/judge-rules.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { type Wish, conversationsOf } from "../wishes/wish.ts";
import type { DocumentTasks, NightRoll, NightSettings } from "./night-types.ts";

interface TossRulesInput {
  readonly night: string;
  readonly step: number;
  readonly document: Document;
  readonly tasks: DocumentTasks;
  /** The rules of all documents, of any status. */
  readonly known: readonly LearnedRule[];
  readonly wishes: readonly Wish[];
  readonly settings: NightSettings;
}

interface TossedRules {
  /** The rules with tonight's evidence; nothing is decided yet. */
  readonly rules: readonly LearnedRule[];
  /** Ids of rules that must not be proven tonight. */
  readonly unsafe: ReadonlySet<string>;
  readonly rolls: readonly NightRoll[];
}

/** Measures the document's undecided rules together, in the same rollouts. */
export async function tossRules(
  rules: readonly LearnedRule[],
  input: TossRulesInput,
  context: Context,
): Promise<TossedRules> {
  const { night, step, document, tasks, settings } = input;
  // don't measure removals: their tasks ask for things that the person no longer wants
  const waiting = rules.filter(
    ({ status, wish, edit }) =>
      (status === "open" || status === "stated") && (wish === undefined || edit.op !== "delete"),
  );
  const toggles = waiting.map((rule) => toggleOf(rule, input));
  const tossing = new Set(waiting.map(wordingKey));
  const plan = planTosses(
    {
      toggles,
      others: [
        ...new Map([...input.known, ...rules].map((rule) => [wordingKey(rule), rule])).values(),
      ].filter((rule) => !tossing.has(wordingKey(rule))),
      tasks: uniqueTasks([...tasks.train, ...tasks.val, ...(tasks.earlier ?? [])]),
    },
    { mostOpen: settings.maxOpenRules, mostTasks: settings.maxTasks, tosses: settings.trials },
  );
  const { evidence, unsafe, rolls } = await rollTosses(
    { ...plan, night, step, document, standing: tasks.regression, tosses: settings.trials },
    context,
  );
  const said = new Map(toggles.map((toggle) => [toggle.id, toggle.said]));
  return {
    rules: rules.map((rule) => {
      const found = evidence.get(rule.id) ?? [];
      if (found.length === 0) return rule;
      return { weight: said.get(rule.id) ?? 1, ...rule, evidence: [...rule.evidence, ...found] };
    }),
    unsafe,
    rolls,
  };
}

function toggleOf(rule: LearnedRule, { wishes, tasks }: TossRulesInput): Toggle {
  const wish = wishes.find(({ id }) => id === rule.wish);
  return {
    ...rule,
    from: rule.provenance.conversations,
    said: wish === undefined ? 1 : conversationsOf(wish).length,
    habit: new Set(wish?.tasks ?? habitOf(rule, wishes, tasks.val)),
  };
}

/**
 * A rule learned from tasks is measured on the val tasks of their wishes, or on all val tasks if they don't belong to any wish.
 */
function habitOf(
  { provenance }: LearnedRule,
  wishes: readonly Wish[],
  val: readonly MinedTask[],
): readonly string[] {
  const ids = val.map(({ task }) => task.id);
  const own = wishes.filter((wish) => wish.tasks.some((task) => provenance.tasks.includes(task)));
  const habit = new Set(own.flatMap((wish) => wish.tasks));
  return habit.size === 0 ? ids : ids.filter((id) => habit.has(id));
}

const uniqueTasks = (tasks: readonly MinedTask[]): readonly MinedTask[] =>
  [...new Map(tasks.toReversed().map((mined) => [mined.task.id, mined])).values()].toReversed();
