import type { Check, Task } from "../tasks/task.ts";
import { setMembers } from "./set-members.ts";

/** The kinds of check that ask a judge. */
export const judgedKinds: readonly string[] = ["rubric", "as-good-as"];

/** Whether any check of these tasks, also inside a set, is of that kind. */
export const usesKind = (tasks: readonly Task[], kind: string): boolean =>
  usesCheck(tasks, (check) => check.kind === kind);

/** Whether a judge is asked about any of these tasks. */
export const usesJudge = (tasks: readonly Task[]): boolean =>
  usesCheck(tasks, ({ kind }) => judgedKinds.includes(kind));

/** Whether any check of these tasks, also inside a set, is such a one. */
export const usesCheck = (tasks: readonly Task[], isSuch: (check: Check) => boolean): boolean =>
  tasks.some(({ checks = [] }) => holds(checks, isSuch));

const holds = (checks: readonly Check[], isSuch: (check: Check) => boolean): boolean =>
  checks.some((check) => isSuch(check) || holds(setMembers(check), isSuch));
