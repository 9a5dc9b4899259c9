import { checksProblem, scorers } from "../../../src/core/scorers/score-checks.ts";
import { namesOf, readSources } from "../../../test/support/source-graph.ts";
import { type Placed, cell, readDeclarations, safe, sentence } from "./read-source.ts";

/** docs/checks.md: every kind of check and every field of a task, from the code that reads them. */
export function checksPage(): string {
  const kinds = [...scorers.keys()].filter((kind) => kind !== "unsupported");
  const about = describeKinds();
  return [
    "# Checks and task fields",
    "",
    "A task is a row of JSON, JSONL or YAML. [Evals that work](evals.md) says how to choose checks; this page lists all of them.",
    "It is made from `src/core/tasks/task.ts` and `src/core/scorers`: `npm run generate`.",
    "",
    "```json",
    '{ "id": "7", "input": "Where is order 990?", "checks": [{ "kind": "contains", "value": "tracking" }] }',
    "```",
    "",
    "## Fields of a task",
    "",
    ...fieldTable("Task"),
    "",
    "`question` means the same as `input`. A task has `answers` or `checks`, not both. Keys that are not listed are refused; what is",
    "yours goes into `metadata`.",
    "",
    "## Fields of a check",
    "",
    ...fieldTable("Check"),
    "",
    `\`on\`: ${safe(lowerCase(sentence(docOf("src/core/tasks/task.ts", "CheckedPart"))))} Checks of a text, \`rubric\` and \`as-good-as\` have it.`,
    "",
    "A task passes when all its checks do. Its partial credit is their weighted share.",
    "",
    "## Kinds of checks",
    "",
    "| kind | value | passes when |",
    "|---|---|---|",
    ...kinds.map(
      (kind) => `| \`${kind}\` | ${cell(safe(valueWords(kind)))} | ${cell(safe(about.get(kind) ?? ""))} |`,
    ),
    "",
    "A value that a kind cannot use makes its task invalid, never a fail or a pass.",
    "",
  ].join("\n");
}

/** What the kind itself says of a value that it refuses. */
const valueWords = (kind: string): string =>
  (checksProblem([{ kind, value: [] }]) ?? "")
    .replace(/^check 1 \(.*?\): /, "")
    .replace(/^the value of an? \S+ check must be /, "")
    .replaceAll(/\{[^}]*\}|\.\/file\S*(?=,)/g, "`$&`");

/** The doc comment of the scorer behind each kind. */
function describeKinds(): ReadonlyMap<string, string> {
  const sources = new Map(readSources("src/core/scorers").map((source) => [source.path, source]));
  const found = new Map<string, string>();
  for (const path of ["src/core/scorers/score-checks.ts", "src/core/scorers/score-text.ts"]) {
    const source = sources.get(path);
    const names = source === undefined ? undefined : namesOf(source);
    for (const [kind, name] of mapRows(path)) {
      const at = names?.get(name);
      if (at !== undefined) found.set(kind, sentence(docOf(at.path, at.name)));
    }
  }
  return found;
}

/** Rows of the form `["kind", scorer]`. */
function mapRows(path: string): readonly (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (typeof value !== "object" || value === null) return;
    const node = value as Placed;
    const [kind, scorer] = (node["elements"] as readonly Placed[] | undefined) ?? [];
    if (typeof kind?.["value"] === "string" && typeof scorer?.["name"] === "string")
      rows.push([kind["value"], scorer["name"]]);
    Object.values(node).forEach(look);
  };
  readDeclarations(path).forEach(({ node }) => look(node));
  return rows;
}

const docOf = (path: string, name: string): string =>
  readDeclarations(path).find((declared) => declared.name === name)?.doc ?? "";

/** The fields of an interface of task.ts, with their comments. */
function fieldTable(name: string): readonly string[] {
  const declared = readDeclarations("src/core/tasks/task.ts").find((one) => one.name === name);
  const fields = [
    ...(declared?.text.slice(declared.node.start, declared.node.end) ?? "").matchAll(
      /(?:\/\*\*([\s\S]*?)\*\/\s*)?readonly (\w+)(\??): ([^;]+);/g,
    ),
  ].filter(([, , key]) => key !== "key");
  return [
    "| field | value | |",
    "|---|---|---|",
    ...fields.map(([, doc = "", key, optional, type = ""]) => {
      const [about = "", standing] = doc
        .replaceAll(/\s*\n\s*\*\s?/g, " ")
        .trim()
        .split(/ ?@default /);
      const more = standing === undefined ? about : `${about} Default: ${standing}.`;
      const needed = optional === "" ? "" : "optional; ";
      return `| \`${key}\` | ${needed}${cell(typeWords(type))} | ${cell(safe(more.trim()))} |`;
    }),
  ];
}

const typeWords = (type: string): string =>
  ({
    string: "text",
    number: "number",
    boolean: "true or false",
    Json: "JSON",
    "readonly string[]": "list of texts",
    "readonly Check[]": "list of checks",
    "Readonly<Record<string, string>>": "object of paths and texts",
    TaskLimits: "`{ seconds?, usd? }`",
    CheckedPart: '`"answer"`, `"trace"`, `"files"` or `{ "file": path }`',
  })[type] ?? "object";

const lowerCase = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
