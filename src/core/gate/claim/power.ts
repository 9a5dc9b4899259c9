import { seededRandom } from "../../random.ts";
import { claimLimits } from "./claim-limits.ts";
import { fewestTasks, overTasksP } from "./claim-p.ts";
import type { FinishedPair } from "./claim-pair.ts";
import { signFlipP } from "./sign-flip.ts";
import { type TaskModel, drawOdds, oddsShift, passRate, taskModel, turnedShare } from "./task-model.ts";
import { withinTaskP } from "./within-task.ts";

export interface PowerInput {
  readonly tasks: number;
  /** Per task and arm. */
  readonly trials: number;
  readonly alpha: number;
  /** Whether only "better" counts, or also "higher on these tasks". @default "any" */
  readonly word?: "better" | "any";
  /** The candidate's true gain in mean score. */
  readonly effect: number;
  /** Whether all tasks gain alike, or only some topics. A gain too large for some topics is spread evenly. @default "even" */
  readonly gain?: "even" | "some topics";
  /** How often two trials of one task differ. */
  readonly flipRate: number;
  /** The incumbent's mean score. @default 0.5 */
  readonly baseline?: number;
  readonly seed: number;
  /** Simulated claims. @default 500 */
  readonly draws?: number;
}

/** The simulated chance that a claim of this size favors the candidate. */
export const power = (input: PowerInput): number => simulate(input, () => false);

/** Whether that chance is enough. Draws no more claims than needed to show it beyond four standard errors. */
const hasPower = (input: PowerInput): boolean => simulate(input, isFarFromEnough) >= enoughPower;

const isFarFromEnough = (passed: number, drawn: number): boolean =>
  drawn >= 20 &&
  Math.abs(passed - enoughPower * drawn) > 4 * Math.sqrt(enoughPower * (1 - enoughPower) * drawn);

/** The share of passes when it's decided, or at the end. */
function simulate(input: PowerInput, isDecided: (passed: number, drawn: number) => boolean): number {
  const { tasks, trials, alpha, effect, flipRate, baseline = 0.5, draws = 500, word = "any" } = input;
  const limits = claimLimits({ tasks, trials }, alpha);
  if (!(word === "any" && flipRate > 0 ? limits.possible : limits.proof)) return 0;
  const model = taskModel({ baseline, flipRate });
  const least = Math.min(effect, 1 - baseline);
  const turned = input.gain === "some topics" ? turnedShare(model, least) : null;
  const shift = turned === null ? oddsShift(model, least) : 0;
  const random = seededRandom("power", input.seed, tasks, trials);
  // a target that only repeats itself gets no claim from its repeats
  const isNarrow = word === "any" && tasks < fewestTasks && trials > 1 && flipRate > 0;
  let [passed, drawn] = [0, 0];
  for (; drawn < draws && !isDecided(passed, drawn); drawn += 1) {
    const claim = { model, shift, turned: turned ?? 0, tasks, trials, random };
    const pairs = isNarrow ? drawClaim(claim) : [];
    const isProof = limits.proof && (isNarrow ? overTasksP(pairs) : signFlipP(drawLeads(claim))) <= alpha;
    if (isProof || (isNarrow && withinTaskP(pairs) <= alpha)) passed += 1;
  }
  return passed / drawn;
}

export interface ClaimDraw {
  readonly model: TaskModel;
  /** The shift of every task's log odds. */
  readonly shift: number;
  /** The share of the mostly failing tasks whose odds are reversed. @default 0 */
  readonly turned?: number;
  readonly tasks: number;
  readonly trials: number;
  readonly random: () => number;
}

/** One simulated claim: fresh tasks, fresh trials. */
export function drawClaim(claim: ClaimDraw): FinishedPair[] {
  const { tasks, trials, random } = claim;
  const arm = (chance: number) => Array.from({ length: trials }, () => (random() < chance ? 1 : 0));
  return Array.from({ length: tasks }, () => {
    const [before, after] = drawChances(claim);
    return { incumbent: arm(before), candidate: arm(after) };
  });
}

/** The same claim as counts: the candidate's lead in trials on each task. */
function drawLeads(claim: ClaimDraw): number[] {
  const { tasks, trials, random } = claim;
  const leads: number[] = [];
  for (let task = 0; task < tasks; task += 1) {
    const [before, after] = drawChances(claim);
    let lead = 0;
    for (let trial = 0; trial < trials; trial += 1) if (random() < before) lead -= 1;
    for (let trial = 0; trial < trials; trial += 1) if (random() < after) lead += 1;
    leads.push(lead);
  }
  return leads;
}

/** The pass rate of a fresh task in each arm. */
function drawChances({ model, shift, turned = 0, random }: ClaimDraw): readonly [number, number] {
  const odds = drawOdds(model, random);
  const isTurned = turned > 0 && odds < 0 && random() < turned;
  return [passRate(odds), passRate(isTurned ? -odds : odds + shift)];
}

/** The power that a plan considers sufficient. */
export const enoughPower = 0.8;

/** The smallest effect, in whole points, found with 80% power; null if even the largest isn't. */
export function detectableEffect(input: Omit<PowerInput, "effect">): number | null {
  const largest = Math.floor(100 * (1 - (input.baseline ?? 0.5)));
  const enough = (points: number) => hasPower({ ...input, effect: points / 100 });
  const points = firstThat(enough, 1, largest);
  return points === null ? null : points / 100;
}

/** The fewest trials per task that find the effect with 80% power; null if `most` aren't enough. */
export function trialsFor80(input: Omit<PowerInput, "trials">, most = 10): number | null {
  return firstThat((trials) => hasPower({ ...input, trials }), 1, most);
}

/** The fewest tasks that find the effect with 80% power on tasks like these; null if `most` aren't enough. */
export function tasksFor80(input: Omit<PowerInput, "tasks">, most = 2000): number | null {
  return firstThat((tasks) => hasPower({ ...input, tasks }), fewestTasks, most);
}

/** Doubles, then bisects: more is never worse, apart from simulation noise, and large claims are slow to draw. */
function firstThat(enough: (value: number) => boolean, low: number, high: number): number | null {
  let [from, to] = [low, Math.min(low, high)];
  while (!enough(to)) {
    if (to >= high) return null;
    from = to + 1;
    to = Math.min(2 * to, high);
  }
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (enough(middle)) to = middle;
    else from = middle + 1;
  }
  return to;
}
