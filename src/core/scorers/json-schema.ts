import { type Json, type JsonObject, isJsonObject } from "../json.ts";
import { createRequire } from "node:module";
import type { Ajv, Options, ValidateFunction } from "ajv";
import { canonicalJson } from "../canonical.ts";
import { findJson } from "./json.ts";
import { matchPattern, patternProblem, whyUnread } from "./pattern.ts";
import { type TextScorer, invalid, unread } from "./scorer.ts";

/** The answer is JSON that fits this schema, or contains it in a fenced block. */
export const jsonSchema: TextScorer<JsonObject | boolean> = {
  read(value) {
    if (typeof value !== "boolean" && !isJsonObject(value))
      return invalid("the value of a json-schema check must be a JSON schema");
    try {
      compile(value);
      return { value };
    } catch (error) {
      return invalid(`the schema can't be used: ${(error as Error).message}`);
    }
  },
  score(schema, { text }) {
    const found = findJson(text);
    if (found === undefined)
      return { pass: false, expected: "to be JSON that fits the schema (it is no JSON)" };
    const validate = compile(schema);
    try {
      if (validate(found.value)) return { pass: true, expected: "to fit the schema" };
    } catch (error) {
      if (error instanceof UnreadText) return unread(`to fit the schema${whyUnread(error.text)}`);
      throw error;
    }
    const [error] = validate.errors ?? [];
    const where = error === undefined || error.instancePath === "" ? "the whole" : error.instancePath;
    return { pass: false, expected: `to fit the schema (${where} ${error?.message ?? "does not"})` };
  },
};

const compiled = new Map<string, ValidateFunction>();
const shared = new Map<boolean, Ajv>();

/** Schemas share an instance, which is expensive. One with an `$id` gets its own, so that two with the same `$id` don't collide. */
function compile(schema: JsonObject | boolean): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= maxCompiled) {
    compiled.clear();
    shared.clear();
  }
  const modern = isModern(schema, text);
  const ajv = (text.includes('"$id"') ? undefined : shared.get(modern)) ?? createAjv(modern);
  if (!text.includes('"$id"')) shared.set(modern, ajv);
  const validate = ajv.compile(schema);
  compiled.set(text, validate);
  return validate;
}

const maxCompiled = 500;

// ajv knows the drafts that evals are written in, and lets us replace its regular expressions
function createAjv(modern: boolean): Ajv {
  const { Ajv, Ajv2020 } = loadAjv();
  return withUniqueItems(modern ? new Ajv2020(options) : new Ajv(options));
}

/** Looks at each item once, while ajv compares each with all others. */
function withUniqueItems(ajv: Ajv): Ajv {
  ajv.removeKeyword("uniqueItems");
  return ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (wanted: boolean, items: readonly Json[]) =>
      !wanted || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: "must not hold an item twice" },
  });
}

/** Loaded on demand, because it takes 40 ms and only schemas need it. */
function loadAjv() {
  const require = createRequire(import.meta.url);
  const { Ajv } = require("ajv") as typeof import("ajv");
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return { Ajv, Ajv2020 };
}

/** Whether it's a 2020-12 schema, by its own `$schema` or by keywords that draft-07 would ignore. */
function isModern(schema: JsonObject | boolean, text: string): boolean {
  const named = typeof schema === "object" ? schema["$schema"] : undefined;
  return named === undefined ? modernKeys.test(text) : JSON.stringify(named).includes("2020-12");
}

// quotes inside a string are escaped, so only keys are found
const modernKeys =
  /"(?:prefixItems|dependent(?:Required|Schemas)|unevaluated(?:Items|Properties)|(?:min|max)Contains|\$dynamicRef)":/;

/** A pattern couldn't be tried on a text of the answer. */
class UnreadText extends Error {
  readonly text: string;
  constructor(text: string) {
    super("a text of the answer could not be read");
    this.text = text;
  }
}

/** A schema's own patterns have the same time limit as any other. */
function createPattern(pattern: string, flags: string) {
  const problem = patternProblem({ pattern, flags });
  if (problem !== undefined) throw new Error(problem);
  return {
    test(text: string): boolean {
      const found = matchPattern({ pattern, flags }, text);
      if (found === undefined) throw new UnreadText(text);
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
