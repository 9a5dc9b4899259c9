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

type Loaded<Value = Json> = { readonly value: Value } | { readonly problem: string };

/** The content of a `file://…`: data for JSON and YAML, text for every other text file. Nothing is run. */
export async function loadReference(reference: string, folder: string, notes: Notes): Promise<Loaded> {
  const path = reference.replace(/^file:\/\//, "");
  const extension = extname(path).toLowerCase();
  if (/^(?:https?|huggingface|sheets?):\/\//.test(reference))
    return { problem: `${reference} isn't on this machine` };
  if (codeFile.test(path)) return { problem: `${path} is code, which isn't run` };
  const linked = readLinked(folder, path, notes);
  if ("problem" in linked) return linked;
  if (isBinary(linked.content)) return { problem: `the file ${path} isn't text` };
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

/** Prompts as text, given inline or in files. */
export const readPromptList = (
  value: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<readonly string[]> =>
  readListed(value, { name: "prompts", folder, notes }, loadPrompts, (item) => {
    const text = isJsonObject(item) ? (item["raw"] ?? item["id"]) : item;
    if (!isFilled(text)) return { problem: "a prompt that isn't text" };
    return isReference(text) ? { reference: text } : { value: [text] };
  });

interface ListPlace {
  /** Settings of the list. */
  readonly name: string;
  readonly folder: string;
  readonly notes: Notes;
}

/** The items of a list, or a single item. Each is used as written, or read from the files it names. */
async function readListed<Item>(
  value: Json | undefined,
  { name, folder, notes }: ListPlace,
  load: (path: string, folder: string, notes: Notes) => Promise<Loaded<readonly Item[]>>,
  read: (item: Json) => Loaded<readonly Item[]> | { readonly reference: string },
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const listed = value === undefined ? [] : isList(value) ? value : [value];
  for (const [at, each] of listed.entries()) {
    const written = read(each);
    const found =
      "reference" in written
        ? await Promise.all(matchingFiles(written.reference, folder).map((path) => load(path, folder, notes)))
        : [written];
    for (const one of found) {
      if ("problem" in one) notes.refuse(`${name}[${at}]`, one.problem);
      else items.push(...one.value);
    }
  }
  return items;
}

const isReference = (text: string): boolean =>
  text.startsWith("file://") ||
  /^[\w./*-]+\.(?:txt|md|json|jsonl|ya?ml|j2|csv|py|[cm]?[jt]s)(?::\w+)?$/.test(text);

async function loadPrompts(path: string, folder: string, notes: Notes): Promise<Loaded<readonly string[]>> {
  const loaded = await loadReference(path, folder, notes);
  if ("problem" in loaded) return loaded;
  if (typeof loaded.value !== "string") return { value: [JSON.stringify(loaded.value)] };
  const parts = path.endsWith(".txt") ? loaded.value.split(/^---\s*$/m) : [loaded.value];
  const templates = parts.map((part) => part.trim()).filter((part) => part !== "");
  return templates.length === 0 ? { problem: `the file ${path} is empty` } : { value: templates };
}

/** Tests given inline, or in YAML, JSON, JSONL and CSV files. */
export const readTestList = (
  value: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<readonly JsonObject[]> =>
  readListed(value, { name: "tests", folder, notes }, loadTests, (item) => {
    const reference =
      isJsonObject(item) && isFilled(item["path"]) && item["assert"] === undefined ? item["path"] : item;
    if (isJsonObject(reference)) return { value: [asTest(reference)] };
    return isFilled(reference) ? { reference } : { problem: "a test that isn't an object" };
  });

const asTest = (row: JsonObject): JsonObject => (isTableRow(row) ? readTableRow(row) : row);

/** For a table: its columns hold what would be a test's fields. */
const isTableRow = (row: JsonObject): boolean =>
  Object.keys(row).some((name) => /^__(?:expected|prefix|suffix|description|metadata)/.test(name)) ||
  !testWords.some((name) => name in row);

const testWords = ["vars", "assert", "description", "options", "threshold", "metadata", "provider"];

async function loadTests(
  reference: string,
  folder: string,
  notes: Notes,
): Promise<Loaded<readonly JsonObject[]>> {
  const path = reference.replace(/^file:\/\//, "");
  if (/^\w+:\/\//.test(path)) return { problem: `${path} isn't on this machine` };
  if (codeFile.test(path)) return { problem: `${path} is code, which isn't run` };
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
  if (!rows.every(isJsonObject)) return { problem: `${path} isn't a list of tests` };
  return { value: rows.map(asTest) };
}

/** A `*` in the file name matches any text. */
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
