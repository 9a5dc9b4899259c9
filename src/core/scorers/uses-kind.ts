import type { Check, Task } from "../tasks/task.ts";
import { setMembers } from "./set-members.ts";

/** The kinds of check that ask a judge. */
export const judgedKinds: readonly string[] = ["rubric", "as-good-as"];

/** Whether any check of these tasks, even inside a set, is of that kind. */
export const usesKind = (tasks: readonly Task[], kind: string): boolean =>
  usesCheck(tasks, (check) => check.kind === kind);

/** The kinds of check that start a program in the sandbox. */
export const boxedKinds: readonly string[] = ["command", "code"];

/** Whether any check of these tasks starts a program in the sandbox. */
export const usesBox = (tasks: readonly Task[]): boolean =>
  usesCheck(tasks, ({ kind }) => boxedKinds.includes(kind));

/** Whether any of these tasks needs a judge. */
export const usesJudge = (tasks: readonly Task[]): boolean =>
  usesCheck(tasks, ({ kind }) => judgedKinds.includes(kind));

/** Whether this holds for any check of these tasks, even inside a set. */
export const usesCheck = (tasks: readonly Task[], isSuch: (check: Check) => boolean): boolean =>
  tasks.some(({ checks = [] }) => checksIn(checks).some(isSuch));

/** These checks and all inside them. */
export const checksIn = (checks: readonly Check[]): readonly Check[] =>
  checks.flatMap((check) => [check, ...checksIn(setMembers(check))]);
