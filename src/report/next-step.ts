import type { RunCommand } from "../core/events.ts";
import type { ArmCosts } from "../core/measure/arm-costs.ts";
import type { PruneVerdict } from "../core/rules/prune/prune-sentence.ts";
import {
  type ClaimWord,
  type ComparedFacts,
  keepsObjective,
  missingStep,
  nextStep,
  withheldStep,
} from "../core/verdict-words.ts";
import type { RunState } from "./run-state.ts";
import type { ReplyCount } from "./unusable-replies.ts";

/** The next thing to do after any run. A skill given in code has no file to adopt into. */
export function nextAfterRun(
  { run, status, command, summary, next }: Pick<RunState, "run" | "status" | "command" | "summary" | "next">,
  isAdoptable = true,
): string {
  if (status === "stopped" && next !== undefined) return next;
  if (status !== "done") return "run the same command again; finished work is kept";
  const short = run.slice(0, 8);
  // each command writes its own summary
  const told: unknown = summary;
  if (command === "train" && told !== undefined) {
    // the summary of a trained description doesn't name its run
    const step = nextAfterTraining({ ...(told as TrainedFacts), run });
    return isAdoptable || !step.includes("whetstone adopt")
      ? step
      : `whetstone ui ${short} shows the new text; the skill came from code, so put it there`;
  }
  if (command === "compare" && told !== undefined) return nextStep(told as ComparedFacts);
  if (command === "prune" && told !== undefined)
    return nextAfterPruning(short, (told as { readonly verdict: PruneVerdict }).verdict);
  return command in nextAfter
    ? nextAfter[command as keyof typeof nextAfter]
    : `whetstone ui ${short} shows it`;
}

/** After commands that make no claim. */
export const nextAfter = {
  eval: "whetstone train tries to improve it",
  draft: "whetstone train uses the tasks you kept",
  sleep: "whetstone review shows what the night proposes",
} as const satisfies Partial<Record<RunCommand, string>>;

/** Facts that decide the next step after a training. */
export interface TrainedFacts {
  readonly run: string;
  readonly verdict: ClaimWord | "unchanged" | "not-tested";
  readonly judged: number;
  readonly replies?: readonly Pick<ReplyCount, "role" | "reply" | "next">[];
  readonly missing?: readonly string[];
  readonly perRollout?: Pick<ArmCosts, "objective"> | undefined;
  readonly oneShot?: object;
  readonly undecided?: string;
  readonly ended?: string;
}

/** The next thing to do after a training. */
export function nextAfterTraining({
  run,
  verdict,
  judged,
  replies = [],
  missing = [],
  perRollout,
  oneShot,
  undecided,
  ended,
}: TrainedFacts): string {
  const short = run.slice(0, 8);
  const [worst] = replies;
  const isUntried = verdict === "unchanged" && judged === 0;
  const isTooLong =
    verdict === "undecided" && replies.some(({ role, reply }) => role === "target" && reply === "refused");
  if (worst !== undefined && (isUntried || isTooLong)) return worst.next;
  if (oneShot !== undefined && verdict !== "better")
    return `whetstone diff --one-shot ${short}, then whetstone adopt --one-shot ${short}`;
  switch (verdict) {
    case "better":
      if (!keepsObjective(perRollout))
        return `whetstone diff ${short}, then whetstone adopt ${short} --unproven`;
      return `whetstone diff ${short}, then whetstone adopt ${short}`;
    case "unchanged":
      if (undecided !== undefined) return undecided;
      if (ended !== undefined && judged === 0) return "add tasks that the skill fails, then train it again";
      return `add tasks, or steps (--more, one higher than before): whetstone plan gives their price; whetstone runs show ${short} lists what was tried`;
    case "undecided":
      return missingStep(missing);
    case "worse":
    case "lower":
      return `nothing to adopt; whetstone runs show ${short} shows what went wrong`;
    case "withheld":
      return `${withheldStep}; whetstone diff ${short} shows the text`;
    default:
      return `whetstone diff ${short}; add test tasks for a proof, or whetstone adopt ${short} --unproven`;
  }
}

const afterPruning: Readonly<Record<PruneVerdict, (run: string) => string>> = {
  "not-worse": (run) => `whetstone diff ${run}, then whetstone adopt ${run}`,
  "no-loss": (run) =>
    `whetstone diff ${run}; more test tasks could prove it, or whetstone adopt ${run} --unproven`,
  "not-proven": (run) => `whetstone diff ${run}; more test tasks could prove it`,
  withheld: () => withheldStep,
  "not-tested": (run) => `whetstone diff ${run}; a test split could prove it`,
  unchanged: () => "nothing to do: every rule is worth its tokens, or too uncertain to remove",
};

/** `run`: a run's id, shortened. */
export const nextAfterPruning = (run: string, verdict: PruneVerdict): string => afterPruning[verdict](run);
