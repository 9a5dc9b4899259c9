import { type Usage, type Role } from "../ports/model.ts";
import type { Stage } from "../place.ts";
import { ruleNames } from "../prompts/prompt.ts";
import { seededRandom } from "../random.ts";
import type { TrainSettings } from "../settings.ts";
import { bytesPerToken } from "../work/estimate-tokens.ts";
import type { MeasuredModels, MeasuredReplies } from "./measured-models.ts";

/** One possible world: a drawn answer to everything that is unknown before a run. */
export interface Imagined {
  /** Whether the optimizer finds nothing new to add. */
  readonly isSaid: boolean;
  /** Whether the target solves a question with the help of this text. */
  solves(help: string, question: string, random: () => number): boolean;
  /** Words that mark an answer to a question. They're equal when the target repeats an answer. */
  wording(question: string, isRight: boolean, random: () => number): string;
  /** The tokens of a call. `text` is the reply; undefined if its words don't matter. */
  usage(call: ImaginedCall, random: () => number): Usage;
  /** The duration of a call in milliseconds. */
  duration(call: ImaginedCall, usage: Usage, random: () => number): number;
  /** One rollout of an agent. */
  rollout(random: () => number): Usage & { readonly calls: number; readonly ms: number };
}

export interface ImaginedCall {
  readonly role: Role;
  readonly stage: Stage;
  readonly bytes: number;
  /** The reply, if its words are drawn. The target's aren't. */
  readonly text?: string;
}

export interface ImagineInput {
  readonly measured: MeasuredModels;
  /** `provider/model` by role. */
  readonly models: Readonly<Record<Role, string>>;
  readonly settings: TrainSettings;
  /** The skill that the run starts with. */
  readonly skill: string;
  /** Whether the rules come from requests that went wrong, which resemble each other. */
  readonly fromTalks?: boolean;
  /** For a night: the share of what people asked for, and of what was learned, that is already in the files. @default 0 */
  readonly adopted?: number;
  /** Average tokens of the answers that the tasks expect; undefined if none are known. */
  readonly expected?: number;
}

/** Draws one such world: from the journal's measurements, else from wide guesses. */
export function imagine(input: ImagineInput, random: () => number): Imagined {
  const { measured, models, settings, expected, fromTalks = false, adopted = 0 } = input;
  const between = (low: number, high: number) => low * (high / low) ** random();
  // means vary a little from run to run, and tokenizers differ
  const [moves, tokenizer, pace] = [between(0.9, 1.12), between(0.94, 1.09), between(0.8, 1.25)];
  // for a stage without measurements, other stages at least show how much the model talks
  const talkative = measured.optimizer.size > 0 ? between(0.7, 1.9) : between(0.5, 3);
  const talk = {
    optimizer: talkative,
    // a judge writes more about open requests than about exact answers
    judge: fromTalks ? between(1, 7) : between(0.5, 3),
    miner: between(0.5, 3),
  };
  // one reply only roughly shows how long others are
  const once = between(0.7, 1.5);
  const few = { target: between(0.6, 1.6), optimizer: between(0.6, 1.6), judge: 1, miner: 1 };
  const guessed = {
    answer: between(...guessAnswer(expected, settings.targetMaxTokens, fromTalks)),
    pace: between(...guessedPace),
    agent: between(...guessedAgent),
  };
  const solving = imagineSolving(input, random);
  const isSaid = random() < mostSaid * adopted;
  const jitter = (draw: () => number) => 0.75 + 0.5 * draw();
  return {
    ...solving,
    isSaid,
    usage({ role, stage, bytes, text }, draw) {
      const known = measuredOf(role, stage, measured);
      const inputTokens = Math.round((tokenizer * bytes) / bytesPerToken);
      const written = text === undefined ? guessed.answer : text.length / bytesPerToken;
      const guess = role === "target" ? written : talk[role] * written;
      const seen = measured.timed?.[role]?.outputTokens;
      const said =
        known === undefined ? (seen === undefined ? guess : few[role] * seen) : moves * known.outputTokens;
      return {
        inputTokens,
        outputTokens: Math.max(Math.round(jitter(draw) * said), 1),
        cachedInputTokens: Math.round((known?.cachedShare ?? 0) * inputTokens),
      };
    },
    duration({ role, stage }, { outputTokens }, draw) {
      const known = measuredOf(role, stage, measured)?.ms;
      const timed = measured.timed?.[role];
      // the journal's times include waiting for other calls to the same server
      const isAlone = timed !== undefined && measured.slots?.has(models[role]) === true;
      if (known !== undefined && (role === "optimizer" || !isAlone)) return jitter(draw) * pace * known;
      if (timed === undefined) return jitter(draw) * guessed.pace * usualMs(outputTokens);
      const { ms, replies, written = outputTokens } = timed;
      return (jitter(draw) * (replies < 10 ? once : pace) * ms * usualMs(outputTokens)) / usualMs(written);
    },
    rollout(draw) {
      const { agent } = measured;
      const times = (agent === undefined ? guessed.agent : moves) * jitter(draw);
      const { calls, inputTokens, outputTokens, cachedInputTokens } = agent ?? usualAgent;
      return {
        calls: Math.max(Math.round(times * calls), 1),
        inputTokens: Math.round(times * inputTokens),
        outputTokens: Math.round(times * outputTokens),
        cachedInputTokens: Math.round(times * cachedInputTokens),
        ms: agent?.ms === undefined ? times * usualAgent.ms : pace * jitter(draw) * agent.ms,
      };
    },
  };
}

