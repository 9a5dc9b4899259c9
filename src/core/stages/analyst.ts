import type { Context } from "../context.ts";
import { readLikeness, wordLikeness } from "../likeness.ts";
import { oncePerTask } from "../tasks/once-per-task.ts";
import type { Place } from "../place.ts";
import { type Analysis, analystError, analystWhoMayAsk } from "../prompts/analyst-error.ts";
import { analystSuccess } from "../prompts/analyst-success.ts";
import type { ParsedReply } from "../prompts/parse-reply.ts";
import type { RawPatch } from "../skill/edit.ts";
import { fairShare, trimMiddle } from "../trim.ts";
import { estimateTokens } from "../work/estimate-tokens.ts";
import { askWithReason } from "./ask-model.ts";
import { type Attempted, missesSection } from "./misses.ts";
import { type ShownSearch, joinSections, searchSection } from "./optimizer-text.ts";
import { showAttempt } from "./trajectory.ts";

/** An analyst's input. */
export interface Analysed extends ShownSearch {
  readonly source: RawPatch["source"];
  readonly attempts: readonly Attempted[];
  /** All attempts of the step, including `attempts`. */
  readonly batch: readonly Attempted[];
}

/** The token limit for all attempts in a question: a quarter of a window of 128,000. */
const mostTokens = 32_000;

/** An analyst's findings. It may ask once for parts that were left out. A question that's too long is shortened. */
export async function askAnalyst(
  analysed: Analysed,
  place: Place,
  context: Context,
): Promise<ParsedReply<Analysis>> {
  const ask = async (user: string) => {
    const failures = user.includes(leftOutSection) ? analystWhoMayAsk : analystError;
    const prompt = analysed.source === "failure" ? failures : analystSuccess;
    return askWithReason<Analysis>(prompt, user, place, context);
  };
  let [tokens, user] = [mostTokens, analystText(analysed, context)];
  let answer = await ask(user);
  while (!answer.ok && answer.problem === "too-long" && tokens > 1_000) {
    tokens /= 4;
    const shorter = analystText(analysed, context, tokens);
    if (shorter !== user) answer = await ask(shorter);
    user = shorter;
  }
  const wanted = answer.ok ? (answer.value.show ?? []) : [];
  if (wanted.length === 0) return answer;
  const parts: ShownParts = new Map(wanted.map((one) => [one.task, one.parts]));
  const more = await ask(analystText(analysed, context, tokens, parts));
  return more.ok ? more : answer;
}

/** Requested parts of attempts, by task. */
type ShownParts = ReadonlyMap<string, readonly number[]>;

export function analystText(
  { source, attempts, batch, ...shown }: Analysed,
  { settings, environment }: Pick<Context, "settings" | "environment">,
  tokens = mostTokens,
  parts?: ShownParts,
): string {
  const most = fairShare(
    attempts.map(({ outcome }) =>
      outcome.conversation.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    ),
    tokens,
  );
  const shownAttempts = attempts.map((attempt) => {
    const { task } = attempt;
    const reference = task.reference ?? environment.reference?.(task);
    return showAttempt(attempt, { reference, tokens: most, parts: parts?.get(task.id) });
  });
  const isFailure = source === "failure";
  const asks = isFailure && parts === undefined && shownAttempts.some(({ leavesOut }) => leavesOut);
  return joinSections([
    searchSection(
      shown,
      attempts.map(({ task }) => task),
      settings,
    ),
    missesSection(batch),
    `# ${isFailure ? "Failed" : "Solved"} tasks\n\n${shownAttempts.map(({ text }) => text).join("\n\n---\n\n")}`,
    asks ? leftOutSection : "",
    isFailure ? contrastSection(attempts, batch) : "",
    `Edit budget: ${shown.budget}`,
  ]);
}

const leftOutSection = `# Parts that were left out

The cause of a failure may lie in parts that were left out. Then reply without edits, and name them in "show": [{ "task": string, "parts": [number] }]. You are asked once more, with these parts. Otherwise leave "show" out.`;

const [mostSolved, solvedLength] = [4, 1_500];

/** Solved tasks next to failed ones: for each failed task the most similar one, with the closest number among equals. */
function contrastSection(failed: readonly Attempted[], batch: readonly Attempted[]): string {
  const solved = batch
    .filter(({ outcome }) => outcome.hard >= 1)
    .map((attempt) => ({ attempt, words: readEnds(attempt.task) }));
  const nearest = failed.flatMap(({ task }) => {
    const words = readEnds(task);
    const alike = solved
      .filter(({ attempt }) => attempt.task.type === task.type)
      .map((one) => ({ ...one, likeness: Math.round(wordLikeness(words, one.words) * 10) }))
      .toSorted(
        (a, b) =>
          b.likeness - a.likeness ||
          numberGap(task.input, a.attempt.task.input) - numberGap(task.input, b.attempt.task.input),
      )[0];
    return alike === undefined || alike.likeness === 0 ? [] : [alike.attempt];
  });
  const chosen = [...new Set(nearest)].slice(0, mostSolved);
  const texts = chosen.map(({ task, outcome }) => {
    const reply = outcome.conversation.at(-1)?.content ?? "";
    return `Solved task ${task.id}\n[task]\n${trimMiddle(task.input, solvedLength)}\n\n[agent]\n${trimMiddle(reply, solvedLength)}`;
  });
  return texts.length === 0
    ? ""
    : `# Solved tasks that are like failed ones\n\nWith the same skill. A rule must leave these as they are.\n\n${texts.join("\n\n---\n\n")}`;
}

/** For a long input, its beginning and end are enough. */
const readEnds = oncePerTask(({ input }) => readLikeness(trimMiddle(input, 8_000)));

/** How far apart the largest numbers of two texts are, as the logarithm of their ratio; 0 if one has none. */
function numberGap(a: string, b: string): number {
  const [first, second] = [a, b].map((text) =>
    Math.max(
      0,
      ...(text.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) =>
        Number(number.replaceAll(/[.,](?=\d{3}\b)/g, "").replace(",", ".")),
      ),
    ),
  );
  return first && second ? Math.abs(Math.log(first / second)) : 0;
}
