import { z } from "zod";
import { WhetstoneError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { nearestWord } from "../core/nearest-word.ts";
import { type Config, configSchema } from "./schema.ts";

/** Checks a config. All its faults become one error with the source and each fault's key, value and range. */
export function parseConfig(input: unknown, source: string, nameOf: KeyName = quoted): Config {
  if (!isObject(input))
    throw invalid(`${source} isn't an object with settings.`, "Write { skill: …, tasks: … }.");
  const parsed = configSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => explain(issue, input, nameOf));
  const [first, second] = faults;
  if (first !== undefined && second === undefined) throw invalid(`${source}: ${first.problem}`, first.hint);
  throw invalid(
    [`${source} has ${faults.length} faults:`, ...faults.map(({ problem }) => `  ${problem}`)].join("\n"),
    "Fix each of them, then run the command again.",
  );
}

/** The name of a key where it was written. */
export type KeyName = (path: string) => string;

const quoted: KeyName = (path) => `"${path}"`;

interface Fault {
  readonly problem: string;
  readonly hint: string;
}

function explain(issue: z.core.$ZodIssue, input: unknown, nameOf: KeyName): readonly Fault[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, issue.path));
  const path = issue.path.map(String).join(".");
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  return [
    {
      problem: `${nameOf(path)} is ${show(value)}; it ${rule(issue)}.`,
      hint: `Fix ${nameOf(path)} and run the command again.`,
    },
  ];
}

/** Our own rules are worded to follow "it". For other shapes we list the keys, or use the library's words. */
function rule(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith("must ")) return issue.message;
  if (issue.code !== "invalid_type") return `must be right: ${issue.message}`;
  const known = knownKeys(issue.path);
  const kind = kinds[issue.expected] ?? issue.expected;
  return `must be ${kind}${known.length === 0 ? "" : ` with the keys ${known.join(", ")}`}`;
}

const kinds: Readonly<Record<string, string>> = {
  object: "an object",
  record: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

function unknownKey(key: string, above: readonly PropertyKey[]): Fault {
  const known = knownKeys(above);
  const meant = known.find((one) => otherWords[one]?.includes(key.toLowerCase())) ?? nearestWord(key, known);
  const problem = `the key "${[...above, key].map(String).join(".")}" is unknown`;
  if (meant !== undefined)
    return { problem: `${problem}; did you mean "${meant}"?`, hint: `Rename it to "${meant}".` };
  // the config itself has too many to list here
  const isFew = above.length > 0 && known.length > 0;
  return {
    problem: `${problem}${isFew ? `; known keys: ${known.join(", ")}` : ""}.`,
    hint: isFew ? "Use one of them, or remove it." : `Known keys: ${known.join(", ")}.`,
  };
}

/** The usual names for keys that we spell differently. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  usd: ["dollars", "dollar", "money", "cost"],
  spend: ["budget", "caps", "limits"],
  tasks: ["evals", "dataset", "examples"],
  skill: ["prompt", "instructions"],
  target: ["model", "student"],
  optimizer: ["teacher"],
  baseURL: ["url", "endpoint", "server", "host"],
  apiKeyEnv: ["apikey", "key"],
  minutes: ["time"],
  split: ["ratio"],
};

/** The keys of the object at a path in the schema. */
function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  let at: z.core.$ZodType | undefined = configSchema;
  for (const key of path) {
    at = unwrap(at);
    if (at instanceof z.ZodObject) at = (at.shape as Record<PropertyKey, z.core.$ZodType>)[key];
    else if (at instanceof z.ZodRecord) at = at.valueType;
  }
  const object = unwrap(at);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional
    ? unwrap(schema.unwrap())
    : schema;
}

function show(value: unknown): string {
  if (value === undefined) return "missing";
  const written =
    typeof value === "number" || typeof value === "bigint" ? String(value) : JSON.stringify(value);
  if (written === undefined) return `a ${typeof value}`;
  return written.length > 80 ? `${written.slice(0, 77)}…` : written;
}

const invalid = (problem: string, hint: string): WhetstoneError =>
  new WhetstoneError("config-invalid", problem, { hint });
