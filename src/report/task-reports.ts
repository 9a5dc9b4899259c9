import type { SplitName } from "../core/tasks/task.ts";
import type { EvaluationReport, TaskFlag, TaskReport } from "./model.ts";
import type { ResultSet, RunFolder } from "./run-folder.ts";
import { byHard, taskMeans } from "./task-means.ts";
import { type Versions, unknownSkill } from "./versions.ts";

export interface TaskTables {
  readonly tasks: readonly TaskReport[];
  readonly evaluations: readonly EvaluationReport[];
}

/** All tasks of a run, in the order of their splits, and all scores as columns that refer to tasks by index. */
export function taskTables(folder: Pick<RunFolder, "splits" | "results">, versions: Versions): TaskTables {
  const places = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const split of ["train", "val", "test"] as const) {
    for (const id of folder.splits[split]) {
      // with few tasks, train and val share them
      if (places.has(id)) continue;
      places.set(id, drafts.length);
      drafts.push({ id, split, input: "", rollouts: 0, passed: 0, bySkill: new Map() });
    }
  }
  const evaluations = folder.results.map((set) => {
    const version = versions.of(set);
    const rows = rowsOf(version === unknownSkill ? set : { ...set, rules: undefined }, places);
    for (const [row, place] of rows.task.entries()) {
      const skill = rows.text === undefined ? version : (set.rules?.[row]?.join(" ") ?? "");
      count(drafts[place], skill, rows.hard[row] ?? null);
    }
    for (const [id, input] of set.inputs) {
      const draft = drafts[places.get(id) ?? -1];
      if (draft?.input === "") draft.input = input;
    }
    const { name, stage, step } = set;
    return { name, stage, step, version, ...rows };
  });
  const changes = findChanges(folder, versions);
  return { tasks: drafts.map((draft) => describe(draft, changes)), evaluations };
}

interface Draft {
  readonly id: string;
  readonly split: SplitName;
  input: string;
  rollouts: number;
  /** The number of full passes under a version of the skill. */
  passed: number;
  /** For each version, or each text of rules: the number of results, the lowest and the highest. */
  readonly bySkill: Map<number | string, { count: number; least: number; most: number }>;
}

function rowsOf(set: ResultSet, places: ReadonlyMap<string, number>) {
  const task: number[] = [];
  const trial: number[] = [];
  const hard: (number | null)[] = [];
  const soft: (number | null)[] = [];
  for (const [row, id] of set.ids.entries()) {
    // a task that isn't in the manifest keeps its row, because refs count rows
    task.push(places.get(id) ?? -1);
    trial.push(set.trial[row] ?? 0);
    hard.push(set.hard[row] ?? null);
    soft.push(set.soft[row] ?? null);
  }
  const isSame = soft.every((score, row) => score === hard[row]);
  return { task, trial, hard, ...(isSame ? {} : { soft }), ...textsOf(set) };
}

/** Stores each text once, because many rollouts share few texts. */
function textsOf({ rules }: ResultSet): Pick<EvaluationReport, "texts" | "text"> {
  if (rules === undefined) return {};
  const places = new Map<string, number>();
  const text = rules.map((held) => {
    const key = held.join(" ");
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    return place;
  });
  return { texts: [...places.values()].map((place) => rules[text.indexOf(place)] ?? []), text };
}

function count(draft: Draft | undefined, version: number | string, hard: number | null): void {
  if (draft === undefined || hard === null) return;
  draft.rollouts += 1;
  // results without the skill aren't evidence about the skill
  if (version === -1 || version === -2) return;
  if (hard >= 1) draft.passed += 1;
  const known = draft.bySkill.get(version);
  if (known === undefined) draft.bySkill.set(version, { count: 1, least: hard, most: hard });
  else {
    known.count += 1;
    known.least = Math.min(known.least, hard);
    known.most = Math.max(known.most, hard);
  }
}

/** Mean pass rates of each task under the original and the best skill, if both were measured in the same way. */
function findChanges(folder: Pick<RunFolder, "results">, versions: Versions): ReadonlyMap<string, Change> {
  const named = (name: string) => folder.results.filter((set) => set.name === name);
  const best = versions.list.findLast(({ isBest }) => isBest);
  const bestOnVal = folder.results.filter(
    (set) =>
      set.rules === undefined &&
      set.stage === "evaluate" &&
      set.step > 0 &&
      set.step === best?.step &&
      best.version > 0,
  );
  const arms: readonly (readonly [readonly ResultSet[], readonly ResultSet[]])[] = [
    [named("selection_eval_baseline"), bestOnVal],
    [named("selection_eval_baseline"), named("selection_eval_best")],
    [named("test_eval_baseline"), named("test_eval_best")],
    [named("eval_before"), named("eval_after")],
  ];
  const changes = new Map<string, Change>();
  for (const [one, other] of arms) {
    const [before, after] = [taskMeans(one, byHard), taskMeans(other, byHard)];
    for (const [id, mean] of before) {
      const now = after.get(id);
      if (now !== undefined) changes.set(id, { before: mean, after: now });
    }
  }
  return changes;
}

interface Change {
  readonly before: number;
  readonly after: number;
}

function describe(
  { id, split, input, rollouts, passed, bySkill }: Draft,
  changes: ReadonlyMap<string, Change>,
): TaskReport {
  const change = changes.get(id);
  const spreads = [...bySkill.values()];
  const results = spreads.reduce((sum, spread) => sum + spread.count, 0);
  const flags: TaskFlag[] = [];
  if (spreads.some(({ least, most }) => least < most)) flags.push("flaky");
  if (results > 1 && passed === results) flags.push("always-passes");
  if (results > 1 && spreads.every(({ most }) => most === 0)) flags.push("always-fails");
  if (change !== undefined && change.after > change.before) flags.push("improved");
  if (change !== undefined && change.after < change.before) flags.push("regressed");
  return { id, split, input, rollouts, ...change, flags };
}
