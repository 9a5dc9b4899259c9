import type { Check, Task } from "../tasks/task.ts";
import { setMembers } from "./set-members.ts";

/** Whether any check of these tasks, also inside a set, is of that kind. */
export const usesKind = (tasks: readonly Task[], kind: string): boolean =>
  tasks.some(({ checks = [] }) => holds(checks, kind));

const holds = (checks: readonly Check[], kind: string): boolean =>
  checks.some((check) => check.kind === kind || holds(setMembers(check), kind));
