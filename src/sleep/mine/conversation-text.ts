import type { Digest } from "../../core/ports/conversation.ts";
import { createFence } from "../../core/prompts/fence.ts";
import { joinSections } from "../../core/stages/optimizer-text.ts";
import { fairShare, trimMiddle } from "../../core/trim.ts";
import { findCorrections } from "./corrections.ts";

/** The conversation as a miner reads it: prompts and answers, long ones without their middle. */
export function conversationText(digest: Digest): string {
  const { turns, tools, skills, files } = digest;
  const room = roomFor(digest);
  const shown = turns.map(({ prompt, answer }, at) => {
    const said = answer.trim() === "" ? "(no answer)" : trimMiddle(answer, room.answer);
    return `[turn ${at + 1}, the person]\n${trimMiddle(prompt, room.prompt)}\n\n[turn ${at + 1}, the agent]\n${said}`;
  });
  const hints = findCorrections(turns).map(
    ({ turn, quote }) => `turn ${turn + 1}: ${JSON.stringify(trimMiddle(quote, room.prompt))}`,
  );
  const fence = createFence({
    id: digest.id,
    turns: turns.map(({ prompt, answer }) => ({ prompt, answer })),
    tools,
    skills,
    files,
  });
  const listed = (title: string, names: readonly string[]): string =>
    names.length === 0 ? "" : `${title}: ${names.slice(0, maxNames).join(", ")}`;
  const facts = [
    listed("Tools that were called", tools),
    listed("Skills that were used", skills),
    listed("Files that were written", files),
  ].filter((line) => line !== "");
  return joinSections([
    ...(facts.length === 0 ? [] : [fence.around("facts", facts.join("\n"))]),
    fence.around("conversation", shown.join("\n\n")),
    ...(hints.length === 0 ? [] : [fence.around("possible corrections", hints.join("\n"))]),
    `Find the tasks in what stands between the lines with the code ${fence.code}, and reply with the one JSON object.`,
  ]);
}

/** Whether a miner, and a person who looks at the preview, reads every word of it. */
export function isShownWhole(digest: Digest): boolean {
  const room = roomFor(digest);
  return digest.turns.every(
    ({ prompt, answer }) => prompt.length <= room.prompt && answer.length <= room.answer,
  );
}

const [promptCharacters, answerCharacters, maxNames] = [48_000, 24_000, 50];
/** Longer pasted logs add little, and shorter excerpts of a turn mean nothing. */
const [mostPerTurn, leastPerTurn] = [4000, 160];

/** The room for each prompt and each answer. */
const roomFor = ({ turns }: Digest) => ({
  prompt: shareFor(
    turns.map(({ prompt }) => prompt.length),
    promptCharacters,
  ),
  answer: shareFor(
    turns.map(({ answer }) => answer.length),
    answerCharacters,
  ),
});

const shareFor = (sizes: readonly number[], total: number): number =>
  Math.max(leastPerTurn, Math.min(mostPerTurn, fairShare(sizes, total)));
