import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { isWithin } from "../../adapters/project-matcher.ts";
import { taskFiles } from "../../config/files/read-tasks.ts";
import { taskPlaces } from "../../config/guess.ts";
import { isPath } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { listGit, runGit } from "../git.ts";

/** Every file that differs from a commit, as absolute paths: changed, added and deleted, including uncommitted files. */
export async function touchedFiles(cwd: string, base: string): Promise<readonly string[]> {
  const root = (await runGit(cwd, ["rev-parse", "--show-toplevel"])).trimEnd();
  const changed = await listGit(root, [
    "diff",
    "-z",
    "--no-renames",
    "--ignore-submodules=none",
    "--name-only",
    base,
  ]);
  const added = await listGit(root, ["ls-files", "-z", "--others", "--exclude-standard"]);
  return [...new Set([...changed, ...added])].map((path) => join(root, path));
}

export interface InputFacts {
  /** The project's folder at the base commit. */
  readonly cwd: string;
  /** The skill's path from `cwd`. */
  readonly skill: string;
  readonly config: Config;
  /** Config files and code that were loaded for it, as absolute paths. */
  readonly loaded: readonly string[];
  /** Files that the branch touches, as absolute paths below the base commit's folder. */
  readonly touched: readonly string[];
}

/** A file that is used to measure a skill and that the branch changes. */
export interface ChangedInput {
  readonly kind: "tasks" | "checks" | "judge" | "config" | "code";
  /** From the project's folder. */
  readonly file: string;
}

/** The files of the tasks, checks, judge, config and code used to measure a skill that the branch changes. */
export async function changedInputs(facts: InputFacts): Promise<readonly ChangedInput[]> {
  const { cwd, skill, touched } = facts;
  const here = realpathSync(cwd);
  const place = resolve(here, skill);
  const { graders, ways } = await inputsOf(facts);
  return touched.flatMap((file) => {
    // a skill of one file is itself measured
    if (file === place) return [];
    const kinds = ways.flatMap(([kind, read]) => (read.some((way) => isRead(file, way)) ? [kind] : []));
    const isNear = isWithin(place, dirname(file)) && isWithin(file, here);
    if (isConfigName.test(basename(file)) && isNear) kinds.push("config");
    if (!existsSync(file) && graders.some((grader) => names(grader, file))) kinds.push("tasks");
    // a scorer counts as a task's file and as code
    const kind = kinds.includes("checks") ? "checks" : kinds[0];
    return kind === undefined ? [] : [{ kind, file: relative(here, file).split(sep).join("/") }];
  });
}

/** A file touched by the branch that the base commit's own config reads from the checkout. */
export async function readFromCheckout(facts: InputFacts): Promise<string | undefined> {
  const { ways } = await inputsOf(facts);
  return facts.touched.find((file) => ways.some(([, read]) => read.some((way) => isRead(file, way))));
}

const isRead = (file: string, way: string): boolean => isWithin(file, way) || isWithin(way, file);

async function inputsOf({ cwd, skill, config, loaded }: Omit<InputFacts, "touched">) {
  const place = resolve(realpathSync(cwd), skill);
  const graders = await taskFiles(config.tasks, cwd);
  const isLoaded = new Set(loaded);
  const inputs: readonly (readonly [ChangedInput["kind"], readonly string[]])[] = [
    ["tasks", [...graders.flatMap((file) => withoutSkill(file, place)), ...placesBefore(config, cwd, place)]],
    ["checks", [...graders.filter((file) => isLoaded.has(file)), ...pathOf(config.environment)]],
    ["judge", pathOf(config.calibration)],
    ["config", [...loaded.filter(isConfig), ...Object.values(config.prompts ?? {}).filter(isPath)]],
    ["code", loaded.filter((file) => !isConfig(file))],
  ];
  return { graders, ways: inputs.map(([kind, files]) => [kind, files.flatMap(waysTo)] as const) };
}

const pathOf = (given: unknown): readonly string[] =>
  typeof given === "string" ? [given.split("#", 1)[0] ?? ""] : [];

const isConfig = (file: string): boolean => file.endsWith(".json") || isConfigName.test(basename(file));
const isConfigName = /^whetstone\.config\.\w+$/;

/** If a folder of tasks also contains the skill, only its evals are tasks. */
const withoutSkill = (file: string, skill: string): readonly string[] =>
  isWithin(skill, file) && isFolder(file) ? [join(file, "evals")] : [file];

/** Also works for a path that leads through a file, for which `statSync` throws. */
const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** The places searched for tasks before they were found: tasks that a branch adds there come first. */
function placesBefore({ tasks }: Config, cwd: string, skill: string): readonly string[] {
  const places = taskPlaces(cwd, skill);
  const at = typeof tasks === "string" ? places.indexOf(tasks) : -1;
  return tasks === undefined ? places : places.slice(0, Math.max(at, 0));
}

/** A file that the branch adds wasn't read before; the file that names it shows whether it would be. */
function names(grader: string, added: string): boolean {
  if (statSync(grader, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const text = readFileSync(grader, "utf8");
  if (text.includes(basename(added))) return true;
  // such as prompts/*.txt
  const patterns = text.match(/\*[\w.-]*\.\w+/g) ?? [];
  return isWithin(added, dirname(grader)) && patterns.some((pattern) => extname(pattern) === extname(added));
}

/** A path, and the targets of all links on its way. */
function waysTo(path: string): readonly string[] {
  const ways = [path];
  for (let at = path; ways.length < 40; ways.push(at)) {
    const link = upwards(at).find(isLink);
    if (link === undefined) break;
    at = resolve(dirname(link), readlinkSync(link), relative(link, at));
  }
  return existsSync(path) ? [...ways, realpathSync(path)] : ways;
}

const isLink = (path: string): boolean =>
  isFolder(dirname(path)) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** A path's folders, outermost first, and itself. */
const upwards = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [...upwards(dirname(path)), path];
