import { shortIdentity } from "../core/skill/hash.ts";
import type { Skill } from "../core/skill/skill.ts";
import { isBinary } from "../core/files.ts";
import type { SkillVersion } from "./model.ts";
import type { ResultSet, RunFolder, StepFolder } from "./run-folder.ts";

/** The skills of a run, and which of them each set of results is about. */
export interface Versions {
  readonly list: readonly SkillVersion[];
  /** The version that a set of results is about. */
  readonly of: (set: Pick<ResultSet, "name" | "stage" | "step" | "rules">) => number;
}

export const noSkill = -1;
export const oneShotSkill = -2;
/** Rolled out, but its text isn't recorded. */
export const unknownSkill = -3;

export function listVersions(folder: RunFolder): Versions {
  const list: SkillVersion[] = [];
  const bestHash = folder.best === undefined ? folder.steps.at(-1)?.best.hash : shortIdentity(folder.best);
  const add = (skill: Skill | undefined, step: number, action: SkillVersion["action"]) => {
    if (skill === undefined) return;
    const hash = shortIdentity(skill);
    list.push({
      version: list.length,
      step,
      hash,
      action,
      isBest: hash === bestHash,
      files: textFiles(skill),
    });
  };
  const isKnown = (hash: string) => list.some((version) => version.hash === hash);

  add(folder.original, 0, "original");
  for (const step of folder.steps) {
    const before = step.step - 1;
    // an incumbent that no step made comes from the guidance at the end of an epoch
    if (!changesIncumbent(step) && !isKnown(step.current.hash)) add(step.snapshot, before, "guidance");
    add(step.candidate, step.step, step.action);
  }
  if (bestHash !== undefined && !isKnown(bestHash))
    add(folder.best, folder.steps.at(-1)?.step ?? 0, isGuided(folder) ? "guidance" : "end");

  const versionOf = (hash: string | undefined) => list.findLast((version) => version.hash === hash)?.version;
  const original = list[0]?.action === "original" ? 0 : unknownSkill;
  const best = list.findLast(({ isBest }) => isBest)?.version;
  return {
    list,
    of({ name, stage, step, rules }) {
      if (name === "baseline_no_skill") return noSkill;
      if (name === "baseline_one_shot") return oneShotSkill;
      if (name === "eval_before") return unknownSkill;
      if (name === "test_eval_best" || name === "selection_eval_best") return best ?? unknownSkill;
      if (rules !== undefined) return unknownSkill;
      if (stage === "evaluate" && step > 0)
        return list.find((one) => one.step === step && one.action !== "guidance")?.version ?? unknownSkill;
      if (stage === "rollout") return versionOf(incumbentHash(step, folder)) ?? unknownSkill;
      return original;
    },
  };
}

/** A text that no step made is an epoch's guidance, unless the search measures rules and chooses some at its end. */
const isGuided = ({ steps }: RunFolder): boolean =>
  steps.length > 0 && steps.every(({ evidence }) => evidence?.rules === undefined);

/** The incumbent that a step began with, if recorded. */
function incumbentHash(step: number, { steps, original, epochs }: RunFolder): string | undefined {
  const now = steps.find((one) => one.step === step);
  if (now !== undefined && !changesIncumbent(now)) return now.current.hash;
  const before = steps.find((one) => one.step === step - 1);
  if (before === undefined) return step === 1 && original !== undefined ? shortIdentity(original) : undefined;
  const guided = epochs.find(({ epoch }) => epoch === before.epoch);
  const isGuided = now?.epoch !== before.epoch && guided?.action.startsWith("accept") === true;
  return isGuided ? undefined : before.current.hash;
}

const changesIncumbent = ({ action }: Pick<StepFolder, "action">): boolean =>
  action.startsWith("accept") || action === "return_to_original";

const textFiles = ({ files }: Skill): SkillVersion["files"] =>
  Object.fromEntries(Object.entries(files).filter(([, content]) => !isBinary(content)));
