import { basename, dirname } from "node:path";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import type { Check } from "../../core/tasks/task.ts";
import { isThere } from "../project-file.ts";
import type { Importer, ImportSource, Notes, TaskRow } from "./imported.ts";
import { listLinked, readLinked } from "./linked-files.ts";
import { nameCheck, readAssert } from "./promptfoo-assert.ts";
import { isEmpty, isFilled, isList, recordsOf, tasksInvalid, rowId, without } from "./shape.ts";

/** Our own fields that an entry may have in addition to the documented ones. */
const ownFields = ["answers", "checks", "system", "type", "group", "limits", "weight"] as const;

const documented = ["id", "prompt", "expected_output", "files", "expectations", "assertions"];

/**
 * `evals/evals.json` of an Agent Skill: `{ skill_name, evals: [{ id, prompt, expected_output?, files?,
 * expectations? | assertions? }] }`, the dialects of skill-creator and of agentskills.io. A sentence becomes a rubric.
 */
export const readEvalsJson: Importer = async (source) => {
  const { data, path } = source;
  const entries = recordsOf(isJsonObject(data) ? data["evals"] : data, path);
  return entries.map((entry, at) => readEntry(entry, at, source));
};

function readEntry(entry: JsonObject, at: number, { path, idPrefix, notes }: ImportSource): TaskRow {
  if (!isFilled(entry["prompt"]))
    throw tasksInvalid(
      `${path}, eval ${at + 1} has no question: "prompt" is missing or empty.`,
      "Write the prompt.",
    );
  const id = rowId(entry["id"], `${idPrefix}eval-${at + 1}`);
  const own = ownFieldsOf(entry);
  const scoring = readScoring(entry, own, id, notes);
  const { files, problems } = readFiles(entry["files"], skillFolder(path), notes);
  const refused = [...scoring.problems, ...problems].map((problem) => notes.refuse(id, problem));
  const others = without(entry, [...documented, ...ownFields, "metadata"]);
  for (const name of Object.keys(others)) notes.ignore(id, `the field "${name}" (kept)`);
  const metadata = { ...others, ...(isJsonObject(entry["metadata"]) ? entry["metadata"] : {}) };
  const reference = isFilled(entry["expected_output"]) ? entry["expected_output"] : undefined;
  const checks = [...scoring.checks, ...refused];
  const { answers, checks: _, ...plain } = own;
  return {
    id,
    input: entry["prompt"],
    ...plain,
    // a task can't have both answers and checks
    ...(checks.length === 0 ? { answers } : { checks }),
    ...(reference === undefined ? {} : { reference }),
    ...(isEmpty(files) ? {} : { files }),
    ...(isEmpty(metadata) ? {} : { metadata }),
  };
}

function ownFieldsOf(entry: JsonObject): JsonObject {
  const isOwn: Readonly<Record<(typeof ownFields)[number], (value: Json) => boolean>> = {
    answers: (value) => isList(value) && value.length > 0 && value.every(isFilled),
    checks: (value) =>
      isList(value) &&
      value.length > 0 &&
      value.every((check) => isJsonObject(check) && isFilled(check["kind"])),
    system: (value) => typeof value === "string",
    type: (value) => typeof value === "string",
    group: (value) => typeof value === "string",
    limits: isJsonObject,
    weight: (value) => typeof value === "number" && value > 0,
  };
  const found = ownFields.flatMap((name) => {
    const value = entry[name];
    return value !== undefined && isOwn[name](value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

type SentenceList = "expectations" | "assertions";

interface Scoring {
  readonly checks: readonly Check[];
  readonly problems: readonly string[];
}

function readScoring(entry: JsonObject, fields: JsonObject, id: string, notes: Notes): Scoring {
  const lists = (["expectations", "assertions"] as const).filter((name) => entry[name] !== undefined);
  const problems = lists.filter((name) => !isList(entry[name])).map((name) => `"${name}" isn't a list`);
  const listed = lists.flatMap((name) => {
    const items = entry[name];
    return isList(items) ? items.map((item) => readExpectation(item, name, id, notes)) : [];
  });
  const own = isList(fields["checks"]) ? (fields["checks"] as unknown as readonly Check[]) : [];
  if (own.length > 0) notes.understand("checks → checks");
  const checks = [...listed, ...own];
  if (fields["answers"] !== undefined) {
    if (checks.length > 0) problems.push('"answers" beside other checks');
    else notes.understand("answers → answers");
    return { checks, problems };
  }
  if (checks.length > 0) return { checks, problems };
  if (isFilled(entry["expected_output"])) {
    notes.understand("expected_output, without expectations → rubric");
    return { checks: [{ kind: "rubric", value: entry["expected_output"] }], problems };
  }
  return { checks, problems: [...problems, "neither expectations nor expected_output"] };
}

function readExpectation(item: Json, list: SentenceList, id: string, notes: Notes): Check {
  if (isFilled(item)) {
    notes.understand(`a sentence in ${list} → rubric`);
    return { kind: "rubric", value: item };
  }
  if (!isJsonObject(item))
    return notes.refuse(id, `an item of "${list}" that is neither a sentence nor an object`);
  const { type, text } = item;
  if (typeof type === "string") {
    const found = readAssert({ ...item, type: type.replaceAll("_", "-") });
    if ("problem" in found) return notes.refuse(id, found.problem);
    notes.understand(`${type} in ${list} → ${nameCheck(found.check)}`);
    return found.check;
  }
  if (!isFilled(text)) return notes.refuse(id, `an item of "${list}" without "text" and without "type"`);
  notes.understand(`a text in ${list} → rubric`);
  return { kind: "rubric", value: text };
}

/** Paths are relative to the skill's folder. */
function skillFolder(path: string): string {
  const folder = dirname(path);
  return basename(folder) === "evals" && !isThere(`${folder}/SKILL.md`) ? dirname(folder) : folder;
}

function readFiles(
  named: Json | undefined,
  root: string,
  notes: Notes,
): { readonly files: Record<string, string>; readonly problems: readonly string[] } {
  const files: Record<string, string> = {};
  const problems: string[] = [];
  if (named !== undefined && !isList(named)) problems.push('"files" is no list of paths');
  for (const path of isList(named) ? named : []) {
    if (!isFilled(path)) {
      problems.push("a file without a path");
      continue;
    }
    const found = findFiles(root, path);
    if ("problem" in found) {
      problems.push(found.problem);
      continue;
    }
    for (const each of found.paths) {
      const linked = readLinked(found.root, each, notes);
      if ("problem" in linked) problems.push(linked.problem);
      else files[workspacePath(each)] = linked.content;
    }
  }
  return { files, problems };
}

/** In the skill's folder as documented, or in its `evals` as some people write them. */
function findFiles(
  root: string,
  path: string,
): { readonly root: string; readonly paths: readonly string[] } | { readonly problem: string } {
  const documentedPlace = listLinked(root, path);
  if (!("problem" in documentedPlace)) return { root, paths: documentedPlace };
  const other = listLinked(`${root}/evals`, path);
  return "problem" in other ? documentedPlace : { root: `${root}/evals`, paths: other };
}

/** `evals/files/sales.csv` becomes `sales.csv` in the workspace. */
const workspacePath = (path: string): string => path.replace(/^(?:\.\/)?(?:evals\/)?(?:files\/)?/, "");
