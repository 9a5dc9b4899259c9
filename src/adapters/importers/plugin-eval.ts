import { basename, dirname, join, resolve } from "node:path";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { own } from "../../core/own.ts";
import type { Check } from "../../core/tasks/task.ts";
import { isThere, kindAt, listProjectFolder, readProjectText } from "../project-file.ts";
import type { FoundSuite } from "./find-suite.ts";
import type { Notes, TaskRow } from "./imported.ts";
import { parseYamlText } from "./parse-source.ts";
import { gradersOf, readGrader, scoredGraders } from "./plugin-eval-graders.ts";
import { asText, isEmpty, isFilled, isList, tasksInvalid, without } from "./shape.ts";

/** A suite of `claude plugin eval`: folders with `case.yaml`, or with `prompt.md` and `graders/*.md`. */
export async function readPluginEval(
  { root, cases }: FoundSuite,
  notes: Notes,
  named: string,
): Promise<readonly TaskRow[]> {
  const readIfThere: ReadIfThere = (path) => {
    if (!isThere(path)) return undefined;
    notes.read(resolve(path));
    return readProjectText(path, { named });
  };
  const read: { readonly folder: string; readonly case: JsonObject }[] = [];
  for (const folder of cases) read.push({ folder, case: readCase(join(root, folder), readIfThere) });
  const names = read.map((one) => nameOf(one.case, one.folder));
  const rows: TaskRow[] = [];
  for (const [at, { folder, case: written }] of read.entries()) {
    const name = names[at] ?? folder;
    const id = names.indexOf(name) === names.lastIndexOf(name) ? name : folder;
    rows.push(await readRow(written, { id, root, folder, notes }));
  }
  return rows;
}

type ReadIfThere = (path: string) => string | undefined;

interface CasePlace {
  readonly id: string;
  readonly root: string;
  readonly folder: string;
  readonly notes: Notes;
}

const nameOf = ({ name }: JsonObject, folder: string): string =>
  isFilled(name) ? name : folder === "." ? "case" : basename(folder);

const topFields = ["schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome"];
const executionFields = [
  ..."model max_turns timeout_seconds allowed_tools disallowed_tools".split(" "),
  ..."artifact_publish growthbook_overrides append_system_prompt env".split(" "),
];

/** Reads `case.yaml` and applies `prompt.md` and `graders/*.md` on top, as `claude plugin eval` does. */
function readCase(place: string, readIfThere: ReadIfThere): JsonObject {
  const yaml = readIfThere(join(place, "case.yaml"));
  const base = yaml === undefined ? {} : parseYamlText(yaml, join(place, "case.yaml"));
  if (!isJsonObject(base))
    throw tasksInvalid(`${place}/case.yaml isn't an object.`, "Write `key: value` lines.");
  const prompt = readProse(join(place, "prompt.md"), readIfThere);
  const own = prompt?.fields ?? {};
  const [unknown] = Object.keys(without(own, [...topFields, ...executionFields]));
  if (unknown !== undefined)
    throw tasksInvalid(
      `${place}/prompt.md: unknown frontmatter key "${unknown}".`,
      `Known keys: ${[...topFields, ...executionFields].join(", ")}.`,
    );
  const pick = (names: readonly string[]) =>
    without(
      own,
      Object.keys(own).filter((name) => !names.includes(name)),
    );
  const execution = isJsonObject(base["execution"]) ? base["execution"] : {};
  return {
    ...base,
    ...pick(topFields),
    execution: {
      ...execution,
      ...pick(executionFields),
      ...(isFilled(prompt?.body) ? { prompt: prompt.body } : {}),
    },
    graders: [...gradersOf(base["graders"]), ...readGraderFiles(place, readIfThere)],
  };
}

const bodyOf: Readonly<Record<string, string>> = { llm: "criteria", baseline: "criteria", regex: "pattern" };

function readGraderFiles(place: string, readIfThere: ReadIfThere): readonly JsonObject[] {
  const folder = join(place, "graders");
  const names = kindAt(folder) === "folder" ? listProjectFolder(folder, place).map(({ name }) => name) : [];
  const graders: JsonObject[] = [];
  for (const name of names.filter((one) => one.endsWith(".md"))) {
    const path = join(folder, name);
    const { fields, body } = readProse(path, readIfThere) ?? { fields: undefined, body: "" };
    // there too, a file without frontmatter is just a note
    if (fields === undefined) continue;
    const field = typeof fields["type"] === "string" ? own(bodyOf, fields["type"]) : undefined;
    const said = field === undefined || fields[field] !== undefined || body === "" ? {} : { [field]: body };
    graders.push({ name: name.slice(0, -3), ...fields, ...said });
  }
  return graders;
}

function readProse(path: string, readIfThere: ReadIfThere): FrontmatterFile | undefined {
  const text = readIfThere(path);
  return text === undefined ? undefined : readFrontmatterFile(text, path);
}

