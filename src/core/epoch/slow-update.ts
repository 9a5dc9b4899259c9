import type { Context } from "../context.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { slowUpdatePrompt as prompt } from "../prompts/slow-update.ts";
import { forgesMarker, readRegion, replaceRegion } from "../skill/regions.ts";
import { type Skill, mainText, withMainText } from "../skill/skill.ts";
import { findFileOverrun } from "../skill/token-budgets.ts";
import { askModel } from "../stages/ask-model.ts";
import { refusal } from "../stages/guard-edits.ts";
import { contractsOf, joinSections, skillSection, triedSection } from "../stages/optimizer-text.ts";
import { type EpochBoundary, type LongitudinalPair, pairSection } from "./longitudinal-pairs.ts";

/** Long-term guidance in its protected block. The candidate must pass the gate like any other. */
export async function slowUpdate(
  { previous, current, tried, leaks, step }: EpochBoundary,
  pairs: readonly LongitudinalPair[],
  context: Context,
): Promise<Skill | undefined> {
  const guidance = readRegion(mainText(current), "slow-update");
  const user = joinSections([
    skillSection(previous, context.settings).replace("# The skill", "# The skill one epoch ago"),
    skillSection(current, context.settings).replace("# The skill", "# The skill now"),
    guidance === null || guidance === "" ? "" : `# Your guidance so far\n\n${guidance}`,
    triedSection(tried),
    pairSection(pairs),
  ]);
  const written = await askModel(prompt, user, { role: "optimizer", step, stage: "epoch" }, context);
  const text = written?.guidance.trim() ?? "";
  if (text === "" || forgesMarker(text) || findHiddenCharacters(text).length > 0) return undefined;
  const contracts = contractsOf(pairs.map(({ task }) => task));
  if (refusal(text, { skill: current, leaks, contracts }) !== undefined) return undefined;
  const main = replaceRegion(mainText(current), "slow-update", text);
  if (findFileOverrun(current, current.main, main, context.settings.tokenBudgets) !== undefined)
    return undefined;
  return withMainText(current, main);
}
