import { basename, dirname, extname, join } from "node:path";
import { isBinary } from "../../core/files.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { kindAt, listProjectFolder } from "../project-file.ts";
import type { Notes } from "./imported.ts";
import { readLinked } from "./linked-files.ts";
import { parseSource, parseYamlText } from "./parse-source.ts";
import { readTableRow } from "./promptfoo-csv.ts";
import { isFilled, isList } from "./shape.ts";

export interface PromptfooPrompt {
  readonly template: string;
}

type Loaded = { readonly value: Json } | { readonly problem: string };

/** What `file://…` names: data of JSON and YAML, the text of everything else that is text. Nothing is run. */
export async function loadReference(reference: string, folder: string, notes: Notes): Promise<Loaded> {
  const path = reference.replace(/^file:\/\//, "");
  const extension = extname(path).toLowerCase();
  if (/^(?:https?|huggingface|sheets?):\/\//.test(reference))
    return { problem: `${reference} is not on this machine` };
  if (codeFile.test(path)) return { problem: `${path} is code, which is not run` };
  const linked = readLinked(folder, path, notes);
  if ("problem" in linked) return linked;
  if (isBinary(linked.content)) return { problem: `the file ${path} is no text` };
  if (extension !== ".json" && extension !== ".yaml" && extension !== ".yml")
    return { value: linked.content };
  return tryParse(() => parseYamlText(linked.content, path));
}

const codeFile = /\.(?:[cm]?[jt]s|py|rb|sh)(?::\w+)?$/i;

function tryParse(parse: () => Json): Loaded {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof WhetstoneError) return { problem: error.message.replace(/\.$/, "") };
    throw error;
  }
}

/** Prompts as texts: written there, or in files. */
export async function readPromptList(
  value: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<readonly PromptfooPrompt[]> {
  const prompts: PromptfooPrompt[] = [];
  const listed = value === undefined ? [] : isList(value) ? value : [value];
  for (const [at, item] of listed.entries()) {
    const where = `prompts[${at}]`;
    const text = isJsonObject(item) ? (item["raw"] ?? item["id"]) : item;
    if (!isFilled(text)) {
      notes.refuse(where, "a prompt that is no text");
      continue;
    }
    if (!isReference(text)) {
      prompts.push({ template: text });
      continue;
    }
    for (const path of matchingFiles(text, folder)) {
      const found = await loadPrompts(path, folder, notes);
      if ("problem" in found) notes.refuse(where, found.problem);
      else prompts.push(...found.templates.map((template) => ({ template })));
    }
  }
  return prompts;
}

const isReference = (text: string): boolean =>
  text.startsWith("file://") ||
  /^[\w./*-]+\.(?:txt|md|json|jsonl|ya?ml|j2|csv|py|[cm]?[jt]s)(?::\w+)?$/.test(text);

async function loadPrompts(
  path: string,
  folder: string,
  notes: Notes,
): Promise<{ readonly templates: readonly string[] } | { readonly problem: string }> {
  const loaded = await loadReference(path, folder, notes);
  if ("problem" in loaded) return loaded;
  if (typeof loaded.value !== "string") return { templates: [JSON.stringify(loaded.value)] };
  const parts = path.endsWith(".txt") ? loaded.value.split(/^---\s*$/m) : [loaded.value];
  const templates = parts.map((part) => part.trim()).filter((part) => part !== "");
  return templates.length === 0 ? { problem: `the file ${path} is empty` } : { templates };
}

/** Tests: written there, or in YAML, JSON, JSONL and CSV files. */
export async function readTestList(
  value: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<readonly JsonObject[]> {
  const tests: JsonObject[] = [];
  const listed = value === undefined ? [] : isList(value) ? value : [value];
  for (const [at, item] of listed.entries()) {
    const where = `tests[${at}]`;
    const reference =
      isJsonObject(item) && isFilled(item["path"]) && item["assert"] === undefined ? item["path"] : item;
    if (isJsonObject(reference)) tests.push(isTableRow(reference) ? readTableRow(reference) : reference);
    else if (!isFilled(reference)) notes.refuse(where, "a test that is no object");
    else
      for (const path of matchingFiles(reference, folder)) {
        const found = await loadTests(path, folder, notes);
        if ("problem" in found) notes.refuse(where, found.problem);
        else tests.push(...found.tests);
      }
  }
  return tests;
}

/** Of a table: its columns stand where a test's fields would. */
const isTableRow = (row: JsonObject): boolean =>
  Object.keys(row).some((name) => /^__(?:expected|prefix|suffix|description|metadata)/.test(name)) ||
  !testWords.some((name) => name in row);

const testWords = ["vars", "assert", "description", "options", "threshold", "metadata", "provider"];

async function loadTests(
  reference: string,
  folder: string,
  notes: Notes,
): Promise<{ readonly tests: readonly JsonObject[] } | { readonly problem: string }> {
  const path = reference.replace(/^file:\/\//, "");
  if (/^\w+:\/\//.test(path)) return { problem: `${path} is not on this machine` };
  if (codeFile.test(path)) return { problem: `${path} is code, which is not run` };
  if (/\.xlsx?(?:#.*)?$/i.test(path)) return { problem: `${path} is a spreadsheet; save it as CSV` };
  const linked = readLinked(folder, path, notes);
  if ("problem" in linked) return linked;
  const loaded = tryParse(() => parseSource(linked.content, path).data);
  if ("problem" in loaded) return loaded;
  const rows = isList(loaded.value)
    ? loaded.value
    : isJsonObject(loaded.value) && isList(loaded.value["tests"])
      ? loaded.value["tests"]
      : [loaded.value];
  if (!rows.every(isJsonObject)) return { problem: `${path} is no list of tests` };
  return { tests: rows.map((row) => (isTableRow(row) ? readTableRow(row) : row)) };
}

/** A `*` in the file's name stands for every file that fits. */
function matchingFiles(reference: string, folder: string): readonly string[] {
  const path = reference.replace(/^file:\/\//, "");
  const name = basename(path);
  if (!name.includes("*") || dirname(path).includes("*")) return [reference];
  const pattern = new RegExp(
    `^${name
      .split("*")
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
  );
  const inside = join(folder, dirname(path));
  const files = kindAt(inside) === "folder" ? listProjectFolder(inside, folder) : [];
  const found = files.filter((file) => pattern.test(file.name));
  return found.length === 0 ? [reference] : found.map((file) => join(dirname(path), file.name));
}