async function readRow(written: JsonObject, place: CasePlace): Promise<TaskRow> {
  const { id, root, folder, notes } = place;
  const execution = isJsonObject(written["execution"]) ? written["execution"] : {};
  const prompt = isFilled(execution["prompt"]) ? execution["prompt"] : undefined;
  const graders = gradersOf(written["graders"]);
  const scored = scoredGraders(graders);
  const checks: Check[] = [];
  for (const grader of scored) {
    const read = await readGrader(grader, place);
    if ("problem" in read) checks.push(notes.refuse(id, read.problem));
    else {
      notes.understand(`${asText(grader["type"])} → ${read.became}`);
      checks.push(read.check);
    }
  }
  for (const { name } of graders.filter((one) => !scored.includes(one)))
    notes.ignore(
      id,
      `the grader "${asText(name)}", which only checks whether the plugin fired and doesn't count`,
    );
  const problems = [
    ...(prompt === undefined ? ["no prompt"] : []),
    ...(prompt?.includes(blankPrompt) ? ["the prompt is still the blank template"] : []),
    ...(graders.length === 0 ? ["no graders"] : []),
    ...versionProblem(written["schema_version"]),
    ...needs(written, execution),
    ...mocksOf(root, folder).map((server) => `MCP mocks (mocks/${server})`),
  ];
  checks.push(...problems.map((problem) => notes.refuse(id, problem)));
  tellDifferences(written, execution, id, notes);
  const { append_system_prompt: system } = execution;
  return {
    id,
    // a case without a question is refused by its check, with its name
    input: prompt ?? "(no prompt)",
    ...(isFilled(system) ? { system } : {}),
    checks,
    ...(isFilled(written["expected_outcome"]) ? { reference: written["expected_outcome"] } : {}),
  };
}

const blankPrompt = "TODO: describe what the agent should do";

const versionProblem = (version: Json | undefined): readonly string[] =>
  version === undefined || (typeof version === "string" && Number.parseInt(version, 10) <= 1)
    ? []
    : [`schema_version ${JSON.stringify(version)}`];

/** Surroundings that a case needs but we don't build. */
function needs({ plugins, context }: JsonObject, execution: JsonObject): readonly string[] {
  const around = isJsonObject(context) ? context : {};
  const isGiven = (value: Json | undefined) =>
    isList(value)
      ? value.length > 0
      : isJsonObject(value)
        ? !isEmpty(value)
        : isFilled(value) || value === true;
  const wanted: readonly (readonly [string, Json | undefined])[] = [
    ["scaffold_script (a script that prepares the run)", around["scaffold_script"]],
    ["history_file (a session to continue)", around["history_file"]],
    ["add_dirs (folders outside the workspace)", around["add_dirs"]],
    ["plugins (other plugins installed with it)", plugins],
    ["artifact_publish", execution["artifact_publish"]],
    ["growthbook_overrides", execution["growthbook_overrides"]],
    ["env (variables for the run)", execution["env"]],
  ];
  return wanted.filter(([, value]) => isGiven(value)).map(([what]) => what);
}

/** Notes where our runs differ, if the case can still be scored. */
function tellDifferences(written: JsonObject, execution: JsonObject, id: string, notes: Notes): void {
  const say = (value: Json | undefined, what: string) => {
    if (value !== undefined) notes.ignore(id, what);
  };
  say(written["runs"], "runs: the number of trials depends on what they can show (--trials)");
  say(execution["model"], "model: the run's target is used");
  say(execution["max_turns"], "max_turns: the run's own limit applies to all tasks (agentLimits.turns)");
  say(execution["timeout_seconds"], "timeout_seconds: the run's own limit applies (agentLimits.seconds)");
  say(execution["allowed_tools"], "allowed_tools: the agent has its usual tools here, for every task");
  say(execution["disallowed_tools"], "disallowed_tools: the agent has its usual tools here");
  const known = [...topFields, "context", "execution", "graders"];
  for (const name of Object.keys(without(written, known))) notes.ignore(id, `the field "${name}"`);
}

/** The servers mocked by a `mocks` folder next to the case, or above it within the suite. */
function mocksOf(root: string, folder: string): readonly string[] {
  const servers = new Set<string>();
  for (let place = folder; ; place = dirname(place)) {
    const mocks = join(root, place, "mocks");
    for (const { name, kind } of kindAt(mocks) === "folder" ? listProjectFolder(mocks, root) : [])
      if (kind === "folder" && !name.startsWith(".")) servers.add(name);
    if (place === ".") return [...servers].toSorted();
  }
}

/** A Markdown file that may start with YAML between two lines of `---`. */
interface FrontmatterFile {
  /** Undefined if it has none. */
  readonly fields: JsonObject | undefined;
  readonly body: string;
}

function readFrontmatterFile(text: string, path: string): FrontmatterFile {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(plain);
  if (found === null) {
    if (/^---[ \t]*\n/.test(plain))
      throw tasksInvalid(`${path}: the frontmatter isn't closed.`, 'Close it with a line of "---".');
    return { fields: undefined, body: plain.trim() };
  }
  const fields = parseYamlText(found[1] ?? "", path) ?? {};
  if (!isJsonObject(fields))
    throw tasksInvalid(`${path}: the frontmatter isn't a list of keys.`, "Write `key: value` lines.");
  return { fields, body: plain.slice(found[0].length).trim() };
}
