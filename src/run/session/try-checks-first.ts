import { commandKind } from "../../core/work/unit-kinds.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { memo } from "../../core/work/memo.ts";
import type { ScoringTools } from "../../core/scorers/performance.ts";
import {
  type Tried,
  blocksClaim,
  describeDegenerate,
  tryDegenerate,
} from "../../core/scorers/try-degenerate.ts";
import type { Task } from "../../core/tasks/task.ts";

/** Before a claim, and before any call: checks that a degenerate answer passes can't carry a claim. */
export async function tryChecksFirst(
  tasks: readonly Task[],
  resolved: Resolved,
  context: Context,
): Promise<void> {
  const place: Place = { role: "target", step: 0, stage: "preflight" };
  const command: ScoringTools["command"] = async (request) => {
    const draw = { purpose: "calibrate", trial: 0 } as const;
    const { output } = await memo(commandKind.unit(request, draw), place, context);
    return commandKind.readOutput(output);
  };
  const { degenerate } = await tryChecks(tasks, resolved, {
    custom: context.customScorers,
    aside: context.scoreAside,
    // journals of an earlier version don't have graders' results on such answers
    ...(resolved.offline ? {} : { command }),
  });
  const blocking = degenerate.filter(blocksClaim);
  if (blocking.length === 0) return;
  const names = blocking.map(({ check }) => `--waive ${/\s/.test(check) ? `"${check}"` : check}`);
  throw new WhetstoneError(
    "checks-degenerate",
    `No claim can rest on these checks, because an uninformed answer passes them. ${blocking.map((found) => `${describeDegenerate(found)}.`).join(" ")}`,
    {
      hint: `Add checks that only a good answer passes; \`whetstone doctor evals\` names the tasks. If this is intended, add ${names.join(" ")} (\`waive\` in the config). No calls were made.`,
    },
  );
}

/** Tries degenerate answers on tasks that are scored by their own checks. Other environments score in their own way. */
export async function tryChecks(
  tasks: readonly Task[],
  { environment, settings, waive = [] }: Resolved,
  tools: ScoringTools,
): Promise<Tried> {
  if (environment.throughContext !== true || settings.track !== "body") return { degenerate: [], slow: [] };
  return tryDegenerate(tasks, tools, waive);
}
