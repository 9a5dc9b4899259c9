import type { Context } from "../context.ts";
import { type ClaimPair, type FinishedPair, armMean, isFinished } from "../gate/claim/claim-pair.ts";
import { gateScore } from "../gate/score.ts";
import { blindTexts } from "../scorers/degenerate-answers.ts";
import { type OwnValues, ownText, ownValues, valueOf } from "../scorers/own-values.ts";
import { canRun } from "../scorers/runnable.ts";
import { said, scoreTask } from "../scorers/score-task.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { Task } from "../tasks/task.ts";
import type { ClaimWord } from "../verdict-words.ts";
import type { BlindFacts } from "../blind-words.ts";
import type { Trials } from "./trials.ts";

interface BlindInput {
  readonly tasks: readonly Task[];
  readonly before: Trials;
  readonly after: Trials;
  /** One pair per task. */
  readonly pairs: readonly ClaimPair[];
}

/**
 * The scores of blind answers on a claim's tasks: the best constant answer, and whether the later skill lists all
 * options. It scores texts without model calls. It only understands checks, so an environment with its own scoring has
 * no such facts.
 */
export async function tryBlindAnswers(input: BlindInput, context: Context): Promise<BlindFacts> {
  const { environment, settings, rehearsal, scoreAside } = context;
  if (environment.throughContext !== true || settings.track !== "body" || rehearsal !== undefined) return {};
  const values = ownValues(input.tasks, scoreAside);
  const joined = await findJoined(input.after.rolled.flat(), values);
  const constant = await findConstant(input, values, context);
  return { constant, ...(joined === undefined ? {} : { joined }) };
}

/**
 * Adds the blind answers to a claim. Joined answers withhold any verdict that favors the later skill; a constant that
 * does as well only rules out "better".
 */
export function weighBlind<Claim extends { readonly verdict: ClaimWord }>(
  claim: Claim,
  blind: BlindFacts,
): Claim & BlindFacts {
  const { verdict } = claim;
  const best = blind.constant?.best;
  const isOpen = verdict === "worse" || verdict === "lower" || verdict === "undecided";
  if (blind.joined !== undefined && !isOpen)
    return { ...claim, ...blind, verdict: "withheld", reason: "joined-answers" };
  // if all tasks expect the same answer, a skill may teach it
  const isTold = (blind.constant?.values ?? 0) > 1;
  if (verdict === "better" && isTold && best !== undefined && best.score >= best.after - 1e-9)
    return { ...claim, ...blind, verdict: "not-proven", reason: "constant-answer" };
  return { ...claim, ...blind };
}

/** Replies of the later skill that list the set's values, or are identical whatever value is expected. */
async function findJoined(
  rolled: readonly Rolled[],
  values: OwnValues,
): Promise<BlindFacts["joined"] | undefined> {
  const replies = rolled.flatMap(({ task, outcome }) => {
    const text = replyIn(outcome);
    if (text === undefined || outcome.kind !== "scored") return [];
    return [{ id: task.id, value: valueOf(task), isPassed: outcome.hard === 1, text }];
  });
  const isSame = findSameReply(replies);
  const marks = new Map<string, number[]>();
  let [listed, same] = [0, 0];
  for (const reply of replies) {
    const lists = await values.isJoined(reply.text);
    if (lists) listed += 1;
    else if (isSame(reply)) same += 1;
    marks.set(reply.id, [...(marks.get(reply.id) ?? []), lists || isSame(reply) ? 1 : 0]);
  }
  const isHalf = (some: readonly number[]) => some.length > 0 && 2 * count(some, 1) >= some.length;
  const tasks = [...marks.values()].map((own) => (isHalf(own) ? 1 : 0));
  if (!isHalf(tasks)) return undefined;
  return { how: listed >= same ? "listed" : "same", tasks: count(tasks, 1), of: tasks.length };
}

interface ScoredReply {
  readonly value: string | undefined;
  readonly isPassed: boolean;
  readonly text: string;
}

/**
 * The most frequent reply that passes without knowing the value. If a check is loose, errors of a target that can tell
 * the values apart may pass too. So values other than its most frequent one must occur at least half as often as by
 * chance.
 */
