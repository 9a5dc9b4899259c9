import { join } from "node:path";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { own } from "../../core/own.ts";
import { traceText } from "../../core/scorers/trace.ts";
import type { Check, CheckedPart } from "../../core/tasks/task.ts";
import { claudeReader } from "../agents/vendors/claude-events.ts";
import type { Notes } from "./imported.ts";
import { readLinked } from "./linked-files.ts";
import { asText, isFilled, isList, without } from "./shape.ts";

/** A grader's check, or why it can't be one. */
export type ReadGrader = { readonly check: Check; readonly became: string } | { readonly problem: string };

/** Folders to search for the files that graders name. */
export interface GraderPlace {
  /** The suite's folder. */
  readonly root: string;
  /** The case's folder, relative to that. Nothing outside it is read. */
  readonly folder: string;
  readonly notes: Notes;
}

const keys: Readonly<Record<string, readonly string[]>> = {
  regex: ["target", "pattern", "flags", "match"],
  tool_order: ["before", "after"],
  tool_used: ["tool", "input_match", "min", "max"],
  file_exists: ["path", "exists"],
  llm: ["criteria", "focus"],
  baseline: ["baseline_file", "criteria"],
};

/** Reads a `claude plugin eval` grader. Like that command, we refuse keys its type doesn't have. */
export async function readGrader(grader: JsonObject, place: GraderPlace): Promise<ReadGrader> {
  const { weight = 1, arm } = grader;
  const type = asText(grader["type"]) ?? "";
  const [known, reader] = [own(keys, type), own(readers, type)];
  if (known === undefined || reader === undefined)
    return { problem: `a grader with the unknown type "${type}"` };
  const [unknown] = Object.keys(without(grader, ["type", "name", "weight", "arm", ...known]));
  if (unknown !== undefined) return { problem: `the key "${unknown}" in a ${type} grader` };
  if (typeof weight !== "number" || !(weight > 0)) return { problem: `the weight ${JSON.stringify(weight)}` };
  if (arm !== undefined && arm !== "with-only" && arm !== "both")
    return { problem: `the arm ${JSON.stringify(arm)}` };
  const read = await reader(grader, place);
  if ("problem" in read) return read;
  return { ...read, check: { ...read.check, ...(weight === 1 ? {} : { weight }) } };
}

type Reader = (grader: JsonObject, place: GraderPlace) => ReadGrader | Promise<ReadGrader>;

const readers: Readonly<Record<string, Reader>> = {
  regex: readRegex,
  tool_order: readToolOrder,
  tool_used: readToolUsed,
  file_exists: readFileExists,
  llm: readLlm,
  baseline: readBaseline,
};

function readRegex({ pattern, flags = "", match = "contains", target }: JsonObject): ReadGrader {
  const part = readPart(target);
  if ("problem" in part) return part;
  if (typeof pattern !== "string" || typeof flags !== "string" || !/^[dgimsuvy]*$/.test(flags))
    return { problem: "a regex grader whose pattern or flags aren't text" };
  if (flags.includes("y")) return { problem: "a regex grader with the flag y (sticky)" };
  const [, times] = typeof match === "string" ? (/^count:(\d+)$/.exec(match) ?? []) : [];
  if (times === undefined && match !== "contains" && match !== "not_contains")
    return { problem: `a regex grader with match ${JSON.stringify(match)}` };
  // g and d don't affect whether or how often a pattern matches
  const kept = flags.replaceAll(/[dg]/g, "");
  const value =
    times === undefined
      ? kept === ""
        ? pattern
        : { pattern, flags: kept }
      : { pattern, flags: kept, count: Number(times) };
  const negate = match === "not_contains" ? { negate: true } : {};
  return { check: { kind: "regex", value, ...negate, ...part.on }, became: `regex${part.words}` };
}

function readToolOrder({ before, after }: JsonObject): ReadGrader {
  const [first, second] = [readCall(before), readCall(after)];
  if (first === undefined || second === undefined)
    return { problem: "a tool_order grader without two tool names" };
  return { check: { kind: "tool-order", value: { before: first, after: second } }, became: "tool-order" };
}

function readCall(value: Json | undefined): JsonObject | undefined {
  const { tool, input_match: matches } = isJsonObject(value)
    ? value
    : { tool: value, input_match: undefined };
  if (!isFilled(tool) || (matches !== undefined && typeof matches !== "string")) return undefined;
  // an empty pattern requires nothing, there as here
  return { name: tool, ...(isFilled(matches) ? { matches } : {}) };
}

