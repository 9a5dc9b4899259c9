import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { importTasks } from "./import-tasks.ts";
import type { Imported } from "./imported.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { seededRandom } from "../../core/random.ts";
import { checkTask, said, scoreTask } from "../../core/scorers/score-task.ts";
import type { Task } from "../../core/tasks/task.ts";
import { type ImportCase, importCases } from "../../../test/support/importers/cases.ts";
import { mutateText, mutateType } from "../../../test/support/importers/mutate.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { numberOption, type ProofOptions, type ProofResult } from "../../../test/support/proof.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

const claim =
  "Every listed format is read or reported as unsupported. No broken file crashes an importer or passes because it wasn't understood.";

longTest(claim, proveImporters, ["--mutations", "400"]);

/** Options: `--seed n`, `--mutations n`. */
async function proveImporters({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const mutations = numberOption(args, "mutations", short ? 1500 : 20_000);
  log(`seed ${seed} (repeat with: -- --seed ${seed})`);
  using folder = temporaryDirectory("importers");
  const failures: string[] = [];
  for (const [at, one] of importCases.entries()) {
    const problems = await proveCase(one, join(folder.path, `case-${at}`));
    log(
      `${problems.length === 0 ? "ok  " : "FAIL"}  ${one.format.padEnd(12)}  ${String(one.tasks).padStart(2)} tasks, ${String(one.invalid.length).padStart(2)} named as not understood  ${one.name}`,
    );
    for (const problem of problems) log(`      ${problem}`);
    failures.push(...problems);
  }
  const broken = await mutateAll(join(folder.path, "mutated"), seed, mutations, log);
  log(
    `${mutations} mutated files: ${broken.refused} refused with a sentence, ${broken.read} read; ${broken.crashes} crashes, ${broken.unnoticed} unknown assertions unnoticed of ${broken.unknown}`,
  );
  return {
    ok: failures.length === 0 && broken.crashes === 0 && broken.unnoticed === 0 && broken.unknown > 0,
    figures: {
      seed,
      cases: importCases.length,
      failures: failures.length,
      mutations,
      ...broken,
    },
  };
}

function placeFiles(folder: string, files: ImportCase["files"]): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const [first = ""] = Object.keys(files);
  return join(folder, first.startsWith("tasks/") ? "tasks" : first);
}

async function proveCase(one: ImportCase, folder: string): Promise<readonly string[]> {
  const { format, tasks, notUnderstood } = await importTasks(placeFiles(folder, one.files));
  const invalid = notUnderstood.filter(({ effect }) => effect === "invalid");
  const problems = invalid.flatMap(({ where, what }, at) =>
    one.invalid[at]?.test(what) === true ? [] : [`${where}: ${what} (expected ${String(one.invalid[at])})`],
  );
  const refused = new Set(invalid.map(({ where }) => where));
  for (const task of tasks) {
    const asked = { judge: async () => neverAsked(), command: async () => neverAsked() };
    const scored = await scoreTask(task, said("anything at all"), asked).catch(() => undefined);
    const isInvalid = scored !== undefined && "kind" in scored;
    const isTrigger = task.checks?.[0]?.kind === "trigger";
    if (isInvalid !== refused.has(task.id) && !isTrigger)
      problems.push(
        `${task.id} is ${isInvalid ? "" : "not "}invalid, and was ${refused.has(task.id) ? "" : "not "}named`,
      );
  }
  return [
    ...(format === one.format ? [] : [`taken for ${format}`]),
    ...(tasks.length === one.tasks ? [] : [`${tasks.length} tasks`]),
    ...(invalid.length === one.invalid.length ? [] : [`${invalid.length} things not understood`]),
    ...problems,
  ];
}

function neverAsked(): never {
  throw new Error("nobody judges here");
}

interface Broken {
  readonly read: number;
  readonly refused: number;
  readonly crashes: number;
  /** Files in which the type of one assertion was made unknown. */
  readonly unknown: number;
  readonly unnoticed: number;
}

async function mutateAll(
  folder: string,
  seed: number,
  count: number,
  log: (line: string) => void,
): Promise<Broken> {
  const broken = { read: 0, refused: 0, crashes: 0, unknown: 0, unnoticed: 0 };
  const corpus: { readonly files: ImportCase["files"]; readonly path: string; readonly invalid: number }[] =
    [];
  for (const [at, { files }] of importCases.entries()) {
    const path = placeFiles(join(folder, `case-${at}`), files);
    corpus.push({ files, path, invalid: countInvalid(await importTasks(path)) });
  }
  for (let at = 0; at < count; at += 1) {
    const index = at % corpus.length;
    const { files, path, invalid } = corpus[index]!;
    const random = seededRandom(seed, "mutation", at);
    const names = Object.keys(files);
    const name = names[Math.floor(random() * names.length)]!;
    const retyped = random() < 0.4 ? mutateType(files[name]!, random) : undefined;
    const text = retyped ?? mutateText(files[name]!, random);
    const file = join(folder, `case-${index}`, name);
    writeFileSync(file, text);
    if (retyped !== undefined) broken.unknown += 1;
    try {
      const imported = await importTasks(path);
      broken.read += 1;
      if (retyped !== undefined && !(countInvalid(imported) > invalid || imported.tasks.some(holdsUnknown))) {
        broken.unnoticed += 1;
        log(`UNNOTICED mutation ${at} of ${importCases[index]?.name}: ${name}`);
      }
    } catch (error) {
      if (error instanceof WhetstoneError) broken.refused += 1;
      else {
        broken.crashes += 1;
        log(
          `CRASH mutation ${at} of ${importCases[index]?.name}: ${error instanceof Error ? error.stack : String(error)}`,
        );
      }
    }
    writeFileSync(file, files[name]!);
  }
  return broken;
}

/** Tasks that are named as not understood, and that scoring does refuse. */
function countInvalid({ tasks, notUnderstood }: Imported): number {
  const named = new Set(notUnderstood.flatMap(({ where, effect }) => (effect === "invalid" ? [where] : [])));
  return tasks.filter((task) => named.has(task.id) && checkTask(task) !== undefined).length;
}

/** The unknown word stands in a check that makes its task invalid, where another one had done so before. */
const holdsUnknown = (task: Task): boolean =>
  JSON.stringify(task.checks ?? []).includes("zork-") && checkTask(task) !== undefined;