/** How often nothing is left to add once everything people asked for is adopted. */
const mostSaid = 0.5;

/** An agent's usage for a medium task. The real one can be much lower or higher. */
export const usualAgent = {
  calls: 6,
  inputTokens: 40_000,
  outputTokens: 1500,
  cachedInputTokens: 0,
  ms: 120_000,
} as const;
export const guessedAgent = [0.42, 2.4] as const;
/** The assumed duration of an untimed call: a fixed part, and a part per output token. */
export const usualCall = { ms: 1000, tokenMs: 20 } as const;
const usualMs = (outputTokens: number): number => usualCall.ms + usualCall.tokenMs * outputTokens;
/** The range of factors on that duration. */
const guessedPace = [0.45, 2.2] as const;

/** An answer is at least as long as the tasks expect, and thinking makes it longer. */
function guessAnswer(
  expected: number | undefined,
  most: number,
  fromTalks: boolean,
): readonly [number, number] {
  // answers in a conversation are longer than in an eval
  if (fromTalks) return [0.04 * most, 0.25 * most];
  if (expected === undefined) return [0.02 * most, 0.1 * most];
  return [Math.max(expected, 1), Math.max(2.5 * expected, 0.04 * most)];
}

function measuredOf(role: Role, stage: Stage, measured: MeasuredModels): MeasuredReplies | undefined {
  if (role !== "optimizer") return measured[role];
  return measured.optimizer.get(stage === "preflight" ? "reflect" : stage);
}

/** Easy questions are mostly solved, hard ones mostly not. Each rule helps or harms some of them. */
function imagineSolving(
  { measured: { score }, skill, fromTalks = false, adopted = 0 }: ImagineInput,
  random: () => number,
): Pick<Imagined, "solves" | "wording"> {
  const seed = String(random());
  const alone = fromTalks ? 0.05 + 0.4 * random() : 0.15 + 0.7 * random();
  // adopted rules mostly work, but how often hasn't been measured
  const guess = alone + adopted * Math.sqrt(random()) * (0.95 - alone);
  const mean = score === undefined ? guess : score.mean + (random() - 0.5) * Math.sqrt(1 / score.tasks);
  const [easy, hard] = [0.72 + 0.23 * random(), 0.08 + 0.27 * random()];
  const easyShare = (mean - hard) / (easy - hard);
  const reach = fromTalks ? 0.25 + 0.65 * random() : 0.04 * 6 ** random();
  const [useful, harmful] = [0.25 + 0.5 * random(), 0.05 + 0.2 * random()];
  // most of a skill's existing text is there for a reason
  const needed = 0.2 + 0.6 * random();
  // some answers can hardly be worded differently, and some targets never vary
  const [repeatsItself, isTerse] = [random() < (fromTalks ? 0.05 : 0.2), random() < (fromTalks ? 0.1 : 0.35)];
  const original = skill.split("\n").filter((line) => line.trim().length > 10);
  const drawn = new Map<string, number>();
  /** Gives the same number for the same words throughout a rehearsal. */
  const fixed = (words: string): number => {
    const number = drawn.get(words) ?? seededRandom(seed, words)();
    drawn.set(words, number);
    return number;
  };
  const gainOf = (rule: number): number => {
    const kind = mix(rule, 0.5);
    return kind < useful ? 0.65 : kind > 1 - harmful ? -0.5 : 0;
  };
  const read = (help: string): Help => {
    const held = new Set(help.split("\n"));
    return {
      rules: ruleNames(help)
        .map(fixed)
        .filter((rule) => gainOf(rule) !== 0),
      missing: original
        .filter((line) => !held.has(line))
        .map(fixed)
        .filter((line) => mix(line, 0.5) < needed),
    };
  };
  const helps = new Map<string, Help>();
  const chanceOf = (help: string, question: number): number => {
    const { rules, missing } = helps.get(help) ?? read(help);
    if (!helps.has(help)) helps.set(help, { rules, missing });
    const concerns = (words: number) => mix(words, question) < reach;
    const gained = rules.reduce((sum, rule) => sum + (concerns(rule) ? gainOf(rule) : 0), 0);
    const start = question < easyShare ? easy : hard;
    return Math.min(Math.max(start + gained - (missing.some(concerns) ? 0.65 : 0), 0.05), 0.95);
  };
  return {
    wording: (question, isRight, draw) =>
      (repeatsItself || isTerse ? mix(fixed(question), isRight ? 0.75 : 0.35) : draw())
        .toString(36)
        .slice(2, 6),
    solves(help, question, draw) {
      const asked = fixed(question);
      return (repeatsItself ? mix(asked, 0.25) : draw()) < chanceOf(help, asked);
    },
  };
}

/** The parts of a text that matter: rules with an effect, and needed lines of the original that were removed. */
interface Help {
  readonly rules: readonly number[];
  readonly missing: readonly number[];
}

/** Mixes two numbers into a third in [0, 1): cheap, and uniform enough. */
function mix(a: number, b: number): number {
  const x = Math.sin(a * 12_989.8 + b * 78_233.1) * 43_758.5453;
  return x - Math.floor(x);
}