function readToolUsed({ tool, input_match, min = 1, max }: JsonObject): ReadGrader {
  const call = readCall({ tool: tool ?? null, ...(input_match === undefined ? {} : { input_match }) });
  if (call === undefined) return { problem: "a tool_used grader without a tool name" };
  const isCount = (value: Json | undefined) => Number.isInteger(value) && Number(value) >= 0;
  if (!isCount(min) || (max !== undefined && !isCount(max)))
    return { problem: "a tool_used grader whose min or max isn't a count" };
  const value = { ...call, atLeast: min, ...(max === undefined ? {} : { atMost: max }) };
  return { check: { kind: "tool-called", value }, became: "tool-called" };
}

function readFileExists({ path, exists = true }: JsonObject): ReadGrader {
  if (!isFilled(path) || typeof exists !== "boolean")
    return { problem: "a file_exists grader without a path" };
  if (!/[*?]/.test(path))
    return { check: { kind: "file", value: exists ? { path } : { path, exists } }, became: "file" };
  const check: Check = { kind: "regex", value: { pattern: globPattern(path), flags: "m" }, on: "files" };
  return { check: exists ? check : { ...check, negate: true }, became: "regex on the created files" };
}

/** Claude's globs: `**` crosses folders, `*` and `?` stay within a name (and `?` is any character). */
const globPattern = (glob: string): string =>
  `^${glob.replaceAll(/\*\*\/|\*\*|[*?.+^${}()|[\]\\]/g, (found) => {
    if (found === "**/") return "(?:.*/)?";
    if (found === "**") return ".*";
    if (found === "*") return "[^/\\n]*";
    return found === "?" ? "." : `\\${found}`;
  })}$`;

function readLlm({ criteria, focus }: JsonObject): ReadGrader {
  const part = readPart(focus);
  if ("problem" in part) return part;
  if (!isFilled(criteria)) return { problem: "an llm grader without criteria" };
  if (criteria.includes(blankCriteria)) return { problem: "an llm grader that is still the blank template" };
  return {
    check: { kind: "rubric", value: { text: criteria, votes: 3 }, ...part.on },
    became: `rubric, by two of three votes${part.words}`,
  };
}

const blankCriteria = "TODO: describe what a successful response looks like";

async function readBaseline(
  { baseline_file: file, criteria }: JsonObject,
  { root, folder, notes }: GraderPlace,
): Promise<ReadGrader> {
  if (!isFilled(file) || !isFilled(criteria))
    return { problem: "a baseline grader without its file or criteria" };
  const linked = readLinked(join(root, folder), file, notes);
  if ("problem" in linked) return linked;
  const reader = claudeReader();
  for (const line of linked.content.split("\n")) reader.line(line);
  const { text, toolCalls, conversation } = reader.read();
  const reference = traceText({ text, toolCalls, conversation, files: {}, skillsLoaded: [] });
  if (reference === "") return { problem: `the baseline file ${file} contains no transcript` };
  const check: Check = { kind: "as-good-as", value: { reference, rubric: criteria }, on: "trace" };
  return { check, became: "as-good-as, asked in both orders instead of three times" };
}

/** `last_message`, `trace`, `files` or `{ source: file, path }`. */
function readPart(
  target: Json | undefined,
): { readonly on: { readonly on?: CheckedPart }; readonly words: string } | { readonly problem: string } {
  if (target === undefined || target === "last_message") return { on: {}, words: "" };
  if (target === "trace") return { on: { on: "trace" }, words: " on the trace" };
  if (target === "files") return { on: { on: "files" }, words: " on the created files" };
  if (target === "mock_calls") return { problem: "a grader on mock_calls (MCP mocks)" };
  if (!isJsonObject(target) || target["source"] !== "file" || !isFilled(target["path"]))
    return { problem: `a grader on ${JSON.stringify(target)}` };
  const file = target["path"];
  if (/\.(?:png|jpe?g|gif|webp)$/i.test(file)) return { problem: `a grader on an image (${file})` };
  if (file.startsWith(".eval-artifacts")) return { problem: "a grader on published artifacts" };
  return { on: { on: { file } }, words: " on a file" };
}

/**
 * Graders that only check whether the plugin fired (`arm: with-only`, and `tool_used: Skill` without an arm) aren't
 * part of a score both arms share, unless the case only has such graders.
 */
export function scoredGraders(graders: readonly JsonObject[]): readonly JsonObject[] {
  const scored = graders.filter(({ arm, type, tool }) =>
    arm === undefined ? !(type === "tool_used" && tool === "Skill") : arm !== "with-only",
  );
  return scored.length === 0 ? graders : scored;
}

export const gradersOf = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isJsonObject) : [];
