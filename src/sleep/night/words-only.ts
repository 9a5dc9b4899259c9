import type { SleepSettings } from "../../config/schema.ts";
import type { Role } from "../../core/ports/model.ts";
import { isHandoff } from "../../core/work/handoff.ts";

/** Whether a night asks for tasks and wordings alone: where a person would answer the rollouts or judge them, and said no more. */
export const asksWordsOnly = (
  { byHand }: Pick<SleepSettings, "byHand">,
  models: Readonly<Record<Role, string>>,
): boolean => byHand === "words" && (isHandoff(models.target) || isHandoff(models.judge));
