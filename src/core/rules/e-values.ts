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

/** The bets of all shares for one shift. Loops, because a plan rehearses millions of rollouts. */
function betOn(has: readonly (readonly boolean[])[], tasks: number, shift: number) {
  const [likeOff, likeOn] = [likelihoods(0), likelihoods(shift)];
  // by share, pass and text: how much likelier its scores are with the rule in it, in logs
  const gains = shares.map(() => has.map((texts) => new Float64Array(texts.length)));
  const shown = Array.from({ length: tasks }, (): Shown => ({ rolls: [], logs: new Float64Array() }));
  const concerns = Array.from({ length: tasks }, () => concernOf(1, 1));
  const add = ({ rolls, logs }: Shown, times: 1 | -1): void => {
    for (let nth = 0; nth < rolls.length; nth += 1) {
      const { pass, text } = rolls[nth] as CoinRoll;
      for (let at = 0; at < shares.length; at += 1) {
        const own = gains[at]?.[pass];
        if (own !== undefined)
          own[text] = (own[text] as number) + times * (logs[nth * shares.length + at] as number);
      }
    }
  };
  return {
    concerns,
    see(task: number, rolls: readonly CoinRoll[]): void {
      const old = shown[task];
      if (old !== undefined) add(old, -1);
      // how likely its scores so far are at each level, if the rule does not concern it and if it does
      const [free, bound] = [
        new Float64Array(levels.length).fill(1),
        new Float64Array(levels.length).fill(1),
      ];
      const logs = new Float64Array(rolls.length * shares.length);
      for (let nth = 0; nth < rolls.length; nth += 1) {
        const { pass, text, score } = rolls[nth] as CoinRoll;
        const [without, within] = [likeOff(score), likeOn(score)];
        const isIn = has[pass]?.[text] === true;
        let unconcerned = 0;
        let lacking = 0;
        let holding = 0;
        for (let at = 0; at < levels.length; at += 1) {
          const unmoved = (free[at] as number) * (without[at] as number);
          const off = (bound[at] as number) * (without[at] as number);
          const on = (bound[at] as number) * (within[at] as number);
          free[at] = unmoved;
          bound[at] = isIn ? on : off;
          unconcerned += unmoved;
          lacking += off;
          holding += on;
        }
        for (let at = 0; at < shares.length; at += 1) {
          const share = shares[at] as number;
          const rest = (1 - share) * unconcerned;
          logs[nth * shares.length + at] = Math.log((rest + share * holding) / (rest + share * lacking));
        }
      }
      const now = { rolls, logs };
      shown[task] = now;
      add(now, 1);
      concerns[task] = concernOf(sum(free), sum(bound));
    },
    /** The capitals, in logs. A rule that is in every text of a pass has thrown no coin there. */
    logs: (): readonly number[] =>
      gains.map((passes) =>
        passes.reduce((log, own, pass) => {
          const texts = has[pass] ?? [];
          return texts.includes(false) ? log + logRatio(own, texts) : log;
        }, 0),
      ),
  };
}

/** What a task showed, and what each rollout adds to the gains of its text: a number for every share. */
interface Shown {
  readonly rolls: readonly CoinRoll[];
  readonly logs: Float64Array;
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
  let most = -Infinity;
  for (let text = 0; text < gains.length; text += 1) most = Math.max(most, gains[text] as number);
  // means[k]: the mean over all choices of k of the texts so far
  const means = new Float64Array(gains.length + 1);
  means[0] = 1;
  let [chosen, total] = [0, 0];
  for (let text = 0; text < gains.length; text += 1) {
    const gain = (gains[text] as number) - most;
    const factor = Math.exp(gain);
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
