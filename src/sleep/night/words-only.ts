import type { SleepSettings } from "../../config/schema.ts";
import type { Role } from "../../core/ports/model.ts";
import { isHandoff } from "../../core/work/handoff.ts";

/** Whether a night only asks for tasks and wordings, because a person would have to answer or judge the rollouts by hand. */
export const asksWordsOnly = (
  { byHand }: Pick<SleepSettings, "byHand">,
  models: Readonly<Record<Role, string>>,
): boolean => byHand === "words" && (isHandoff(models.target) || isHandoff(models.judge));
