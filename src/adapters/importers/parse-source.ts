import { extname } from "node:path";
import { parse as parseCsv } from "csv-parse/sync";
import { Lexer, parse as parseYaml } from "yaml";
import { WhetstoneError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { isDeeperThan, maxDepth } from "../../core/tasks/parse-tasks.ts";
import { tasksInvalid } from "./shape.ts";

export interface ParsedSource {
  readonly kind: "json" | "yaml" | "csv";
  readonly data: Json;
}

/** Parses a file by its content, and by its name if the content is ambiguous. */
export function parseSource(content: string, path: string): ParsedSource {
  // read as UTF-8, such a file starts with two broken characters, or has NUL as every second one
  if (/^(?:\uFFFD\uFFFD|[^]?\0)/.test(content)) throw tasksInvalid(`${path} is UTF-16.`, "Save it as UTF-8.");
  const text = content.replace(/^\uFEFF/, "");
  const kind = kindOf(text, extname(path).toLowerCase());
  if (kind === "json" || kind === "lines") refuseEndless(text, path);
  const parsed = parseByKind(text, path, kind);
  if (isDeeperThan(parsed.data, maxDepth)) throw tooDeep(path);
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

/** Whether every line starts its own object. */
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

function parseJsonSource(text: string, place: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new WhetstoneError("tasks-invalid", `${place} isn't valid JSON: ${(error as Error).message}.`, {
      hint: "Fix it there, or write one JSON object per line into a .jsonl file.",
    });
  }
}

/** Plain data only: tags that would run code are read as text. */
export function parseYamlText(text: string, place: string): Json {
  refuseEndlessYaml(text, place);
  try {
    const data: unknown = parseYaml(text, { merge: true, logLevel: "error" });
    // also drops values JSON can't represent, and stops at a cycle
    return JSON.parse(JSON.stringify(data ?? null)) as Json;
  } catch (error) {
    throw tasksInvalid(
      `${place} isn't valid YAML: ${firstLine(error instanceof Error ? error.message : String(error))}.`,
      "Fix it there.",
    );
  }
}

/*
 * We estimate the cost of parsing a hostile text before we parse it: a value takes some hundred bytes, and each level
 * of nesting takes stack space.
 */

const maxValues = 400_000;
const tooDeep = (place: string) =>
  tasksInvalid(`${place} is nested more than ${maxDepth} levels deep.`, "Flatten it.");
const tooMany = (place: string) =>
  tasksInvalid(`${place} contains more than ${maxValues} values.`, "Split it into several files.");

/** For JSON, JSON lines and tables. Brackets have no meaning in tables. */
function refuseEndless(text: string, place: string, isTable = false): void {
  let [values, open, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += mark === "\\" && !isTable ? 1 : 0;
    else if (mark === "," || mark === "\n" || mark === ";" || mark === "\t") values += 1;
    else if (mark === "[" || mark === "{") open += 1;
    else if (mark === "]" || mark === "}") open -= 1;
    if (values > maxValues) throw tooMany(place);
    if (open > maxDepth && !isTable) throw tooDeep(place);
  }
}

function refuseEndlessYaml(text: string, place: string): void {
  let [pieces, open, onLine] = [0, 0, 0];
  if (text.length > 4 * 1024 * 1024) throw tooMany(place);
  for (const piece of new Lexer().lex(text)) {
    pieces += 1;
    if (piece === "[" || piece === "{") open += 1;
    else if (piece === "]" || piece === "}") open -= 1;
    else if (piece === "-" || piece === "?") onLine += 1;
    else if (piece.startsWith("\n")) onLine = 0;
    if (open > maxDepth || onLine > maxDepth) throw tooDeep(place);
    // spaces and punctuation are pieces too
    if (pieces > 2 * maxValues) throw tooMany(place);
  }
}

/** One object of strings per row; the first row names the columns. */
export function parseTable(text: string, place: string): Json {
  refuseEndless(text, place, true);
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
      `${place} isn't valid CSV: ${firstLine(error instanceof Error ? error.message : String(error))}.`,
      "Fix the row. Text with commas, quotes or line breaks needs double quotes.",
    );
  }
}

export function checkColumns(names: readonly string[], place: string): string[] {
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw tasksInvalid(`${place} has two columns named "${repeated}".`, "Give every column a unique name.");
  return [...names];
}
