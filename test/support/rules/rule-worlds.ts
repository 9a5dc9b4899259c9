/** A rule of a world, with what it is in truth. */
export interface WorldRule {
  readonly kind: "useful" | "useless" | "harmful";
  readonly tokens: number;
}

/** A world with known truth. A text is the set of its rules. */
export interface RuleWorld {
  readonly n: number;
  readonly dice: () => number;
  readonly at: (rule: number) => WorldRule;
  readonly propose: (incumbent: readonly number[], count: number) => readonly number[];
  /** One noisy rollout on a val task. */
  readonly roll: (text: readonly number[], task: number) => number;
  /** The same with partial credit, where tasks have several checks. */
  readonly rollChecks?: (
    text: readonly number[],
    task: number,
  ) => { readonly score: number; readonly credit: number };
  /** The mean score on a large population of tasks. */
  readonly truth: (text: readonly number[]) => number;
}

export interface DiffuseOptions {
  readonly n: number;
  readonly mix: keyof typeof mixes;
  readonly base?: number;
  /** Factor on every effect. */
  readonly scale?: number;
  /** Share of pairs of rules that together cost a third of a logit everywhere. */
  readonly clash?: number;
  /** Share of proposals that say again what an earlier one said; both count once. */
  readonly repeat?: number;
  /** Scores in quarters. */
  readonly graded?: boolean;
  /** No noise at all. */
  readonly fixed?: boolean;
  /** The level moves by ± so many points over the budget: up with even seeds, down with odd ones. */
  readonly drift?: number;
}

