/** One pass over tasks, as one rule sees it: coins of ours put it into some of the texts. */
export interface CoinPass {
  /** For each text, whether the rule is in it: any other choice of as many texts was as likely. */
  readonly has: readonly boolean[];
  readonly rolls: readonly CoinRoll[];
}

export interface CoinRoll {
  readonly task: number;
  /** The number of its text. */
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

/**
 * Whether a rule helps any task (`sign` 1) or harms one (−1), as a bet on our coins given the scores, pass by pass: a capital is
 * multiplied by how likely the scores are with the coins as they fell, over the mean of the same for all coins that could have
 * fallen. If the rule does nothing, no bettor can expect to win, whatever tasks, models and other rules do: the mean is exactly
 * 1, and the chance of ever reaching c is at most 1/c, whenever one looks (Ville).
 */
export function eSome(passes: readonly CoinPass[], tasks: number, sign: 1 | -1 = 1): CoinEvidence {
  const bets = shifts.map((shift) => betOn(passes, tasks, sign * shift));
  const capitals = bets.flatMap(({ logs }) => logs.map(Math.exp));
  const surest = bets.reduce((one, bet) => ((bet.logs[1] ?? 0) > (one.logs[1] ?? 0) ? bet : one));
  return {
    value: capitals.reduce((sum, capital) => sum + capital, 0) / capitals.length,
    concerns: Array.from({ length: tasks }, (_, task) => concernOf(task, surest)),
  };
}

/**
 * The capitals of all shares for one shift, in logs. Of each task it learns how likely its scores so far are at each level, if
 * the rule does not concern it (`free`) and if it does (`bound`).
 */
function betOn(passes: readonly CoinPass[], tasks: number, shift: number) {
  const [likeOff, likeOn] = [likelihoods(0), likelihoods(shift)];
  const [free, bound] = [evenly(tasks), evenly(tasks)];
  const [off, on] = [new Float64Array(levels.length), new Float64Array(levels.length)];
  const logs = shares.map(() => 0);
  for (const { has, rolls } of passes) {
    // for each share and text: how much likelier its scores are with the rule in it
    const gains = shares.map(() => new Float64Array(has.length).fill(1));
    for (const { task, text, score } of rolls) {
      const [without, within] = [likeOff(score), likeOn(score)];
      const first = task * levels.length;
      let [unconcerned, lacking, holding] = [0, 0, 0];
      for (let at = 0; at < levels.length; at += 1) {
        const [out, held] = [without[at] as number, within[at] as number];
        const [unmoved, moved] = [free[first + at] as number, bound[first + at] as number];
        free[first + at] = unmoved * out;
        off[at] = moved * out;
        on[at] = moved * held;
        unconcerned += unmoved * out;
        lacking += moved * out;
        holding += moved * held;
      }
      bound.set(has[text] === true ? on : off, first);
      for (let at = 0; at < shares.length; at += 1) {
        const [share, own] = [shares[at] as number, gains[at] as Float64Array];
        const rest = (1 - share) * unconcerned;
        own[text] = ((own[text] as number) * (rest + share * holding)) / (rest + share * lacking);
      }
    }
    // a rule that is in every text has thrown no coin
    if (!has.includes(false)) continue;
    for (const [at, own] of gains.entries()) logs[at] = (logs[at] ?? 0) + logRatio(own.map(Math.log), has);
  }
  return { logs, free, bound };
}

const evenly = (tasks: number): Float64Array => new Float64Array(tasks * levels.length).fill(1);

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

function concernOf(task: number, { free, bound }: Pick<ReturnType<typeof betOn>, "free" | "bound">): number {
  const total = (values: Float64Array) =>
    values.subarray(task * levels.length, (task + 1) * levels.length).reduce((sum, value) => sum + value, 0);
  const [share] = shares;
  return (share * total(bound)) / (share * total(bound) + (1 - share) * total(free));
}
