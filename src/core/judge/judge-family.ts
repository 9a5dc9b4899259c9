/** The models of the judge and the optimizer. */
export interface JudgeModels {
  readonly judge: string;
  readonly optimizer: string;
}

/**
 * Models favour text by their own kind, and the optimizer writes the text that the judge scores. So every verdict names a
 * judge from the optimizer's family or provider. Undefined if the two are unrelated.
 */
export function relatedJudgeSentence({ judge, optimizer }: JudgeModels): string | undefined {
  if (judge === optimizer)
    return `The judge is the optimizer itself (${judge}), so it may favour its own words.`;
  if (familyOf(judge) === familyOf(optimizer))
    return `The judge (${judge}) is of the optimizer's family (${optimizer}), ${favour}`;
  return vendorOf(judge) === vendorOf(optimizer)
    ? `The judge (${judge}) is from the optimizer's provider (${optimizer}), ${favour}`
    : undefined;
}

const favour = "so it may favour what the optimizer writes.";

/** `claude` of `openrouter/anthropic/claude-opus-5`. */
const familyOf = (id: string): string => /^[a-z]{2,}/.exec(lastOf(id))?.[0] ?? lastOf(id);

const lastOf = (id: string): string => id.toLowerCase().split("/").at(-1) ?? "";

/** `anthropic` of the same. */
const vendorOf = (id: string): string | undefined => id.toLowerCase().split("/").at(-2);
