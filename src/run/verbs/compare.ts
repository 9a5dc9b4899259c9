import { refuseAnswers } from "../../config/files/refuse-answers.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { tasksThatMade } from "../../core/measure/claim-log.ts";
import { type CompareRun, type CompareTasks, compareRun } from "./compare-run.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";
import { readBaseline } from "../reports/read-baseline.ts";

export interface CompareOptions extends CallOptions {
  /** What `skill` is compared with: a file, a folder with SKILL.md, a git ref of the same skill, or the skill itself. */
  readonly baseline: string | Skill;
  /** Which tasks; `unseen` are those that made neither skill. @default "unseen" where the journal knows of some that did, else "all" */
  readonly on?: CompareTasks;
}

/**
 * Says whether a skill is better or worse than an earlier one, and how sure that is. The same call again resumes, or
 * gives the finished result.
 *
 * @example
 * const { summary } = await compare({ skill: "./SKILL.md", baseline: "main", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.verdict, summary.sentence);
 */
export async function compare({ baseline, on, ...options }: CompareOptions): Promise<CompareRun> {
  const { signal, onEvent } = options;
  return openRun(options, ["target"], async ({ resolved, journal }) => {
    const { skill, skillPath, skillList, splits } = resolved;
    const before =
      typeof baseline === "string" ? await readBaseline(baseline, skillPath, skillList) : baseline;
    refuseAnswers(before, splits, resolved);
    const made = [await tasksThatMade(before, journal), await tasksThatMade(skill, journal)];
    const seen = new Set(made.flatMap((hashes) => [...hashes]));
    const chosen = on ?? (seen.size > 0 ? "unseen" : "all");
    return compareRun(resolved, { before, on: chosen, seen }, { journal, signal, onEvent });
  });
}
