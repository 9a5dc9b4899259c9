import { byteLength, bytesPerToken } from "../work/estimate-tokens.ts";
import { caseText, judgePrompt } from "../judge/judge-prompt.ts";
import { rubricTexts } from "../judge/probes.ts";
import { analystError } from "../prompts/analyst-error.ts";
import { anchorRepair } from "../prompts/anchor-repair.ts";
import { contrastive } from "../prompts/contrastive.ts";
import { learningRate } from "../prompts/learning-rate.ts";
import { mergeFailure } from "../prompts/merge.ts";
import { metaSkillPrompt } from "../prompts/meta-skill.ts";
import { oneShot } from "../prompts/one-shot.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import { ranking } from "../prompts/ranking.ts";
import { rewriteSkillPrompt } from "../prompts/rewrite-skill.ts";
import { slowUpdatePrompt } from "../prompts/slow-update.ts";
import { said, scoreTask } from "../scorers/score-task.ts";
import type { TrainSettings } from "../settings.ts";
import { type Skill, singleFileSkill } from "../skill/skill.ts";
import { contractSection, joinSections, skillSection } from "../stages/optimizer-text.ts";
import { trajectoryText } from "../stages/trajectory.ts";
import type { Environment } from "../tasks/environment.ts";
import type { Splits, Task } from "../tasks/task.ts";
import { captureRequests, requestBytes } from "../tasks/capture-requests.ts";
import { type CallKind, reflectionCalls } from "./count-calls.ts";
import { type Range, addRanges, middleOf, multiplyRanges, range } from "../rehearse/range.ts";

export interface PromptInput {
  readonly skill: Skill;
  readonly splits: Splits;
  readonly settings: TrainSettings;
  readonly environment: Environment;
  readonly steps: number;
  /** The share of train tasks that fail. */
  readonly failures: Range;
  /** Tokens of one reply of the target. */
  readonly targetReply: Range;
}

/** How long the input of each kind of call is, in tokens, from the prompts that the loop would send. */
export async function measurePrompts(input: PromptInput): Promise<Readonly<Record<CallKind, Range>>> {
  const { skill, splits, settings } = input;
  const { train, val, test } = splits;
  const held = test.length > 0 ? test : val;
  const batch = Math.min(train.length, settings.batchSize * settings.accumulation);
  const reflection = reflectionCalls(settings, batch, input.failures);
  const [analysts, merges] = [middleOf(reflection.analysts), middleOf(reflection.merges)];
  const applied = appliedEdits(settings, analysts);
  const growth = skillGrowth(input, applied);
  const half = multiplyRanges(growth, range(0.5));
  const own = multiplyRanges(applied, range(ruleTokens));
  const [onVal, onTrain, onTest, bare, onHeld] = await Promise.all([
    rolloutTokens(val, skill, input),
    rolloutTokens(train, skill, input),
    rolloutTokens(test, skill, input),
    rolloutTokens(held, singleFileSkill(""), input),
    rolloutTokens(held, skill, input),
  ]);

  const trajectory = await trajectoryTokens(train, input.targetReply);
  const trajectories = (count: number) => multiplyRanges(trajectory, range(count));
  const base = addRanges(
    tokensOf(joinSections([skillSection(skill, settings), contractSection(train)])),
    half,
  );
  // what earlier steps of the epoch saw and lost, and the optimizer's notes
  const memory = multiplyRanges(range(memoryTokens(input)), range(0.3, 1));
  const edits = (count: number) => range(0.5 * count * editTokens, count * editTokens);
  const asks = (prompt: Prompt<unknown>, ...parts: readonly Range[]): Range =>
    addRanges(tokensOf(systemText(prompt, settings.prompts)), base, ...parts);
  // every patch is merged once on its side, and what comes of it once more
  const merged = (Math.max(analysts + merges - 1, 1) / Math.max(merges, 1)) * meanBudget(settings);
  const looked = Math.min(settings.slowUpdateSamples, train.length);

  const sizes: Record<CallKind, Range> = {
    canary: tokensOf("Reply with the word ok."),
    longest: await longestTokens([...train, ...val, ...test], skill, input),
    "first-analyst": asks(analystError, trajectories(Math.min(settings.minibatchSize, train.length))),
    val: onVal,
    train: addRanges(onTrain, half),
    candidate: addRanges(onVal, half, own),
    epoch: addRanges(onTrain, half),
    "test-original": onTest,
    "test-best": addRanges(onTest, growth),
    "no-skill": bare,
    rewritten: addRanges(onHeld, half),
    analyst: asks(analystError, memory, trajectories(reflection.shown)),
    // a good and a bad attempt of each task that it is shown
    contrast: asks(contrastive, memory, multiplyRanges(trajectories(2 * Math.min(6, batch)), range(0.5, 1))),
    merge: asks(mergeFailure, edits(merged)),
    rank: asks(ranking, edits(merged)),
    budget: asks(learningRate, memory, edits(merged)),
    repair: asks(anchorRepair, edits(settings.editBudget)),
    rewrite: asks(rewriteSkillPrompt, multiplyRanges(applied, range(editTokens))),
    // both versions of the skill, and every task once or twice
    "slow-update": asks(slowUpdatePrompt, base, multiplyRanges(trajectories(looked), range(1, 1.5))),
    "meta-skill": asks(metaSkillPrompt, base, memory, multiplyRanges(trajectories(looked), range(1, 1.5))),
    "one-shot": asks(oneShot, multiplyRanges(trajectories(Math.min(8, batch)), range(0.5, 1))),
    rubric: verdictTokens([...train, ...val, ...test], input.targetReply),
    calibration: verdictTokens([...train, ...val, ...test], input.targetReply),
  };
  return sizes;
}

