import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { encodeFile } from "../../core/files.ts";
import type { EditReport } from "../../core/skill/apply-edits.ts";
import type { Patch, RawPatch } from "../../core/skill/edit.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { stepRecordSchema } from "../../core/step-record.ts";
import type { SplitName } from "../../core/tasks/task.ts";
import type { EpochRow, ResultSet, RunFolder, StepFolder } from "../../report/run-folder.ts";
import { readArtifact } from "./read-artifact.ts";
import { type ResultMemory, type ResultName, readResults } from "./read-results.ts";

/** The current content of a run's artifacts. Anything may be missing; incomplete parts are left out. */
export async function readRunFolder(folder: string, memory?: ResultMemory): Promise<RunFolder> {
  const config = await readJson<ConfigFile>(join(folder, "config.json"));
  const history = await readJson<{ readonly epochs?: readonly EpochRow[] }>(join(folder, "history.json"));
  const main = config?.skill?.main ?? "SKILL.md";
  const steps = await readSteps(folder, main);
  const original = await readSkill(join(folder, "skills", "skill_v0000"), main, folder);
  const best = await readSkill(join(folder, "best_skill"), main, folder);
  return {
    splits: { train: [], val: [], test: [], ...splitIds(config?.splits) },
    original,
    best,
    steps,
    epochs: history?.epochs ?? [],
    results: await readAllResults(folder, steps, memory),
  };
}

interface ConfigFile {
  readonly skill?: { readonly main: string };
  readonly splits?: Readonly<Partial<Record<SplitName, readonly { readonly id: string }[]>>>;
}

const splitIds = (splits: ConfigFile["splits"] = {}): Partial<RunFolder["splits"]> =>
  Object.fromEntries(Object.entries(splits).map(([name, tasks]) => [name, tasks.map(({ id }) => id)]));

async function readSteps(folder: string, main: string): Promise<readonly StepFolder[]> {
  const names = await readdir(join(folder, "steps")).catch(() => []);
  const steps = await Promise.all(
    names
      .filter((name) => /^step_\d{4,9}$/.test(name))
      .map(async (name) => readStepFolder(folder, Number(name.slice(5)) + 1, main)),
  );
  return steps.filter((step) => step !== undefined).toSorted((a, b) => a.step - b.step);
}

/** One step without its rollouts. It exists once its record does, which is written last. */
export async function readStepFolder(
  folder: string,
  step: number,
  main = "SKILL.md",
): Promise<StepFolder | undefined> {
  const name = stepName(step);
  const place = join(folder, name);
  const { data: record } = stepRecordSchema.safeParse(await readJson(join(place, "step_record.json")));
  if (record === undefined) return undefined;
  const snapshotName = `skill_v${String(record.step).padStart(4, "0")}`;
  const [patches, merged, ranked, reports, candidate, snapshot] = await Promise.all([
    readJson<readonly RawPatch[]>(join(place, "raw_patches.json")),
    readJson<Patch>(join(place, "merged_patch.json")),
    readJson<Patch>(join(place, "ranked_patch.json")),
    readJson<readonly EditReport[]>(join(place, "edit_apply_report.json")),
    readSkill(join(place, "candidate_skill"), main, folder),
    readSkill(join(folder, "skills", snapshotName), main, folder),
  ]);
  return {
    ...record,
    patches: patches ?? [],
    merged: merged?.edits ?? [],
    selected: ranked?.edits ?? [],
    reports: reports ?? [],
    candidate,
    snapshot,
  };
}

/** In reading order: the original, the steps, the end. */
async function readAllResults(
  folder: string,
  steps: readonly StepFolder[],
  memory: ResultMemory | undefined,
): Promise<readonly ResultSet[]> {
  const places: readonly ResultName[] = [
    ...["train_eval", "val_eval", "test_eval", "selection_eval_baseline"].map((name) => at(name, "baseline")),
    ...steps.flatMap(({ step }) => stepResults(step)),
    ...["selection_eval_best", "eval_before", "eval_after"].map((name) => at(name, "evaluate")),
    ...["test_eval_baseline", "test_eval_best", "baseline_no_skill", "baseline_one_shot"].map((name) =>
      at(name, "test"),
    ),
  ];
  const sets: ResultSet[] = [];
  // one after another, because a large run's files don't all fit into memory
  for (const place of places) {
    const set = await readResults(folder, place, memory);
    if (set !== undefined) sets.push(set);
  }
  return sets;
}

const at = (name: string, stage: ResultName["stage"]): ResultName => ({ name, stage, step: 0 });

/** Step 1 is in folder 0. */
const stepName = (step: number): string => `steps/step_${String(step - 1).padStart(4, "0")}`;

function stepResults(step: number): readonly ResultName[] {
  const name = stepName(step);
  return [
    { name: `${name}/rollout_results`, stage: "rollout", step },
    { name: `${name}/selection_eval`, stage: "evaluate", step },
  ];
}

/** An exported skill: the file `<path>.md`, or all files of the folder `<path>`. */
async function readSkill(path: string, main: string, folder: string): Promise<Skill | undefined> {
  const single = await readArtifact(`${path}.md`, folder);
  if (single !== undefined) return { main, files: { [main]: encodeFile(single) } };
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files: Record<string, string> = {};
  const executable: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const name = file.slice(path.length + 1).replaceAll("\\", "/");
    const bytes = await readArtifact(file, folder);
    if (bytes === undefined) continue;
    files[name] = encodeFile(bytes);
    if (((await stat(file)).mode & 0o100) !== 0) executable.push(name);
  }
  if (files[main] === undefined) return undefined;
  return { main, files, ...(executable.length === 0 ? {} : { executable: executable.toSorted() }) };
}

async function readJson<T>(path: string): Promise<T | undefined> {
  const bytes = await readArtifact(path, dirname(path));
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as T);
}
