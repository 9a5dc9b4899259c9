import { drawNormal, passRate } from "../../src/core/gate/claim/task-model.ts";
import { seededRandom } from "../../src/core/random.ts";
import {
  applyMoves,
  drawEffect,
  drawMoves,
  middleFor,
  type mixes,
  shiftFor,
  spread,
  within,
} from "./edit-moves.ts";

/** A file of tasks, a target, and an optimizer that proposes patches of several edits. */
export interface EditCell {
  /** Mean score of the original. */
  readonly base: number;
  readonly mix: keyof typeof mixes;
  /**
   * `noisy`: every answer is drawn anew. `fixed`: a task has one threshold for ever. `wording`: fixed as well, but each text of
   * the skill and each wording of the task redraws some thresholds (all of them, or a fifth).
   */
  readonly target: "noisy" | "fixed" | "wording" | "wording, a fifth";
  /** `graded`: the share of five checks that pass. */
  readonly scores: "pass-fail" | "graded";
  /** Tasks that an edit moves together: whole groups are touched, and by the same amount. */
  readonly group: number;
}

/** What a skill makes of tasks: their log odds of a pass. */
export interface EditedSkill {
  /** Names its words. */
  readonly text: number;
  readonly population: Float64Array;
  readonly tasks: Float64Array;
  /** The truth: the mean score over the population, which is also what a fresh task can be expected to score. */
  readonly score: number;
}

/** How an edit moves the log odds of a pass. */
export interface WorldEdit {
  readonly number: number;
  readonly population: Float64Array;
  readonly tasks: Float64Array;
}

export interface EditWorld {
  readonly original: EditedSkill;
  /** So many edits on the incumbent, drawn from this mix. */
  propose(incumbent: EditedSkill, edits: number, mix?: EditCell["mix"]): readonly WorldEdit[];
  /** The original with these edits in it. */
  withEdits(edits: readonly WorldEdit[]): EditedSkill;
  /** The score that can be expected of this task, over trials and wordings. */
  expected(skill: EditedSkill, task: number): number;
  /** One answer's score; `wording` is that of the task. */
  roll(skill: EditedSkill, task: number, wording?: number): number;
}

/** What any of its figures leaves out. */
export const leftOut = [
  "It is a world of numbers: no model answers and no optimizer writes. Proposals are as good from small batches and few train tasks as from large ones, and get no better while a run learns.",
  "Guidance at an epoch's end is one more patch. Edits do not clash, and none is proposed twice.",
  "Two answers of one score count as the same answer, which is the hardest case for the rule that looks for steady targets.",
] as const;

/** Large enough that a truth of zero is zero, small enough to be quick. */
const populationSize = 600;

/** `tasks` are those of the file, split or not. The same cell and name give the same world. */
export function editWorld(cell: EditCell, tasks: number, ...name: readonly (string | number)[]): EditWorld {
  const full = [...name, tasks, ...Object.values(cell).map(String)];
  const random = seededRandom("edit-world", ...full);
  const dice = seededRandom("edit-dice", ...full);
  const middle = middleFor(cell.base);
  const draw = (count: number) =>
    Float64Array.from({ length: count }, () => middle + spread * drawNormal(random));
  const drawn = { population: draw(populationSize), tasks: draw(tasks) };
  const thresholds = Float64Array.from({ length: tasks }, random);
  const salt = Math.floor(random() * 2 ** 32);
  const redrawn = { noisy: 0, fixed: 0, wording: 1, "wording, a fifth": 0.2 }[cell.target];
  const groups = Math.ceil(tasks / cell.group);
  const original: EditedSkill = { ...drawn, text: 0, score: mean(drawn.population) };
  let proposed = 0;

  const threshold = (text: number, task: number, wording: number): number => {
    if (cell.target === "noisy") return dice();
    const isRedrawn = redrawn > 0 && hashed(salt, text, task, wording, 1) < redrawn;
    return isRedrawn ? hashed(salt, text, task, wording, 2) : (thresholds[task] as number);
  };
  return {
    original,
    propose(incumbent, edits, mix = cell.mix) {
      let skill = incumbent;
      return Array.from({ length: edits }, () => {
        const effect = within(drawEffect(mix, random), skill.score);
        const moves = drawMoves(populationSize, random);
        const { shift, gain } = shiftFor(skill.population, moves, effect);
        const byGroup = applyMoves(new Float64Array(groups), drawMoves(groups, random), shift);
        proposed += 1;
        const edit: WorldEdit = {
          number: proposed,
          population: applyMoves(new Float64Array(populationSize), moves, shift),
          tasks: drawn.tasks.map((_, task) => byGroup[Math.floor(task / cell.group)] as number),
        };
        skill = { ...moved(skill, edit), score: skill.score + gain };
        return edit;
      });
    },
    withEdits(edits) {
      if (edits.length === 0) return original;
      const [population, tasks] = [original.population.slice(), original.tasks.slice()];
      for (const edit of edits) {
        addTo(population, edit.population);
        addTo(tasks, edit.tasks);
      }
      const text = Math.floor(hashed(salt, ...edits.map(({ number }) => number)) * 2 ** 32);
      // of many texts nobody asks for the truth
      let score: number | undefined;
      return {
        population,
        tasks,
        text,
        get score() {
          return (score ??= mean(population));
        },
      };
    },
    expected({ tasks: odds }, task) {
      const chance = passRate(odds[task] as number);
      if (cell.target === "noisy") return chance;
      return redrawn * chance + (1 - redrawn) * Number((thresholds[task] as number) < chance);
    },
    roll({ text, tasks: odds }, task, wording = 0) {
      const chance = passRate(odds[task] as number);
      if (cell.scores === "pass-fail") return threshold(text, task, wording) < chance ? 1 : 0;
      let passed = 0;
      for (let check = 0; check < 5; check += 1) if (dice() < chance) passed += 1;
      return passed / 5;
    },
  };
}

/** The truth of the sum is for who needs it. */
const moved = (skill: EditedSkill, edit: WorldEdit): EditedSkill => ({
  ...skill,
  population: skill.population.map((odds, at) => odds + (edit.population[at] as number)),
  tasks: skill.tasks.map((odds, at) => odds + (edit.tasks[at] as number)),
});

function addTo(odds: Float64Array, moves: Float64Array): void {
  for (let at = 0; at < odds.length; at += 1) odds[at] = (odds[at] as number) + (moves[at] as number);
}

function mean(odds: Float64Array): number {
  let sum = 0;
  for (const one of odds) sum += passRate(one);
  return sum / odds.length;
}

/** A number in [0, 1) that depends on nothing but these. */
function hashed(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const one of numbers) {
    hash = Math.imul(hash ^ one, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}
