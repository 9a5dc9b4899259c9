import type { Digest } from "../../core/ports/conversation.ts";
import type { MinedTask, RecordedTalk } from "../../core/ports/mined-task.ts";
import type { Task } from "../../core/tasks/task.ts";
import { oneLine } from "../../core/one-line.ts";
import type { FoundQuote } from "./quotes.ts";

/** The real conversation up to a correction; undefined where it is too long to go on with, or an ending is missing. */
export function talkBefore(
  { turn }: FoundQuote,
  { turns }: Digest,
  commit: string,
): RecordedTalk | undefined {
  const [last, corrected] = [turns[turn - 1], turns[turn]];
  if (last === undefined || corrected === undefined) return undefined;
  const before = turns
    .slice(0, turn - 1)
    .map(({ prompt, answer }) => ({ prompt, answer: answer.trim() === "" ? "(no answer)" : answer }));
  const talk = {
    commit,
    before,
    input: last.prompt,
    correction: corrected.prompt,
    recorded: last.answer,
    corrected: corrected.answer,
  };
  const texts = [talk.input, talk.correction, talk.recorded, talk.corrected];
  const isWhole = [...texts, ...before.map(({ prompt }) => prompt)].every((text) => text.trim() !== "");
  return isWhole && JSON.stringify(talk).length <= mostCharacters ? talk : undefined;
}

/** Each rollout reads all of it. */
const mostCharacters = 60_000;

/** The task of going on with it: one closed question decides whether the person would have had to correct this ending, too. */
export const talkTask = (mined: MinedTask): Task | undefined =>
  mined.talk === undefined ? undefined : taskOf(mined.task, mined.talk);

export const taskOf = ({ id, group }: Task, { commit, before, input, correction }: RecordedTalk): Task => ({
  id,
  input,
  ...(before.length === 0 ? {} : { before }),
  ...(group === undefined ? {} : { group }),
  checkout: commit,
  checks: [{ kind: "rubric", value: questionOf(correction) }],
});

const questionOf = (correction: string): string =>
  `The agent did what the person asked last, and the person would not have had to type this afterwards: ${JSON.stringify(oneLine(correction, 2000))}. Nothing else matters. Score 1 if both are so, else 0.`;
