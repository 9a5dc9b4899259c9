import { basename, join, resolve } from "node:path";
import { isJsonObject } from "../../core/json.ts";
import type { Check } from "../../core/tasks/task.ts";
import { listProjectFolder, readProjectText } from "../project-file.ts";
import type { FoundSuite } from "./find-suite.ts";
import type { Notes, TaskRow } from "./imported.ts";
import { parseSource } from "./parse-source.ts";
import { asText, isEmpty, isFilled, isList, tasksInvalid, without } from "./shape.ts";

/** Scenarios of Tessl: `task.md` with the prompt, `criteria.json` with a weighted checklist. */
export function readTessl({ root, cases }: FoundSuite, notes: Notes, named: string): readonly TaskRow[] {
  const names = cases.map((folder) => (folder === "." ? "scenario" : basename(folder)));
  const rows: TaskRow[] = [];
  for (const [at, folder] of cases.entries()) {
    const name = names[at] ?? folder;
    const id = names.indexOf(name) === names.lastIndexOf(name) ? name : folder;
    rows.push(readScenario(join(root, folder), id, notes, named));
  }
  return rows;
}

function readScenario(place: string, id: string, notes: Notes, named: string): TaskRow {
  const read = (name: string): string => {
    notes.read(resolve(place, name));
    return readProjectText(join(place, name), { named });
  };
  const { input, files } = takeFiles(read("task.md"));
  if (input === "") throw tasksInvalid(`${place}/task.md asks nothing.`, "Write the task into it.");
  const criteria = parseSource(read("criteria.json"), `${place}/criteria.json`).data;
  const { type, checklist, context, ...others } = isJsonObject(criteria) ? criteria : {};
  const items = isList(checklist) ? checklist : [];
  const checks = items.map((item): Check => {
    const { name, description, max_score: most, ...rest } = isJsonObject(item) ? item : {};
    if (!isFilled(description) || typeof most !== "number" || !(most > 0))
      return notes.refuse(id, "an item of the checklist without a description or a max_score above 0");
    for (const field of Object.keys(without(rest, ["category"])))
      notes.ignore(id, `the field "${field}" of an item`);
    notes.understand("item of a checklist → rubric, its max_score as weight");
    return { kind: "rubric", value: isFilled(name) ? `${name}: ${description}` : description, weight: most };
  });
  if (type !== "weighted_checklist")
    checks.push(notes.refuse(id, `criteria of the type ${JSON.stringify(type ?? null)}`));
  if (checks.length === 0) checks.push(notes.refuse(id, "an empty checklist"));
  for (const field of Object.keys(without(others, ["metadata"])))
    notes.ignore(id, `the field "${field}" of criteria.json`);
  for (const { name } of listProjectFolder(place, named))
    if (name !== "task.md" && name !== "criteria.json") notes.ignore(id, `${name} beside the task`);
  const about = asText(context);
  return {
    id,
    input,
    checks,
    ...(isEmpty(files) ? {} : { files }),
    ...(about === undefined ? {} : { metadata: { context: about } }),
  };
}

/** Files stand in the task between lines such as `=== FILE: a/b.txt ===`, each up to the next one or to `=== END FILE ===`. */
function takeFiles(text: string): {
  readonly input: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const files: Record<string, string> = {};
  const kept: string[] = [];
  let path: string | undefined;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const begun = /^={3,}\s*FILE:\s*(\S.*?)\s*={3,}\s*$/.exec(line)?.[1];
    if (begun !== undefined) {
      path = begun;
      files[path] = "";
      kept.push(`The file ${begun} is in your working folder.`);
    } else if (/^={3,}\s*END(?: OF)? FILES?\s*={3,}\s*$/.test(line)) path = undefined;
    else if (path === undefined) kept.push(line);
    else files[path] += `${line}\n`;
  }
  return { input: kept.join("\n").trim(), files };
}
