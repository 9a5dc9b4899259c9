import type { Performance } from "../scorers/performance.ts";
import type { Task } from "../tasks/task.ts";
import { type Judge, askJudge } from "./ask-judge.ts";
import { pairPrompt, pairText } from "./judge-prompt.ts";

export interface Pair {
  readonly task: Task;
  readonly rubric: string;
  readonly a: Performance;
  readonly b: Performance;
}

export interface Compared {
  readonly better: "a" | "b" | "tie";
  /** The two orders gave different winners, so only the position decided. */
  readonly swayed: boolean;
}

/**
 * Asks which of two performances is better, in both orders. Only a winner of both orders wins.
 *
 * @example
 * const better = async (pair: Pair, judge: Judge) => (await comparePair(pair, judge))?.better ?? "tie";
 */
export async function comparePair({ task, rubric, a, b }: Pair, judge: Judge): Promise<Compared | undefined> {
  const [straight, swapped] = await Promise.all([
    askJudge(pairPrompt, pairText(task, rubric, a, b), judge),
    askJudge(pairPrompt, pairText(task, rubric, b, a), judge),
  ]);
  if (straight === undefined || swapped === undefined) return undefined;
  const winners = [winner(straight.better, "a", "b"), winner(swapped.better, "b", "a")];
  const [one = "tie", other = "tie"] = winners;
  return { better: one === other ? one : "tie", swayed: one !== other && !winners.includes("tie") };
}

const winner = (
  better: "first" | "second" | "tie",
  first: "a" | "b",
  second: "a" | "b",
): Compared["better"] => (better === "tie" ? "tie" : better === "first" ? first : second);