function findSameReply(replies: readonly ScoredReply[]): (reply: ScoredReply) => boolean {
  const known = replies.filter(({ value }) => value !== undefined);
  const passed = known.filter(({ isPassed }) => isPassed);
  const text = mostFrequent(passed.map((reply) => reply.text))[0];
  const group = passed.filter((reply) => reply.text === text).map(({ value }) => value);
  const main = mostFrequent(group)[0];
  const share = (some: readonly unknown[]) => 1 - count(some, main) / Math.max(some.length, 1);
  const others = share(group);
  const isBlind = others > 0 && 2 * others >= share(known.map(({ value }) => value));
  return (reply) => isBlind && reply.isPassed && reply.value !== undefined && reply.text === text;
}

/** The best of the set's own answers, the replies of both arms and blind texts, each used for every task. */
async function findConstant(
  { tasks, before, after, pairs }: BlindInput,
  values: OwnValues,
  { settings, scoreAside: aside }: Context,
): Promise<NonNullable<BlindFacts["constant"]>> {
  const isTried = ({ checks = [] }: Task) => checks.every((check) => canRun(check, {}));
  const tried = pairs.flatMap((pair, at) => {
    const task = tasks[at];
    return task !== undefined && isTried(task) && isFinished(pair) ? [{ task, pair }] : [];
  });
  const size = {
    tasks: tried.length,
    untried: tasks.filter((task) => !isTried(task)).length,
    values: new Set(tried.map(({ task }) => valueOf(task))).size,
  };
  if (tried.length === 0) return size;
  // tasks that differ only in their input are scored once
  const alike = Map.groupBy(tried, ({ task: { answers, checks, files, checkout } }) =>
    JSON.stringify({ answers, checks, files, checkout }),
  );
  const most = Math.min(Math.max(Math.floor(mostScores / alike.size), fewestTexts), mostTexts);
  const replies = [...before.rolled, ...after.rolled].flat().flatMap(({ outcome }) => replyIn(outcome) ?? []);
  const texts = new Set([
    ...mostFrequent(tried.map(({ task }) => ownText(task))).slice(0, most),
    ...mostFrequent(replies).slice(0, most),
    ...blindTexts,
  ]);
  let best = { answer: "", score: 0 };
  for (const answer of texts) {
    if (await values.isJoined(answer)) continue;
    const scored: FinishedPair[] = [];
    for (const group of alike.values()) {
      const got = await scoreConstant(answer, (group[0] as (typeof tried)[number]).task);
      scored.push(...group.map(({ pair }) => ({ ...pair, incumbent: [got], candidate: [got] })));
    }
    const score = armMean(scored, "candidate");
    if (score > best.score) best = { answer, score };
  }
  const later = armMean(
    tried.flatMap(({ pair }) => (isFinished(pair) ? [pair] : [])),
    "candidate",
  );
  return { ...size, best: { ...best, answer: best.answer.slice(0, 200), after: later } };

  /** A value that only occurs inside another one isn't what the answer says. */
  async function scoreConstant(answer: string, task: Task): Promise<number> {
    const score = await scoreTask(task, said(answer, task), { aside });
    const value = valueOf(task) ?? "";
    if ("kind" in score) return 0;
    if (values.listable.has(value) && score.hard === 1 && !(await values.inText(answer)).has(value)) return 0;
    return gateScore(score, settings.metric, settings.mixedWeight);
  }
}

/** The most scorings for the best constant, and the fewest and most texts of each source. */
const [mostScores, fewestTexts, mostTexts] = [4000, 5, 40];

/** The target's last message, which checks of the answer read. */
const replyIn = (outcome: Rolled["outcome"]): string | undefined =>
  outcome.kind === "scored"
    ? outcome.conversation.findLast(({ role }) => role === "assistant")?.content.trim()
    : undefined;

const count = (some: readonly unknown[], one: unknown): number =>
  some.filter((other) => other === one).length;

/** Without duplicates, most frequent first. */
const mostFrequent = <T>(some: readonly T[]): readonly T[] =>
  [...Map.groupBy(some, (one) => one).values()]
    .toSorted((one, other) => other.length - one.length)
    .map(([first]) => first as T);
