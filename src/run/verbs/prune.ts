import type { Journal } from "../../core/ports/journal.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";
import { type PruneRun, pruneRun } from "./prune-run.ts";
import { readRun, readSkills } from "../reports/runs.ts";

export interface PruneOptions extends CallOptions {
  /** The loss of mean score, in points, that a proposal may not have. @default 5 */
  readonly margin?: number;
  /** Lets the optimizer write shorter what cannot go. @default false */
  readonly shorten?: boolean;
  /** Only rules that the skill did not have before this run: the beginning of its id. */
  readonly since?: string;
}

/**
 * Finds out what each rule of a skill is worth, and proposes to remove those that nobody would miss. The same call
 * again resumes, or gives the finished result.
 *
 * @example
 * const { summary } = await prune({ skill: "./SKILL.md", tasks: "./tasks.jsonl", target: "openai/gpt-5.4-nano" });
 * console.log(summary.sentence, summary.table);
 */
export async function prune({
  margin = 5,
  shorten = false,
  since,
  ...options
}: PruneOptions): Promise<PruneRun> {
  const { signal, onEvent } = options;
  return openRun(options, shorten ? ["target", "optimizer"] : ["target"], async ({ resolved, journal }) => {
    const before = since === undefined ? undefined : await readOriginal(journal, since, resolved.skill);
    const order = { margin: margin / 100, shorten, since: before };
    return pruneRun(resolved, order, { journal, signal, onEvent });
  });
}

/** What a run was started from. */
async function readOriginal(journal: Journal, id: string, { main, files }: Skill): Promise<Skill> {
  const state = await readRun(journal, id);
  const found = await readSkills(state);
  if (found === undefined)
    throw new WhetstoneError(
      "not-found",
      `The skill that run ${state.run} began with is not in ${state.folder}.`,
      {
        hint: "Start that run's command again: it writes its artifacts anew, and a finished run is not paid twice.",
      },
    );
  const isSingle = found.length === 1 && Object.keys(files).length === 1;
  return {
    main,
    files: Object.fromEntries(found.map(({ path, before }) => [isSingle ? main : path, before])),
  };
}
