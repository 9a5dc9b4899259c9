import { extname } from "node:path";
import { parse as parseCsv } from "csv-parse/sync";
import { parse as parseYaml } from "yaml";
import { WhetstoneError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { isDeeperThan, maxDepth } from "../../core/tasks/parse-tasks.ts";
import { tasksInvalid } from "./shape.ts";

export interface ParsedSource {
  readonly kind: "json" | "yaml" | "csv";
  readonly data: Json;
}

/** Reads a file's text by what it looks like, and by its name where that leaves a doubt. */
export function parseSource(content: string, path: string): ParsedSource {
  const text = content.replace(/^\uFEFF/, "");
  const parsed = parseByKind(text, path, kindOf(text, extname(path).toLowerCase()));
  if (isDeeperThan(parsed.data, maxDepth))
    throw tasksInvalid(`${path} is nested more than ${maxDepth} levels deep.`, "Flatten it.");
  return parsed;
}

type Kind = "json" | "lines" | "yaml" | "csv";

const kindsByName: Readonly<Record<string, Kind>> = {
  ".json": "json",
  ".jsonl": "lines",
  ".ndjson": "lines",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".csv": "csv",
  ".tsv": "csv",
};

function kindOf(text: string, extension: string): Kind {
  const byName = kindsByName[extension];
  if (byName === "csv" || byName === "yaml") return byName;
  const start = text.trimStart();
  if (start.startsWith("[")) return "json";
  if (start.startsWith("{")) return byName ?? (looksLikeLines(start) ? "lines" : "json");
  if (byName !== undefined) return byName;
  return /^(?:---|#.*|[\w-]+:(?:\s.*)?|- .*)$/m.test(firstLine(start)) ? "yaml" : "csv";
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.trimEnd() ?? "";

/** Every line begins an object of its own. */
const looksLikeLines = (text: string): boolean => {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => line.startsWith("{"));
};

function parseByKind(text: string, path: string, kind: Kind): ParsedSource {
  if (kind === "csv") return { kind, data: parseTable(text, path) };
  if (kind === "yaml") return { kind, data: parseYamlText(text, path) };
  if (kind === "lines" || looksLikeLines(text.trim())) return { kind: "json", data: parseLines(text, path) };
  return { kind: "json", data: parseJsonSource(text, path) };
}

const parseLines = (text: string, path: string): Json =>
  text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [parseJsonSource(line, `${path}, line ${at + 1}`)]));

export function parseJsonSource(text: string, place: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new WhetstoneError("tasks-invalid", `${place} is not JSON: ${(error as Error).message}.`, {
      hint: "Correct it there, or write one JSON object per line into a .jsonl file.",
    });
  }
}

/** Plain data only: tags that would run code are texts here. */
export function parseYamlText(text: string, place: string): Json {
  try {
    const data: unknown = parseYaml(text, { merge: true, logLevel: "error" });
    // also drops what JSON cannot say, and stops at a cycle
    return JSON.parse(JSON.stringify(data ?? null)) as Json;
  } catch (error) {
    throw tasksInvalid(
      `${place} is not YAML: ${firstLine(error instanceof Error ? error.message : String(error))}.`,
      "Correct it there.",
    );
  }
}

/** One object of texts per row; the first row names the columns. */
export function parseTable(text: string, place: string): Json {
  const header = firstLine(text);
  const delimiter = header.includes("\t") ? "\t" : header.includes(",") || !header.includes(";") ? "," : ";";
  try {
    return parseCsv(text, {
      bom: true,
      columns: (names: readonly string[]) =>
        checkColumns(
          names.map((name) => name.trim()),
          place,
        ),
      delimiter,
      skip_empty_lines: true,
      relax_column_count_less: true,
    }) as Json;
  } catch (error) {
    if (error instanceof WhetstoneError) throw error;
    throw tasksInvalid(
      `${place} is not CSV: ${firstLine(error instanceof Error ? error.message : String(error))}.`,
      "Correct the row; a text with commas, quotes or line breaks stands in double quotes.",
    );
  }
}

export function checkColumns(names: readonly string[], place: string): string[] {
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw tasksInvalid(
      `${place} has two columns called "${repeated}".`,
      "Give every column a name of its own.",
    );
  return [...names];
}