/** mulberry32: the same worlds as those that the recorded rivals have seen. */
export function smallRandom(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const effects = [-0.05, -0.02, 0, 0.02, 0.05, 0.1] as const;
const mixes = {
  mild: [0.2, 0.2, 0.3, 0.15, 0.1, 0.05],
  hostile: [0.3, 0.3, 0.3, 0.06, 0.03, 0.01],
  worthless: [0, 0, 1, 0, 0, 0],
} as const;
const population = 600;
const spread = 1.5;

/** A rule touches 30% of the tasks, each differently, and moves the true mean at the original by its effect. Effects add up in log odds. */
export function diffuseWorld(options: DiffuseOptions, seed: number, rollouts: number): RuleWorld {
  const { n, mix, base = 0.6, scale = 1, clash = 0, repeat = 0, drift = 0 } = options;
  const { graded = false, fixed = false } = options;
  const r = smallRandom(seed * 7919 + 13);
  const dice = smallRandom(seed * 104729 + 7);
  const middle = middleFor(base);
  const draw = (length: number) => Float64Array.from({ length }, () => middle + spread * gauss(r));
  const [far, near] = [draw(population), draw(n)];
  const rules: (WorldRule & {
    readonly same: number;
    readonly far: Float64Array;
    readonly near: Float64Array;
  })[] = [];
  const clashes = new Map<number, boolean>();
  const slope = mean(far.map((odds) => logistic(odds) * (1 - logistic(odds))));
  let rolled = 0;
  const chance = (odds: number) => (fixed ? Number(odds > 0) : logistic(odds));
  const said = (text: readonly number[]) => {
    if (repeat === 0) return text.map((rule) => at(rules, rule));
    const seen = new Set<number>();
    return text.map((rule) => at(rules, rule)).filter(({ same }) => !seen.has(same) && seen.add(same));
  };
  const doClash = (a: number, b: number) => {
    const key = a * 1000 + b;
    if (!clashes.has(key)) clashes.set(key, smallRandom(seed * 31 + key * 2654435761)() < clash);
    return clashes.get(key) === true;
  };
  const penalty = (text: readonly number[]) => {
    if (clash === 0) return 0;
    const pairs = text.flatMap((a) => text.filter((b) => a < b && doClash(a, b)));
    return -pairs.length / 3;
  };
  return {
    n,
    dice,
    at: (rule) => at(rules, rule),
    propose: (_, count) =>
      Array.from({ length: count }, () => {
        const id = rules.length;
        const tokens = 15 + Math.floor(r() * 45);
        if (r() < repeat && id > 0) return rules.push({ ...at(rules, Math.floor(r() * id)), tokens }) - 1;
        let u = r();
        const effect = scale * (effects.find((_, k) => (u -= at(mixes[mix], k)) < 0) ?? 0);
        const touch = (length: number) =>
          Float64Array.from({ length }, () => (r() < 0.3 ? gauss(r) : Number.NaN));
        const [touchedFar, touchedNear] = [touch(population), touch(n)];
        const shift = shiftFor(far, touchedFar, effect, chance);
        const moves = (list: Float64Array) => list.map((x) => (Number.isNaN(x) ? 0 : x + shift));
        const kind = effect > 0 ? "useful" : effect < 0 ? "harmful" : "useless";
        return rules.push({ kind, tokens, same: id, far: moves(touchedFar), near: moves(touchedNear) }) - 1;
      }),
    roll(text, task) {
      let odds = at(near, task) + penalty(text);
      for (const rule of said(text)) odds += at(rule.near, task);
      const way = (seed % 2 === 0 ? 1 : -1) * drift;
      odds += (way * (2 * Math.min(rolled / rollouts, 1) - 1)) / 100 / slope;
      rolled += 1;
      const passes = () => Number(dice() < logistic(odds));
      if (graded) return [0, 1, 2, 3].reduce((sum) => sum + passes(), 0) / 4;
      return fixed ? chance(odds) : passes();
    },
    truth(text) {
      const odds = far.map((level) => level + penalty(text));
      for (const rule of said(text))
        for (let i = 0; i < population; i += 1) odds[i] = at(odds, i) + at(rule.far, i);
      return mean(odds.map(chance));
    },
  };
}

export interface OfficeOptions {
  readonly n: number;
  /** Of useful, useless and harmful proposals. */
  readonly shares: readonly [number, number, number];
}

const [topics, known] = [12, 2];

/** A rule helps one of twelve topics (.25 → .92) or misleads about two (.05); proposals answer the incumbent's failures. */
export function officeWorld({ n, shares }: OfficeOptions, seed: number): RuleWorld {
  const r = smallRandom(seed * 7919 + 3);
  const dice = smallRandom(seed * 104729 + 11);
  const rules: (WorldRule & { readonly topic: number; readonly other: number })[] = [];
  const chance = (text: readonly number[], topic: number) => {
    const about = text.map((rule) => at(rules, rule));
    if (about.some((rule) => rule.kind === "harmful" && (rule.topic === topic || rule.other === topic)))
      return 0.05;
    return topic < known || about.some((rule) => rule.kind === "useful" && rule.topic === topic)
      ? 0.92
      : 0.25;
  };
  const all = [...Array(topics).keys()];
  return {
    n,
    dice,
    at: (rule) => at(rules, rule),
    propose(incumbent, count) {
      const weak = all.filter((topic) => r() < 1 - chance(incumbent, topic) ** 3);
      return Array.from({ length: count }, () => {
        const u = r() * (shares[0] + shares[1] + shares[2]);
        const topic = weak.length > 0 ? at(weak, Math.floor(r() * weak.length)) : Math.floor(r() * topics);
        const kind = u < shares[0] ? "useful" : u < shares[0] + shares[1] ? "useless" : "harmful";
        const other = Math.floor(r() * topics);
        return rules.push({ kind, topic, other, tokens: 15 + Math.floor(r() * 45) }) - 1;
      });
    },
    roll: (text, task) => Number(dice() < chance(text, task % topics)),
    truth: (text) => mean(all.map((topic) => chance(text, topic))),
  };
}

function shiftFor(
  odds: Float64Array,
  touched: Float64Array,
  effect: number,
  chance: (odds: number) => number,
): number {
  const own = [...touched.keys()].filter((i) => !Number.isNaN(at(touched, i)));
  const before = own.reduce((sum, i) => sum + chance(at(odds, i)), 0);
  const moved = Float64Array.from(own, (i) => at(odds, i) + at(touched, i));
  let [low, high] = [-12, 12];
  for (let k = 0; k < 25; k += 1) {
    const middle = (low + high) / 2;
    let sum = 0;
    for (let i = 0; i < moved.length; i += 1) sum += chance(at(moved, i) + middle);
    if ((sum - before) / odds.length < effect) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const middles = new Map<number, number>();

/** The middle of the tasks' log odds at which the mean score is `base`. */
function middleFor(base: number): number {
  const found = middles.get(base);
  if (found !== undefined) return found;
  const r = smallRandom(99);
  const draws = Array.from({ length: 4000 }, () => spread * gauss(r));
  let [low, high] = [-6, 6];
  for (let k = 0; k < 50; k += 1) {
    const middle = (low + high) / 2;
    if (mean(draws.map((z) => logistic(middle + z))) < base) low = middle;
    else high = middle;
  }
  middles.set(base, (low + high) / 2);
  return (low + high) / 2;
}

const gauss = (r: () => number): number => Math.sqrt(-2 * Math.log(1 - r())) * Math.cos(2 * Math.PI * r());
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const at = <T>(items: ArrayLike<T>, index: number): T => items[index] as T;
function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += at(values, i);
  return sum / values.length;
}
