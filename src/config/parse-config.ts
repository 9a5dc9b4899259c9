import { z } from "zod";
import { WhetstoneError } from "../core/errors.ts";
import { nearestWord } from "../core/nearest-word.ts";
import { type Config, configSchema } from "./schema.ts";

/** Checks a config. The first problem is an error that names its source, key, value and range. */
export function parseConfig(input: unknown, source: string): Config {
  const parsed = configSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw issue === undefined
      ? invalid(`${source} is broken.`, "Correct it.")
      : explain(issue, input, source);
  }
  return parsed.data;
}

function explain(issue: z.core.$ZodIssue, input: unknown, source: string): WhetstoneError {
  if (issue.code === "unrecognized_keys") return unknownKey(issue, source);
  const path = issue.path.map(String).join(".");
  if (path === "")
    return invalid(`${source} is not an object with settings.`, "Write { skill: …, tasks: … }.");
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  return invalid(
    `${source}: "${path}" is ${show(value)}; it ${rule(issue)}.`,
    `Correct "${path}" and run the command again.`,
  );
}

function rule(issue: z.core.$ZodIssue): string {
  // our own rules are written to follow "it"; a shape that no rule names has the library's words
  return issue.message.startsWith("must ") ? issue.message : `must be right: ${issue.message}`;
}

function unknownKey(issue: z.core.$ZodIssueUnrecognizedKeys, source: string): WhetstoneError {
  const [key = ""] = issue.keys;
  const known = knownKeys(issue.path);
  const nearest = nearestWord(key, known);
  const path = [...issue.path, key].map(String).join(".");
  return nearest === undefined
    ? invalid(`${source}: the key "${path}" is unknown.`, `Known keys are ${known.join(", ")}.`)
    : invalid(
        `${source}: the key "${path}" is unknown; did you mean "${nearest}"?`,
        `Rename it to "${nearest}".`,
      );
}

/** The keys of the object at a path of the schema. */
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
