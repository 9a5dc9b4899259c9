import type { EditCell } from "../edit-world.ts";

/** One cell of the proof; each differs from the base in one thing, or asks something of its own. */
export type ClaimsCell =
  /** A run with all defaults: split, search, sealed test. */
  | { readonly kind: "training"; readonly name: string; readonly tasks: number; readonly world: EditCell }
  /** `compare` again and again with more trials: the pairs go on, and each look is counted. */
  | {
      readonly kind: "looks";
      readonly name: string;
      readonly tasks: number;
      /** Worthless edits of the other skill; none: the same skill in other words. */
      readonly edits: number;
      readonly world: EditCell;
    }
  /** A run, one more task in the file, and another run. */
  | { readonly kind: "grown"; readonly name: string; readonly tasks: number; readonly world: EditCell }
  /** Ten runs on one test set in random order: five with the mild mix, five with worthless edits. */
  | { readonly kind: "ten"; readonly name: string; readonly tasks: number; readonly world: EditCell }
  /** One candidate that gains 5 points on nine tasks of ten and loses 45 on the tenth. */
  | { readonly kind: "skewed"; readonly name: string; readonly tasks: number; readonly noise: number };

const base: EditCell = { base: 0.6, mix: "worthless", target: "noisy", scores: "pass-fail", group: 1 };

export const looks = [3, 5, 8, 12, 20] as const;

export const claimsCells: readonly ClaimsCell[] = [
  training("base: noisy, 50 tasks, worthless edits", 50),
  training("12 tasks", 12),
  training("20 tasks", 20),
  training("100 tasks", 100),
  training("hostile edits", 50, { mix: "hostile" }),
  training("fixed target", 50, { target: "fixed" }),
  training("fixed target, 20 tasks", 20, { target: "fixed" }),
  training("fixed target, hostile edits", 50, { target: "fixed", mix: "hostile" }),
  training("any wording redraws all", 50, { target: "wording" }),
  training("any wording redraws all, 20 tasks", 20, { target: "wording" }),
  training("any wording redraws a fifth, 20 tasks", 20, { target: "wording, a fifth" }),
  training("groups of 5, 100 tasks", 100, { group: 5 }),
  training("groups of 10, 200 tasks", 200, { group: 10 }),
  training("graded scores", 50, { scores: "graded" }),
  { kind: "looks", name: "looks, same skill, 20 tasks", tasks: 20, edits: 0, world: base },
  { kind: "looks", name: "looks, worthless patch, 50 tasks", tasks: 50, edits: 4, world: base },
  { kind: "grown", name: "file grown by one task", tasks: 50, world: base },
  { kind: "grown", name: "file grown by one task, fixed", tasks: 50, world: { ...base, target: "fixed" } },
  { kind: "ten", name: "ten runs, half of them true", tasks: 100, world: base },
  { kind: "skewed", name: "12 tasks, steady", tasks: 12, noise: 0 },
  { kind: "skewed", name: "20 tasks, steady", tasks: 20, noise: 0 },
  { kind: "skewed", name: "100 tasks, steady", tasks: 100, noise: 0 },
  { kind: "skewed", name: "20 tasks, scores scatter by 5 points", tasks: 20, noise: 0.05 },
  { kind: "skewed", name: "100 tasks, scores scatter by 5 points", tasks: 100, noise: 0.05 },
];

function training(name: string, tasks: number, other: Partial<EditCell> = {}): ClaimsCell {
  return { kind: "training", name, tasks, world: { ...base, ...other } };
}
