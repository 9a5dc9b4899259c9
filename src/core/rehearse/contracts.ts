import { judgePrompt, pairPrompt } from "../judge/judge-prompt.ts";
import { analystError } from "../prompts/analyst-error.ts";
import { analystSuccess } from "../prompts/analyst-success.ts";
import { anchorRepair } from "../prompts/anchor-repair.ts";
import { contrastive } from "../prompts/contrastive.ts";
import { draftTasks } from "../prompts/draft-tasks.ts";
import { checkWordings } from "../prompts/check-wordings.ts";
import { carries, editor } from "../prompts/editor.ts";
import { groupWishesPrompt } from "../prompts/group-wishes.ts";
import { mergeFailure, mergeFinal, mergeSuccess } from "../prompts/merge.ts";
import { metaSkillPrompt } from "../prompts/meta-skill.ts";
import { mine } from "../prompts/mine.ts";
import { oneShot } from "../prompts/one-shot.ts";
import { powersPrompt } from "../prompts/powers.ts";
import type { Prompt } from "../prompts/prompt.ts";
import { ranking } from "../prompts/ranking.ts";
import { slowUpdatePrompt } from "../prompts/slow-update.ts";
import { wordWishesPrompt } from "../prompts/word-wishes.ts";

/** Every contract that a prompt can name. */
export const contracts: readonly Prompt<unknown>[] = [
  analystError,
  analystSuccess,
  anchorRepair,
  carries,
  checkWordings,
  contrastive,
  draftTasks,
  editor,
  groupWishesPrompt,
  judgePrompt,
  mergeFailure,
  mergeFinal,
  mergeSuccess,
  metaSkillPrompt,
  mine,
  oneShot,
  pairPrompt,
  powersPrompt,
  ranking,
  slowUpdatePrompt,
  wordWishesPrompt,
];

const byName: ReadonlyMap<string, Prompt<unknown>> = new Map(
  contracts.map((prompt) => [prompt.name, prompt]),
);

/** The contract named at the end of a system text. */
export const contractOf = (system: string): Prompt<unknown> | undefined =>
  byName.get(/\nContract: (\S+)$/.exec(system.slice(-100))?.[1] ?? "");
