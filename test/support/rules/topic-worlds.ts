import { affordsSurplus } from "../../../src/core/loop/turns.ts";
import { type RuleCell, fromFourToTwo } from "./rule-cells.ts";
import { type RuleWorld, smallRandom } from "./rule-worlds.ts";

/**
 * Worlds of tasks that belong to topics, made by another hand than the search and never used to tune it: rules that concern one topic, a few
 * tasks, both ways, all tasks, each other, or nothing.
 */
export const topicKinds = [
  "one topic",
  "few tasks",
  "both ways",
  "any task",
  "nothing",
  "diffuse",
  "one rule",
  "themes",
  "together",
  "said twice",
] as const;
export type TopicKind = (typeof topicKinds)[number];

/** What a rule adds to the chance of a task: of the population, or of val. */
type Effect = (topic: number, task: number, isVal: boolean) => number;

interface TopicRule {
  readonly effect: Effect;
  readonly tokens: number;
  /** The rule that says the same. */
  readonly same?: number;
  /** Only works beside this one. */
  readonly needs?: number;
  /** Harms beside this one. */
  readonly clash?: number;
}

const topics = 12;
const population = 800;

/** `noise`: .3 draws every answer anew; less is the chance that a fixed answer flips. */
export function topicWorld(kind: TopicKind, n: number, noise: number, seed: number): RuleWorld {
  const [random, dice] = [smallRandom(seed * 7 + 1), smallRandom(seed * 13 + 5)];
  const raw = Array.from({ length: topics }, () => 0.3 + random());
  const total = sum(raw);
  const shares = raw.map((one) => one / total);
  const levels = raw.map(() => (random() < 0.5 ? 0.15 + 0.3 * random() : 0.75 + 0.2 * random()));
  const drawTopic = () => {
    let left = random();
    return Math.max(
      shares.findIndex((share) => (left -= share) < 0),
      0,
    );
  };
  const drawTasks = (length: number) =>
    Array.from({ length }, () => ({ topic: drawTopic(), own: 0.12 * gauss(random) }));
  const [far, near] = [drawTasks(population), drawTasks(n)];
  const rules: TopicRule[] = [];
  let theme = 0;

  const onTasks = (share: number, size: () => number): Effect => {
    const draw = (length: number) => Float64Array.from({ length }, () => (random() < share ? size() : 0));
    const [all, val] = [draw(population), draw(n)];
    return (_, task, isVal) => (isVal ? val : all)[task] as number;
  };
  const onTopic =
    (one: number, size: number): Effect =>
    (topic) =>
      topic === one ? size : 0;
  const onTwo =
    (one: number, size: number): Effect =>
    (topic) =>
      topic === one || topic === (one + 1) % topics ? size : 0;
  const none: Effect = () => 0;

  const effects: Readonly<Record<TopicKind, (chance: number) => Omit<TopicRule, "tokens">>> = {
    "one topic": (chance) => {
      const topic = Math.floor(random() * topics);
      return { effect: chance < 0.7 ? (chance < 0.3 ? onTopic(topic, 0.6) : none) : onTopic(topic, -0.6) };
    },
    "few tasks": (chance) => ({
      effect: chance < 0.3 ? onTasks(0.05, () => 0.8) : chance < 0.6 ? none : onTasks(0.05, () => -0.8),
    }),
    "both ways": (chance) => {
      const [cut, size] = [Math.floor(random() * topics), 0.15 + 0.35 * random()];
      const net = chance < 0.35 ? 0.04 : chance < 0.7 ? 0 : -0.05;
      const isUp = (topic: number) => (topic + cut) % topics < topics / 2;
      const up = sum(shares.filter((_, topic) => isUp(topic)));
      return { effect: (topic) => 2 * size * (isUp(topic) ? 1 - up : -up) + net };
    },
    "any task": () => ({ effect: onTasks(0.3, () => 0.35 * gauss(random)) }),
    nothing: () => ({ effect: none }),
    diffuse: () => {
      const middle = 0.05 * gauss(random) - 0.01;
      return { effect: onTasks(1, () => middle + 0.08 * gauss(random)) };
    },
    "one rule": (chance) => ({
      effect: chance < 0.06 ? () => 0.35 : chance < 0.7 ? none : onTasks(0.4, () => -0.08),
    }),
    themes: () => ({ effect: onTwo(theme % topics, (theme * 2654435761) % 3 === 0 ? 0.3 : -0.2) }),
    together: (chance) => {
      const topic = Math.floor(random() * topics);
      const earlier = Math.floor(random() * rules.length);
      if (chance < 0.25 && rules.length > 2) return { effect: onTwo(topic, 0.5), needs: earlier };
      if (chance < 0.5 && rules.length > 2) return { effect: onTopic(topic, 0.5), clash: earlier };
      return { effect: chance < 0.75 ? onTopic(topic, 0.4) : none };
    },
    "said twice": (chance) => {
      if (chance < 0.5 && rules.length > 2) {
        const earlier = Math.floor(random() * rules.length);
        const { effect, same = earlier } = rules[earlier] as TopicRule;
        return { effect, same };
      }
      const [topic, which] = [Math.floor(random() * topics), random()];
      return { effect: which < 0.4 ? onTopic(topic, 0.6) : which < 0.7 ? none : onTopic(topic, -0.4) };
    },
  };

  const working = (text: readonly number[]): readonly Effect[] => {
    const said = new Set<number>();
    return text.flatMap((one) => {
      const { effect, same = one, needs, clash } = rules[one] as TopicRule;
      if (said.has(same) || (needs !== undefined && !text.includes(needs))) return [];
      said.add(same);
      const clashes = clash !== undefined && text.includes(clash);
      return [clashes ? (...where: Parameters<Effect>) => -0.6 * Math.abs(effect(...where)) : effect];
    });
  };
  const chanceOf = (acting: readonly Effect[], task: number, isVal: boolean): number => {
    const { topic, own } = (isVal ? near : far)[task] as (typeof near)[number];
    const moved = acting.reduce((all, effect) => all + effect(topic, task, isVal), 0);
    return Math.min(Math.max((levels[topic] as number) + own + moved, 0.02), 0.98);
  };
  const flip = noise < 0.3 ? noise : 0;
  const truths = new Map<string, number>();
  const truth = (text: readonly number[]): number => {
    const key = text.toSorted((a, b) => a - b).join(" ");
    const known = truths.get(key);
    if (known !== undefined) return known;
    const acting = working(text);
    const mean = sum(far.map((_, task) => chanceOf(acting, task, false))) / population;
    truths.set(key, mean * (1 - flip) + (1 - mean) * flip);
    return truths.get(key) as number;
  };
  return {
    n,
    dice,
    truth,
    at(rule) {
      const worth = truth([rule]) - truth([]);
      const kind = worth >= 0.005 ? "useful" : worth <= -0.005 ? "harmful" : "useless";
      return { kind, tokens: (rules[rule] as TopicRule).tokens };
    },
    propose(_, count) {
      theme = Math.floor(random() * 1e6);
      return Array.from({ length: count }, () => {
        const tokens = 15 + Math.floor(random() * 45);
        return rules.push({ tokens, ...effects[kind](random()) }) - 1;
      });
    },
    roll(text, task) {
      const chance = chanceOf(working(text), task, true);
      if (noise >= 0.3) return Number(dice() < chance);
      const answer = Number(hashed(`${seed} ${task} ${text.join(" ")}`) < chance);
      return dice() < noise ? 1 - answer : answer;
    },
  };
}

export interface TopicCell extends Omit<RuleCell, "family"> {
  readonly kind: TopicKind;
  readonly surplus: boolean;
}

/** The product's plan with as many train tasks as val tasks: four epochs, and what comes at the end of three of them. */
export const topicCells: readonly TopicCell[] = [10, 30, 100].flatMap((n) =>
  topicKinds.map((kind) => {
    const batch = Math.min(Math.max(Math.ceil(n / 5), 8), 40);
    const steps = 4 * Math.ceil(n / batch) + 3;
    return {
      name: `${kind} n=${n}`,
      kind,
      tasks: n,
      steps,
      rollouts: Math.floor((steps + 0.5) * n),
      edits: fromFourToTwo(steps),
      surplus: affordsSurplus({ val: n, tasks: n, severalChecks: 0 }),
      // every third world answers the same again, but for one answer in ten
      world: (seed: number) => topicWorld(kind, n, seed % 3 === 0 ? 0.1 : 0.3, seed),
    };
  }),
);

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const gauss = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A number in [0, 1) for a text. */
function hashed(text: string): number {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return smallRandom(hash)();
}
