import { isTooLong, type Pending, type Scored } from "../tasks/outcome.ts";
import type { Context } from "../context.ts";
import { WhetstoneError } from "../errors.ts";
import type { Role } from "../ports/model.ts";
import type { Task } from "../tasks/task.ts";
import { type ReplyProblem, explainReply } from "../unusable-reply.ts";
import type { Rolled } from "../stages/rollout.ts";

/** From this share on, unusable replies say nothing about the skill; one or two of them say nothing about a share. */
const [hopeless, fewest] = [0.9, 3];

/** Stops the run if nearly all replies of the target are unusable: more of them would only cost money. */
export function checkReplies(rolled: readonly Rolled[], context: Context, share = hopeless): void {
  const found = rolled.flatMap(({ outcome }) => problemOf(outcome) ?? []);
  if (found.length < Math.max(share * rolled.length, fewest)) return;
  throw unusableReplies("target", found, rolled.length, context, firstMessage(rolled));
}

/** The error for a run whose replies are unusable. */
export function unusableReplies(
  role: Exclude<Role, "judge">,
  found: readonly ReplyProblem[],
  all: number,
  { models, agent, settings }: Pick<Context, "models" | "agent" | "settings">,
  /** The provider's message about prompts that are too long. */
  said = "",
): WhetstoneError {
  const counts = [...Map.groupBy(found, (problem) => problem)]
    .map(([problem, { length }]) => ({ problem, length }))
    .toSorted((a, b) => b.length - a.length);
  const [first = { problem: "empty" as const }] = counts;
  const { next } = explainReply(first.problem, { role, isAgent: agent !== undefined, settings });
  const what = counts.map(({ problem, length }) => `${length} ${problemWords[problem]}`).join(", ");
  return new WhetstoneError(
    "replies-unusable",
    `${found.length} of ${all} replies of ${models[role]} (${role}) can't be used: ${what}. ${said}`.trim(),
    {
      hint:
        role === "target" || first.problem === "too-long"
          ? `${next} Then run the same command again: results that are still valid aren't paid for twice.`
          : `Run the same command again to retry. If the replies don't improve: ${next}`,
    },
  );
}

/** Words that follow a number. */
const problemWords: Readonly<Record<ReplyProblem, string>> = {
  cut: "cut off at the token limit",
  empty: "empty",
  "too-long": "refused because the prompt is too long",
  filtered: "stopped by the provider's filter",
  unparsable: "not the requested JSON",
};

/** The problem of the reply behind an outcome. */
function problemOf(outcome: Scored | Pending): ReplyProblem | undefined {
  if (outcome.kind === "pending") return isTooLong(outcome) ? "too-long" : undefined;
  return outcome.reply === "refused" ? "filtered" : outcome.reply;
}

/** Tasks whose prompts fit the model: only they can measure anything. */
export const fittingTasks = (rolled: readonly Rolled[], isUnfit = isTooLong): readonly Task[] => {
  const unfit = new Set(rolled.filter(({ outcome }) => isUnfit(outcome)).map(({ task }) => task.id));
  return [...new Set(rolled.map(({ task }) => task))].filter(({ id }) => !unfit.has(id));
};

const firstMessage = (rolled: readonly Rolled[]): string =>
  rolled.flatMap(({ outcome }) =>
    outcome.kind === "pending" && isTooLong(outcome) ? [outcome.cause.message] : [],
  )[0] ?? "";
