import { WhetstoneError } from "../../core/errors.ts";
import { describeLeak } from "../../core/guard/leak.ts";
import { findSeedLeak } from "../../core/guard/seed-leak.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Splits } from "../../core/tasks/task.ts";

/** A skill that contains val or test answers would only show memory, so we refuse it before anything is paid for. */
export function refuseAnswers(
  skill: Skill,
  splits: Splits,
  { mayHoldAnswers = [] }: { readonly mayHoldAnswers?: readonly string[] | undefined },
): void {
  const found = findSeedLeak(skill, splits, (file) => mayHoldAnswers.includes(file));
  if (found === undefined) return;
  const { file, split, leak } = found;
  const way =
    file === skill.main
      ? `Remove it from ${file}, or remove the task from ${split}.`
      : `Move ${file} out of the skill, or name ${skill.main} alone as the skill.`;
  throw new WhetstoneError(
    "skill-invalid",
    `The skill's ${file} contains an answer from the ${split} split. ${describeLeak(leak)}`,
    { hint: `${way} If the task is to look it up there: --may-hold-answers ${file}.` },
  );
}
