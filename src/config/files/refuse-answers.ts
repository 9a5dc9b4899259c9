import { WhetstoneError } from "../../core/errors.ts";
import { describeLeak } from "../../core/guard/leak.ts";
import { findSeedLeak } from "../../core/guard/seed-leak.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { Splits } from "../../core/tasks/task.ts";

/** A skill that holds answers of val or test would show memory: it is refused before anything is bought. */
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
      ? `Take it out of ${file}, or the task out of ${split}.`
      : `Move ${file} out of the skill, or name ${skill.main} alone as the skill.`;
  throw new WhetstoneError(
    "skill-invalid",
    `${file} of the skill holds an answer of the ${split} split. ${describeLeak(leak)}`,
    { hint: `${way} If looking it up there is the task: --may-hold-answers ${file}.` },
  );
}
