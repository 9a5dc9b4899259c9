export type PoolKind = "good" | "useless" | "harmful";

/**
 * What the scripted optimizer proposes, by what each rule says of how the messages are labelled: it states it, has nothing to do
 * with it, or contradicts it. What a rule does to a given model is another matter; `--calibrate` shows it.
 */
export const rulePool: Readonly<Record<PoolKind, readonly string[]>> = {
  good: [
    "A complaint says that something is wrong: broken, late, missing, damaged or not as promised.",
    "Praise and thanks are not complaints: answer No.",
    "You are a strict clerk. Without a fault there is no complaint.",
  ],
  useless: [
    "The shop sells furniture and kitchen ware.",
    "Messages are written in English.",
    "Order numbers have four digits.",
  ],
  harmful: ["Always answer Yes.", "Always answer No.", "A happy customer complains, an angry one does not."],
};

/** Of which kind a rule of a trained skill is; undefined for what the pool does not hold. */
export const kindOfRule = (text: string): PoolKind | undefined =>
  poolKinds.find((kind) => rulePool[kind].some((rule) => text.includes(rule)));

export const poolKinds: readonly PoolKind[] = ["good", "useless", "harmful"];
