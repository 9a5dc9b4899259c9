import { createRequire } from "node:module";
import type { Options, ValidateFunction } from "ajv";
import type { Json, JsonObject } from "../json.ts";
import { findJson } from "./json.ts";
import { matchPattern, patternProblem, tooSlow } from "./pattern.ts";
import { type Scorer, invalid } from "./scorer.ts";

/** The answer is, or holds in a fenced block, JSON that fits this schema. */
export const jsonSchema: Scorer<JsonObject | boolean> = {
  read(value) {
    if (typeof value !== "boolean" && !isObject(value))
      return invalid("the value of a json-schema check must be a JSON schema");
    try {
      compile(value);
      return { value };
    } catch (error) {
      return invalid(`the schema cannot be used: ${(error as Error).message}`);
    }
  },
  score(schema, { text }) {
    const found = findJson(text);
    if (found === undefined)
      return { pass: false, expected: "to be JSON that fits the schema (it is no JSON)" };
    const validate = compile(schema);
    if (validate(found.value)) return { pass: true, expected: "to fit the schema" };
    const [error] = validate.errors ?? [];
    const where = error === undefined || error.instancePath === "" ? "the whole" : error.instancePath;
    return { pass: false, expected: `to fit the schema (${where} ${error?.message ?? "does not"})` };
  },
};

const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const compiled = new WeakMap<object, ValidateFunction>();

/** One instance per schema, so that two schemas of the same `$id` do not meet. */
function compile(schema: JsonObject | boolean): ValidateFunction {
  const known = typeof schema === "object" ? compiled.get(schema) : undefined;
  if (known !== undefined) return known;
  const { Ajv, Ajv2020 } = loadAjv();
  // ajv: knows the drafts that evals are written in, and lets us replace its regular expressions
  const validate = isModern(schema) ? new Ajv2020(options).compile(schema) : new Ajv(options).compile(schema);
  if (typeof schema === "object") compiled.set(schema, validate);
  return validate;
}

/** On demand: 40 ms that only those should pay who have a schema. */
function loadAjv() {
  const require = createRequire(import.meta.url);
  const { Ajv } = require("ajv") as typeof import("ajv");
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return { Ajv, Ajv2020 };
}

const isModern = (schema: JsonObject | boolean): boolean =>
  typeof schema === "object" && JSON.stringify(schema["$schema"] ?? "").includes("2020-12");

/** A schema's own patterns are stopped in time like any other. */
function createPattern(pattern: string, flags: string) {
  const problem = patternProblem({ pattern, flags });
  if (problem !== undefined) throw new Error(problem);
  return {
    test(text: string): boolean {
      const found = matchPattern({ pattern, flags }, text);
      if (found === undefined) throw new Error(tooSlow({ pattern, flags }));
      return found;
    },
    toString: () => `/${pattern}/${flags}`,
  };
}

const options: Options = {
  strict: false,
  // formats are annotations in both drafts
  validateFormats: false,
  logger: false,
  code: { regExp: Object.assign(createPattern, { code: "createPattern" }) },
};