/** An edit with its frame and evidence, as optimizer prompts show it, and what it adds to the skill. */
const [editTokens, ruleTokens] = [70, 25];
/** The share of steps whose edits stay. Without a gate all do. */
const [keptSteps, keptUngated] = [range(0.1, 0.5), range(0.6, 1)];

const meanBudget = ({ editBudget, minEditBudget }: TrainSettings): number => (editBudget + minEditBudget) / 2;

/** Edits that one step applies: within the budget, or of all that analysts propose, many of which say the same. */
function appliedEdits(settings: TrainSettings, analysts: number): Range {
  const budget = meanBudget(settings);
  const pool = settings.attempts > 1 ? budget : budget * Math.max(analysts, 1);
  if (settings.updateMode === "full-rewrite") return range(0.4 * pool, 0.9 * pool);
  if (settings.schedule === "autonomous") return range(0.4 * budget, Math.max(0.5 * pool, budget));
  return range(0.5 * budget, budget);
}

/** How much longer the skill becomes. */
function skillGrowth({ settings, steps }: PromptInput, applied: Range): Range {
  const most = steps * applied.high * ruleTokens;
  const { low, high } = multiplyRanges(range(most), settings.gate === "off" ? keptUngated : keptSteps);
  const room = settings.maxSkillLength / bytesPerToken;
  return range(Math.min(low, room), Math.min(high, room));
}

/** What earlier steps of an epoch left for an analyst to read, and the optimizer's own notes. */
function memoryTokens({ settings, steps }: PromptInput): number {
  const before = Math.max(steps / settings.epochs - 1, 0) / 2;
  const notes = settings.metaSkill && settings.epochs > 2 ? 100 : 0;
  return before * (settings.minibatchSize + settings.editBudget) * ruleTokens + notes;
}

/** Tokenizers differ: prose has more bytes to a token than code or other languages have. */
const doubt = range(0.92, 1.12);

const tokensOf = (text: string): Range => tokensFor(byteLength(text));
const tokensFor = (bytes: number): Range => multiplyRanges(range(bytes / bytesPerToken), doubt);

/** One call's input, on average over the tasks. An environment that cannot be asked is taken for one plain question. */
async function rolloutTokens(
  tasks: readonly Task[],
  skill: Skill,
  { environment, settings }: PromptInput,
): Promise<Range> {
  if (tasks.length === 0) return range(0);
  const requests = await Promise.all(
    tasks.map((task) => captureRequests(task, skill, environment, settings)),
  );
  const sizes = requests.flat().map(requestBytes);
  return tokensFor(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
}

/** Of the task that preflight asks first. */
async function longestTokens(
  tasks: readonly Task[],
  skill: Skill,
  { environment, settings }: PromptInput,
): Promise<Range> {
  const requests = await Promise.all(
    tasks.map((task) => captureRequests(task, skill, environment, settings)),
  );
  return tokensFor(
    Math.max(0, ...requests.map(([first]) => (first === undefined ? 0 : requestBytes(first)))),
  );
}

/** What a judge reads of one answer, on average over the rubrics; what an agent changed in files comes on top, unknown. */
function verdictTokens(tasks: readonly Task[], reply: Range): Range {
  const asked = (replyTokens: number) => {
    const answer = "x".repeat(Math.round(replyTokens * bytesPerToken));
    const texts = tasks.flatMap((task) =>
      rubricTexts(task).map((rubric) => caseText({ task, performance: said(answer, task), rubric })),
    );
    return texts.reduce((sum, text) => sum + byteLength(text), 0) / Math.max(texts.length, 1);
  };
  const frame = tokensOf(systemText(judgePrompt, {}));
  return addRanges(frame, range(tokensFor(asked(reply.low)).low, tokensFor(asked(reply.high)).high));
}

/** One attempt as an analyst reads it, on average over the tasks. */
async function trajectoryTokens(train: readonly Task[], reply: Range): Promise<Range> {
  // a check that would ask somebody says nothing here, and its feedback is short
  const feedbacks = await Promise.all(
    train.map(async (task) => {
      const score = await scoreTask(task, said("", task), {});
      return "kind" in score ? "" : score.feedback;
    }),
  );
  const written = (replyTokens: number) => {
    const texts = train.map((task, at) => {
      const feedback = feedbacks[at] ?? "";
      const answer = "x".repeat(Math.round(replyTokens * bytesPerToken));
      const conversation = [
        { role: "user", content: task.input },
        { role: "assistant", content: answer },
      ] as const;
      return trajectoryText(
        task,
        { kind: "scored", hard: 0, soft: 0, feedback, conversation },
        task.reference,
      );
    });
    return (
      texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0) / Math.max(train.length, 1)
    );
  };
  return { low: tokensFor(written(reply.low)).low, high: tokensFor(written(reply.high)).high };
}
