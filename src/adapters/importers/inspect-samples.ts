import { askChoices } from "./choices.ts";
import { dirname } from "node:path";
import { encodeFile } from "../../core/files.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { readConversation } from "./conversation.ts";
import type { Importer, Notes, TaskRow } from "./imported.ts";
import { readLinked } from "./linked-files.ts";
import { asText, isEmpty, isList, recordsOf, tasksInvalid, rowId, without } from "./shape.ts";

const fields = ["id", "input", "choices", "target", "metadata", "sandbox", "files", "setup"];

/** Samples of Inspect: `{ input, choices?, target?, id?, metadata?, sandbox?, files?, setup? }`. The scorer is in its Python file. */
export const readInspectSamples: Importer = async ({ path, data, idPrefix, notes }) => {
  const rows: TaskRow[] = [];
  for (const [at, raw] of recordsOf(data, path).entries()) {
    const sample = unpackCells(raw);
    const id = rowId(sample["id"], `${idPrefix}sample-${at + 1}`);
    if (sample["input"] === undefined || sample["input"] === "")
      throw tasksInvalid(`${path}, row ${at + 1} has no "input".`, "Correct the row, or remove it.");
    rows.push(await readSample(sample, id, dirname(path), notes));
  }
  return rows;
};

/** In CSV, lists and objects stand as JSON. What is asked and answered is text: `[1, 2]` is an answer like any other. */
function unpackCells(row: JsonObject): JsonObject {
  const cells = Object.entries(row).flatMap(([name, value]): [string, Json][] => {
    if (value === null || value === undefined || value === "") return [];
    if (typeof value !== "string" || !/^\s*[[{]/.test(value) || !packed.includes(name))
      return [[name, value]];
    try {
      const unpacked = JSON.parse(value) as Json;
      return [[name, name !== "input" || isMessages(unpacked) ? unpacked : value]];
    } catch {
      return [[name, value]];
    }
  });
  return Object.fromEntries(cells);
}

const packed = ["input", "choices", "metadata", "sandbox", "files"];

const isMessages = (value: Json): boolean =>
  isList(value) && value.length > 0 && value.every((one) => isJsonObject(one) && one["role"] !== undefined);

async function readSample(sample: JsonObject, id: string, folder: string, notes: Notes): Promise<TaskRow> {
  const asked = readConversation(sample["input"]);
  const others = without(sample, fields);
  for (const name of Object.keys(others)) notes.ignore(id, `the field "${name}", which is kept as metadata`);
  const metadata = { ...(isJsonObject(sample["metadata"]) ? sample["metadata"] : {}), ...others };
  const base = { id, ...(isEmpty(metadata) ? {} : { metadata }) };
  if ("problem" in asked)
    return { ...base, input: JSON.stringify(sample["input"]), checks: [notes.refuse(id, asked.problem)] };
  const scoring = readTarget(sample, id, notes);
  const problems = [...scoring.problems, ...surroundings(sample, id, notes)];
  const files = await readFiles(sample["files"], folder, notes);
  problems.push(...files.problems);
  const system = [asked.system, scoring.system].filter((part) => part !== undefined).join("\n\n");
  return {
    ...base,
    input: asked.input + scoring.choices,
    ...(system === "" ? {} : { system }),
    ...(isEmpty(files.files) ? {} : { files: files.files }),
    ...(problems.length > 0
      ? { checks: problems.map((problem) => notes.refuse(id, problem)) }
      : { answers: scoring.answers }),
  };
}

interface Target {
  readonly answers: readonly string[];
  /** Written below the question. */
  readonly choices: string;
  readonly system?: string;
  readonly problems: readonly string[];
}

function readTarget({ target, choices }: JsonObject, id: string, notes: Notes): Target {
  const bare = { answers: [], choices: "" };
  if (choices !== undefined) return readChoices(target, choices, notes);
  const texts = (isList(target) ? target : [target]).map(asText);
  const answers = texts.filter((text): text is string => text !== undefined && text !== "");
  if (answers.length === 0 || answers.length < texts.length)
    return {
      ...bare,
      problems: [target === undefined ? 'no "target"' : '"target" is no text and no list of texts'],
    };
  notes.understand("target → answers (the same text after normalising; partial credit by words)");
  if (answers.some((answer) => answer.length > longTarget))
    notes.ignore(id, "that a long target may be meant for a model as grader: it is compared as text");
  return { ...bare, answers, problems: [] };
}

/** A description for a grader, hardly an answer to be repeated word by word. */
const longTarget = 200;

function readChoices(target: Json | undefined, choices: Json, notes: Notes): Target {
  const texts = isList(choices) ? choices.map(asText) : [];
  const named = texts.filter((text) => text !== undefined);
  const broken = (problem: string): Target => ({ answers: [], choices: "", problems: [problem] });
  if (named.length < 2 || named.length < texts.length || named.length > 26)
    return broken('"choices" is no list of 2 to 26 texts');
  const wanted = isList(target) && target.length === 1 ? target[0] : target;
  if (isList(wanted)) return broken("several right choices");
  const at = typeof wanted === "number" ? wanted : letterIndex(wanted);
  if (at === undefined || !Number.isInteger(at) || at < 0 || at >= named.length)
    return broken(`the target ${JSON.stringify(wanted ?? null)} names none of the choices`);
  notes.understand("choices and target → the letter of the right choice");
  const { written, system, answer } = askChoices(named, at);
  return { answers: [answer], choices: written, system, problems: [] };
}

function letterIndex(target: Json | undefined): number | undefined {
  if (typeof target !== "string") return undefined;
  const text = target.trim();
  if (/^\d+$/.test(text)) return Number(text);
  return /^[A-Za-z]$/.test(text) ? text.toUpperCase().charCodeAt(0) - 65 : undefined;
}

/** What a sample needs around it and we do not build. */
function surroundings({ sandbox, setup }: JsonObject, id: string, notes: Notes): readonly string[] {
  const problems: string[] = [];
  if (setup !== undefined) problems.push('"setup" (a script that prepares the sandbox)');
  if (typeof sandbox === "string") notes.ignore(id, `sandbox "${sandbox}": ours is used`);
  else if (sandbox !== undefined) problems.push('"sandbox" with a configuration of its own');
  return problems;
}

/** Each file is a path beside the samples, a data URL, or the text itself. */
async function readFiles(
  named: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<{ readonly files: Record<string, string>; readonly problems: readonly string[] }> {
  const files: Record<string, string> = {};
  const problems: string[] = [];
  if (named !== undefined && !isJsonObject(named)) problems.push('"files" is no object of paths');
  for (const [path, value] of Object.entries(isJsonObject(named) ? named : {})) {
    if (typeof value !== "string") {
      problems.push(`the file ${path} is no text`);
      continue;
    }
    const embedded = /^data:[^,]*;base64,(.*)$/s.exec(value)?.[1];
    if (embedded !== undefined) {
      files[path] = encodeFile(Buffer.from(embedded, "base64"));
      continue;
    }
    const isPath = value !== "" && value.length < 300 && !/[\n\r]/.test(value);
    const linked = isPath ? readLinked(folder, value, notes) : { content: value };
    if ("content" in linked) files[path] = linked.content;
    else if (linked.isMissing === true) files[path] = value;
    else problems.push(linked.problem);
  }
  return { files, problems };
}
