import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { type ReplyProblem, explainReply } from "../unusable-reply.ts";

export interface UnusableFind {
  /** Of the unit. */
  readonly key: string;
  readonly problem: ReplyProblem;
  /** The provider's or the parser's words. */
  readonly said?: string;
  /** Ids of tasks that it is about. */
  readonly tasks?: readonly string[];
}

/** A reply that cannot be used is news, wherever it comes. */
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
