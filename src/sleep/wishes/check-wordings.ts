import type { Context } from "../../core/context.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Place } from "../../core/place.ts";
import { checkWordings } from "../../core/prompts/check-wordings.ts";
import { createFence } from "../../core/prompts/fence.ts";
import { askModel } from "../../core/stages/ask-model.ts";
import { joinSections } from "../../core/stages/optimizer-text.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { saidLine } from "./said-line.ts";
import { type Wish, firstWording } from "./wish.ts";

/**
 * Checks all new wordings with one question. A wording that lost its wish's meaning is replaced by the person's own words.
 * A person who answers by hand isn't asked, because they see each wording in the review.
 */
export async function checkNewWordings(worded: readonly Wish[], context: Context): Promise<readonly Wish[]> {
  const asked = worded.filter((wish) => firstWording(wish)?.by === "proposed");
  if (asked.length === 0 || isHandoff(context.models.miner)) return worded;
  const place: Place = { role: "miner", step: 0, stage: "mine" };
  const reply = await askModel(checkWordings, questionText(asked), place, context);
  const answers = new Map(reply?.rules.map((one) => [asked[one.rule - 1]?.id, one]));
  return worded.map((wish) => {
    const { carries, own } = answers.get(wish.id) ?? {};
    return {
      ...wish,
      ...(carries === "no" ? { wordings: wish.wordings.slice(1) } : {}),
      ...(own === undefined ? {} : { isOwn: own === "yes" }),
    };
  });
}

function questionText(wishes: readonly Wish[]): string {
  const rules = wishes.map((wish, at) => {
    const sentences = wish.said.filter(({ text }) => text !== "").map((one) => `  ${saidLine(one)}`);
    return [`rule ${at + 1}: ${JSON.stringify(oneLine(firstWording(wish)?.text ?? "", 500))}`, ...sentences];
  });
  const fence = createFence({ rules });
  return joinSections([
    fence.around("rules", rules.map((lines) => lines.join("\n")).join("\n\n")),
    `Answer for the rules between the lines with the code ${fence.code}, and reply with the one JSON object.`,
  ]);
}
