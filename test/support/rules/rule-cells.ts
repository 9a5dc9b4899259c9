import {
  type DiffuseOptions,
  type OfficeOptions,
  type RuleWorld,
  diffuseWorld,
  officeWorld,
} from "./rule-worlds.ts";

/** One kind of world, with what a search may spend in it. */
export interface RuleCell {
  readonly name: string;
  readonly family: Family;
  readonly tasks: number;
  /** The independent one of each. @default each its own */
  readonly units?: readonly number[];
  readonly steps: number;
  /** Val rollouts in all. */
  readonly rollouts: number;
  /** Rules that a step proposes. */
  readonly edits: (step: number) => number;
  readonly world: (seed: number) => RuleWorld;
}

export const families = [
  "mild",
  "hostile",
  "worthless",
  "clashing",
  "repeated",
  "graded",
  "fixed",
  "drifting",
  "rich",
  "office",
] as const;
export type Family = (typeof families)[number];

export const ruleCells: readonly RuleCell[] = [
  ...sizes("mild", [
    [8, 7],
    [8, 40],
    [20, 4],
    [20, 15],
    [20, 40],
    [50, 7],
    [50, 15],
    [100, 15],
    [200, 7],
  ]),
  ...sizes("hostile", [
    [8, 15],
    [20, 15],
    [20, 40],
    [50, 15],
    [100, 7],
  ]),
  ...sizes("worthless", [
    [20, 15],
    [100, 7],
  ]),
  diffuse("mild", "halved mild", { n: 50, mix: "mild", scale: 0.5 }, 15),
  diffuse("hostile", "halved hostile", { n: 50, mix: "hostile", scale: 0.5 }, 15),
  diffuse("clashing", "clash 5 % mild", { n: 50, mix: "mild", clash: 0.05 }, 15),
  diffuse("clashing", "clash 10 % mild", { n: 20, mix: "mild", clash: 0.1 }, 15),
  diffuse("repeated", "repeats mild", { n: 20, mix: "mild", repeat: 0.4 }, 15),
  diffuse("repeated", "repeats mild", { n: 50, mix: "mild", repeat: 0.4 }, 15),
  diffuse("graded", "graded mild", { n: 20, mix: "mild", graded: true }, 15),
  diffuse("fixed", "fixed mild", { n: 20, mix: "mild", fixed: true }, 15),
  diffuse("fixed", "fixed mild", { n: 50, mix: "mild", fixed: true }, 7),
  diffuse("drifting", "drift mild", { n: 50, mix: "mild", drift: 5 }, 15),
  diffuse("drifting", "drift hostile", { n: 50, mix: "hostile", drift: 5 }, 15),
  diffuse("mild", "base .9 mild", { n: 50, mix: "mild", base: 0.9 }, 15),
  rich("rich mild .5 n=20", { base: 0.5, n: 20, mix: "mild" }),
  rich("rich hostile .7 n=20", { base: 0.7, n: 20, mix: "hostile" }),
  rich("rich hostile .7 n=50", { base: 0.7, n: 50, mix: "hostile" }),
  office("1:1:1", { n: 20, shares: [1, 1, 1] }),
  office("1:1:1", { n: 100, shares: [1, 1, 1] }),
  office("5:3:2", { n: 20, shares: [5, 3, 2] }),
  office("5:3:2", { n: 100, shares: [5, 3, 2] }),
];

function sizes(mix: "mild" | "hostile" | "worthless", list: readonly (readonly [number, number])[]) {
  return list.map(([n, steps]) => diffuse(mix, mix, { n, mix }, steps));
}

/** From four proposed rules a step to two, by the project's default schedule. */
export function fromFourToTwo(steps: number): (step: number) => number {
  return (step) => Math.round(3 + Math.cos((Math.PI * step) / Math.max(steps - 1, 1)));
}

function diffuse(family: Family, name: string, options: DiffuseOptions, steps: number): RuleCell {
  const rollouts = (steps + 1) * options.n;
  return {
    name: `${name} n=${options.n} s=${steps}`,
    family,
    tasks: options.n,
    steps,
    rollouts,
    edits: fromFourToTwo(steps),
    world: (seed) => diffuseWorld(options, seed, rollouts),
  };
}

function rich(name: string, options: DiffuseOptions): RuleCell {
  const rollouts = 41 * options.n;
  const world = (seed: number) => diffuseWorld(options, seed, rollouts);
  return { name, family: "rich", tasks: options.n, steps: 10, rollouts, edits: () => 4, world };
}

function office(name: string, options: OfficeOptions): RuleCell {
  return {
    name: `office ${name} n=${options.n}`,
    family: "office",
    tasks: options.n,
    steps: 15,
    rollouts: 16 * options.n,
    edits: () => 4,
    world: (seed) => officeWorld(options, seed),
  };
}
