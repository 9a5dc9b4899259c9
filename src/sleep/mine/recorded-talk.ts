import type { ConversationTurn, Digest } from "../../core/ports/conversation.ts";
import type { Ending, MinedTask, RecordedTalk } from "../../core/ports/mined-task.ts";
import type { Performance } from "../../core/scorers/performance.ts";
import { said } from "../../core/scorers/score-task.ts";
import type { Task } from "../../core/tasks/task.ts";
import { oneLine } from "../../core/one-line.ts";
import { isShownWhole } from "./conversation-text.ts";
import type { FoundQuote } from "./quotes.ts";

/** The real conversation up to a correction; undefined if it's too long, or the request or the correction had no answer. */
export function talkBefore({ turn }: FoundQuote, digest: Digest, commit: string): RecordedTalk | undefined {
  const { turns } = digest;
  const [last, corrected] = [turns[turn - 1], turns[turn]];
  if (last === undefined || corrected === undefined || !isShownWhole(digest)) return undefined;
  if ([last.prompt, last.answer, corrected.answer].some((text) => text.trim() === "")) return undefined;
  return {
    commit,
    before: turns
      .slice(0, turn - 1)
      .map(({ prompt, answer }) => ({ prompt, answer: answer.trim() === "" ? "(no answer)" : answer })),
    input: last.prompt,
    correction: corrected.prompt,
    recorded: endingOf(last),
    corrected: endingOf(corrected),
  };
}

const endingOf = ({ answer, did }: ConversationTurn): Ending => ({
  answer,
  ...(did === undefined ? {} : { did }),
});

/** The task to continue it. One closed question decides whether the person would have had to correct this ending too. */
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
  `Score 1 if the agent did what the person asked last, and they would not have had to type this afterwards: ${JSON.stringify(oneLine(correction, 2000))}. What it asks for in general decides, also with other names and values. If no tools are shown, the agent's word for what it did counts. Nothing else matters; else score 0.`;

/** A recorded ending as a judge sees it, with the agent's acts as tool calls. */
export const endingPerformance = ({ answer, did = [] }: Ending): Performance => ({
  ...said(answer),
  toolCalls: did.map((act) => {
    const [name = "", ...rest] = act.split(" ");
    return { name, input: rest.join(" "), output: "", failed: false };
  }),
});
