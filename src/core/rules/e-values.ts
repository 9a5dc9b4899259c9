import { mean } from "../mean.ts";

/** A rollout of one task, as a rule's coins see it. */
export interface CoinRoll {
  /** The number of its pass. */
  readonly pass: number;
  /** The number of its text in that pass. */
  readonly text: number;
  readonly score: number;
}

/** What the coins of one rule say. */
export interface CoinEvidence {
  /** The e-value of "it moves some task in this direction". */
  readonly value: number;
  /** For each task how likely it is one of those, for a bettor who believed in a tenth of them beforehand. */
  readonly concerns: readonly number[];
}

/** By how much a rule may move the log odds of a task that it concerns. */
const shifts = [1.2, 3] as const;

/** Which share of the tasks it may concern. Every pair of share and shift is a bettor; all start with the same capital. */
const shares = [0.1, 0.25, 0.6] as const;

/** What a task's own log odds may be, equally likely beforehand. */
const levels = [-4, -2.5, -1.2, 0, 1.2, 2.5, 4];

/** The bets on one rule's coins. */
export interface CoinBets {
  /** Takes the rollouts of a task, in the order of their passes, in place of those that it was shown before. */
  see(task: number, rolls: readonly CoinRoll[]): void;
  /** Whether the rule helps any task (1) or harms one (−1). */
  evidence(sign: 1 | -1): CoinEvidence;
}

/**
 * Bets on our coins given the scores, pass by pass: a capital is multiplied by how likely the scores are with the coins as they
 * fell, over the mean of the same for all coins that could have fallen. If the rule does nothing, no bettor can expect to win,
 * whatever tasks, models and other rules do: the mean is exactly 1, and the chance of ever reaching c is at most 1/c, whenever
 * one looks (Ville).
 *
 * `has` tells for each pass which of its texts have the rule: any other choice of as many texts was as likely. What tasks show is
 * kept apart, so that one of them can be shown anew at the price of one.
 */
export function openBets(has: readonly (readonly boolean[])[], tasks: number): CoinBets {
  const bets = {
    "1": shifts.map((shift) => betOn(has, tasks, shift)),
    "-1": shifts.map((shift) => betOn(has, tasks, -shift)),
  };
  return {
    see(task, rolls) {
      for (const bet of [...bets["1"], ...bets["-1"]]) bet.see(task, rolls);
    },
    evidence(sign) {
      const all = bets[sign].map(({ logs, concerns }) => ({ logs: logs(), concerns }));
      const capitals = all.flatMap(({ logs }) => logs.map(Math.exp));
      const surest = all.reduce((one, bet) => ((bet.logs[1] ?? 0) > (one.logs[1] ?? 0) ? bet : one));
      return { value: mean(capitals), concerns: [...surest.concerns] };
    },
  };
}

/** The bets of all shares for one shift. */
function betOn(has: readonly (readonly boolean[])[], tasks: number, shift: number) {
  const [likeOff, likeOn] = [likelihoods(0), likelihoods(shift)];
  // by pass, share and text: how much likelier its scores are with the rule in it, in logs
  const gains = has.map((texts) => shares.map(() => new Float64Array(texts.length)));
  const shown = Array.from({ length: tasks }, (): Shown[] => []);
  const concerns = Array.from({ length: tasks }, () => concernOf(1, 1));
  const add = ({ pass, text, logs }: Shown, times: 1 | -1) => {
    for (const [at, own] of (gains[pass] ?? []).entries())
      own[text] = (own[text] ?? 0) + times * (logs[at] ?? 0);
  };
  return {
    concerns,
    see(task: number, rolls: readonly CoinRoll[]): void {
      for (const old of shown[task] ?? []) add(old, -1);
      // how likely its scores so far are at each level, if the rule does not concern it and if it does
      const [free, bound] = [
        new Float64Array(levels.length).fill(1),
        new Float64Array(levels.length).fill(1),
      ];
      const [off, on] = [new Float64Array(levels.length), new Float64Array(levels.length)];
      shown[task] = rolls.map(({ pass, text, score }) => {
        const [without, within] = [likeOff(score), likeOn(score)];
        let [unconcerned, lacking, holding] = [0, 0, 0];
        for (let at = 0; at < levels.length; at += 1) {
          const [out, held] = [without[at] as number, within[at] as number];
          const [unmoved, moved] = [free[at] as number, bound[at] as number];
          unconcerned += free[at] = unmoved * out;
          lacking += off[at] = moved * out;
          holding += on[at] = moved * held;
        }
        bound.set(has[pass]?.[text] === true ? on : off);
        const logs = shares.map((share) => {
          const rest = (1 - share) * unconcerned;
          return Math.log((rest + share * holding) / (rest + share * lacking));
        });
        return { pass, text, logs };
      });
      for (const roll of shown[task]) add(roll, 1);
      concerns[task] = concernOf(sum(free), sum(bound));
    },
    /** The capitals, in logs. A rule that is in every text of a pass has thrown no coin there. */
    logs: (): readonly number[] =>
      shares.map((_, at) =>
        has.reduce(
          (log, texts, pass) =>
            texts.includes(false) ? log + logRatio(gains[pass]?.[at] ?? new Float64Array(), texts) : log,
          0,
        ),
      ),
  };
}

/** What one rollout adds to the gains of its text, by share. */
interface Shown extends Pick<CoinRoll, "pass" | "text"> {
  readonly logs: readonly number[];
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** How likely a task is one that the rule moves, for the bettor who believes in the fewest. */
const concernOf = (free: number, bound: number): number =>
  (shares[0] * bound) / (shares[0] * bound + (1 - shares[0]) * free);

/** How likely a score is at each level, when the log odds are moved by so much. */
function likelihoods(move: number): (score: number) => Float64Array {
  const chances = levels.map((level) => 1 / (1 + Math.exp(-level - move)));
  const known = new Map<number, Float64Array>();
  return (score) => {
    const found =
      known.get(score) ??
      Float64Array.from(chances, (chance) => chance ** score * (1 - chance) ** (1 - score));
    known.set(score, found);
    return found;
  };
}

/** The product over the texts that have the rule, over its mean for all choices of as many texts; all in logs. */
function logRatio(gains: Float64Array, has: readonly boolean[]): number {
  const most = Math.max(...gains);
  // means[k]: the mean over all choices of k of the texts so far
  const means = new Float64Array(gains.length + 1);
  means[0] = 1;
  let [chosen, total] = [0, 0];
  for (const [text, logGain] of gains.entries()) {
    const [gain, factor] = [logGain - most, Math.exp(logGain - most)];
    for (let size = text + 1; size > 0; size -= 1) {
      const [without, within] = [means[size] as number, (means[size - 1] as number) * factor];
      means[size] = (without * (text + 1 - size) + within * size) / (text + 1);
    }
    if (has[text] !== true) continue;
    chosen += 1;
    total += gain;
  }
  return total - Math.log(means[chosen] as number);
}
