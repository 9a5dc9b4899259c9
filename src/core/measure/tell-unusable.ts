import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ReplyProblem, explainReply } from "../unusable-reply.ts";

export interface UnusableFind {
  /** The unit's key. */
  readonly key: string;
  readonly problem: ReplyProblem;
  /** The provider's or the parser's words. */
  readonly said?: string;
  /** Ids of the tasks concerned. */
  readonly tasks?: readonly string[];
}

/** Reports an unusable reply, wherever it occurs. */
export function tellUnusable(
  { key, problem, said, tasks }: UnusableFind,
  { role, step, stage }: Place,
  context: Pick<Context, "emit" | "agent" | "settings">,
): void {
  const { agent, settings, emit } = context;
  const explained = explainReply(problem, { role, isAgent: agent !== undefined, settings }, said);
  const about = tasks === undefined ? {} : { tasks };
  emit({ type: "reply-unusable", key, role, step, stage, ...explained, ...about });
}
