import { type Json, type JsonObject, isJsonObject, asJson } from "../../core/json.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import type { Check } from "../../core/tasks/task.ts";
import { asText, isFilled, isList } from "./shape.ts";
import { own } from "../../core/own.ts";

/** A check, or why there isn't one; `unweighted` asserts weren't meant to count. */
export type ReadAssert =
  | { readonly check: Check }
  | { readonly problem: string }
  | { readonly unweighted: string };

/** Reads one promptfoo assert with its variables filled in: `{ type, value?, threshold?, weight?, … }`. */
export function readAssert(assert: JsonObject): Exclude<ReadAssert, { readonly unweighted: string }>;
export function readAssert(assert: JsonObject, counts: "by weight"): ReadAssert;
export function readAssert(assert: JsonObject, counts?: "by weight"): ReadAssert {
  const { type, weight } = assert;
  if (!isFilled(type)) return { problem: "an assertion without a type" };
  if (weight === 0 && counts === "by weight" && isKnownType(type)) return { unweighted: type };
  if (weight !== undefined && !(typeof weight === "number" && weight > 0))
    return { problem: `${type} with the weight ${JSON.stringify(weight)}` };
  for (const name of ["transform", "contextTransform", "rubricPrompt"])
    if (assert[name] !== undefined) return { problem: `${type} with "${name}"` };
  const negate = type.startsWith("not-");
  const name = negate ? type.slice("not-".length) : type;
  const read = own(readers, name);
  const found = name === "assert-set" ? readSet(assert) : (read?.(assert) ?? unknown(type));
  if (typeof found === "string") return { problem: found };
  return {
    check: {
      ...found,
      ...(negate ? { negate } : {}),
      ...(typeof weight === "number" && weight !== 1 ? { weight } : {}),
    },
  };
}

/** An assert's type, if it is a string. */
export const nameType = (type: Json | undefined): string => asText(type) ?? "an assertion";

/** `not contains`. */
export const nameCheck = ({ kind, negate }: Check): string => (negate === true ? `not ${kind}` : kind);

/** A check without weight or negation, or why there isn't one. */
type Found = Pick<Check, "kind" | "value"> | string;

const allOf = (checks: readonly Check[]): Found => {
  const [only] = checks;
  return only !== undefined && checks.length === 1
    ? only
    : { kind: "all", value: { checks: asJson(checks) } };
};

type Reader = (assert: JsonObject) => Found;

const textReader =
  (kind: string): Reader =>
  ({ type, value }) => {
    const text = asText(value);
    return text === undefined || text === "" ? `${nameType(type)} without a text` : { kind, value: text };
  };

const listReader =
  (kind: string, set: "all" | "any"): Reader =>
  ({ type, value }) => {
    const texts = (typeof value === "string" ? splitList(value) : isList(value) ? value : []).map(asText);
    if (texts.length === 0 || texts.some((text) => text === undefined || text === ""))
      return `${nameType(type)} without a list of texts`;
    return { kind: set, value: { checks: texts.map((text) => ({ kind, value: text ?? "" })) } };
  };

const rubricReader =
  (frame: (text: string) => string = (text) => text, usual?: number): Reader =>
  ({ type, value, threshold = usual }) => {
    const criteria = (isList(value) ? value : [value]).map((each) =>
      isFilled(each) ? frame(each) : undefined,
    );
    if (criteria.some((each) => each === undefined)) return `${nameType(type)} without a text`;
    if (threshold !== undefined && typeof threshold !== "number")
      return `${nameType(type)} with a threshold that isn't a number`;
    const checks = criteria.map((text = "") => ({
      kind: "rubric",
      value: threshold === undefined ? text : { text, threshold },
    }));
    return allOf(checks);
  };

const codeReader =
  (language: "javascript" | "python"): Reader =>
  ({ type, value, threshold }) => {
    const given = isFilled(value) ? { code: value } : value;
    if (!isJsonObject(given) || !isFilled(given["code"])) return `${nameType(type)} without code`;
    return { kind: "code", value: { language, ...given, ...(threshold === undefined ? {} : { threshold }) } };
  };

const readers: Readonly<Record<string, Reader>> = {
  javascript: codeReader("javascript"),
  python: codeReader("python"),
  equals: ({ value }) => {
    const text = typeof value === "boolean" ? String(value) : asText(value);
    if (text !== undefined) return { kind: "exact", value: text };
    if (!isJsonObject(value) && !isList(value)) return "equals without a value";
    return wholeJson({ kind: "json-schema", value: { const: value } });
  },
  contains: textReader("contains"),
  icontains: textReader("icontains"),
  "starts-with": textReader("starts-with"),
  regex: textReader("regex"),
  "contains-all": listReader("contains", "all"),
  "contains-any": listReader("contains", "any"),
  "icontains-all": listReader("icontains", "all"),
  "icontains-any": listReader("icontains", "any"),
  "is-json": ({ value }) => readJson("is-json", value, true),
  "contains-json": ({ value }) => readJson("contains-json", value, false),
  "is-xml": ({ value }) =>
    value === undefined
      ? { kind: "code", value: { language: "python", code: parsesXml } }
      : "is-xml with a list of elements",
  "llm-rubric": rubricReader(),
  "model-graded-closedqa": rubricReader(),
  "g-eval": rubricReader(undefined, 0.7),
  factuality: rubricReader((text) => `What the answer says agrees with these facts: ${text}`),
  "model-graded-factuality": rubricReader((text) => `What the answer says agrees with these facts: ${text}`),
  "trajectory:tool-used": ({ value }) => readToolUsed(value),
  "trajectory:step-count": ({ value }) => readSteps(value),
  "skill-used": ({ value }) => readSkills(value),
  "trajectory:tool-args-match": ({ value }) => readToolArguments(value),
};

/** Throws if the text isn't well-formed, and code that throws fails the check. */
const parsesXml = '__import__("xml.dom.minidom").dom.minidom.parseString(output.strip()) is not None';

/** Known types that need features we don't have: other languages, embeddings, spans, other models. */
const knownUnsupported = [
  "ruby webhook similar classifier moderation guardrails perplexity",
  "perplexity-score levenshtein rouge-n bleu gleu meteor contains-xml is-html contains-html",
  "is-sql contains-sql is-refusal word-count finish-reason is-valid-function-call",
  "is-valid-openai-function-call is-valid-openai-tools-call tool-call-f1 trace-span-count",
  "trace-span-duration trace-error-spans trajectory:tool-sequence",
  "trajectory:goal-success answer-relevance context-faithfulness context-recall context-relevance",
  "conversation-relevance latency cost select-best max-score agent-rubric search-rubric video-rubric pi human",
].flatMap((line) => line.split(" "));

/** Every promptfoo type we know of. */
export const assertTypes: readonly string[] = [...Object.keys(readers), ...knownUnsupported, "assert-set"];

const isKnownType = (type: string): boolean => assertTypes.includes(type.replace(/^not-/, ""));

function unknown(type: string): string {
  const bare = type.replace(/^not-/, "");
  if (knownUnsupported.includes(bare)) return type;
  const nearest = nearestWord(bare, assertTypes);
  return `${type}, an unknown type${nearest === undefined ? "" : ` (${nearest}?)`}`;
}

function readSet({ assert, threshold }: JsonObject): Found {
  if (!isList(assert) || assert.length === 0) return "assert-set without asserts";
  if (threshold !== undefined && typeof threshold !== "number")
    return "assert-set with a threshold that isn't a number";
  const checks: Check[] = [];
  for (const item of assert) {
    const found: ReadAssert = isJsonObject(item)
      ? readAssert(item, "by weight")
      : { problem: "an assertion that isn't an object" };
    if ("problem" in found) return `${found.problem} in an assert-set`;
    if ("check" in found) checks.push(found.check);
  }
  if (checks.length === 0) return "assert-set where nothing counts";
  return {
    kind: "all",
    value: { checks: asJson(checks), ...(threshold === undefined ? {} : { threshold }) },
  };
}

function readJson(type: string, value: Json | undefined, whole: boolean): Found {
  const schema = value === undefined || value === null || value === "" ? undefined : value;
  if (schema !== undefined && !isJsonObject(schema)) return `${type} with a schema that isn't an object`;
  const check = schema === undefined ? { kind: "json", value: true } : { kind: "json-schema", value: schema };
  return whole ? wholeJson(check) : check;
}

/** Our JSON checks also look inside a code fence. Promptfoo's checks for a whole answer don't. */
const wholeJson = (check: JsonObject): Found => ({
  kind: "all",
  value: { checks: [check, { kind: "regex", value: { pattern: "^[ \\t]*```", flags: "m" }, negate: true }] },
});

function readToolUsed(value: Json | undefined): Found {
  const checks = (isList(value) ? value : [value]).map(toolCheck);
  return checks.find((check) => typeof check === "string") ?? allOf(checks as readonly Check[]);
}

function toolCheck(value: Json | undefined): Found {
  if (isFilled(value)) return { kind: "tool-called", value: { name: value } };
  const { name, min = 1, max } = isJsonObject(value) ? value : {};
  if (!isFilled(name)) return "trajectory:tool-used with a pattern";
  return {
    kind: "tool-called",
    value: { name, atLeast: min, ...(max === undefined ? {} : { atMost: max }) },
  };
}

/** Of promptfoo's steps, every agent's events include tool calls; a command is the input of one. */
function readSteps(value: Json | undefined): Found {
  const { type = "tool", name, pattern = "*", min, max } = isJsonObject(value) ? value : {};
  const counts = {
    ...(min === undefined ? {} : { atLeast: min }),
    ...(max === undefined ? {} : { atMost: max }),
  };
  if (type === "tool" && isFilled(name)) return { kind: "tool-called", value: { name, ...counts } };
  if (type !== "command" || name !== undefined || !isFilled(pattern))
    return `trajectory:step-count of ${asText(type) ?? "several kinds of"} steps`;
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  const matches = { pattern: parts.filter((part) => part !== "").join(".*"), flags: "is" };
  return { kind: "tool-called", value: { name: "*", matches, ...counts } };
}

function readSkills(value: Json | undefined): Found {
  const names = isList(value) ? value : [value];
  if (names.length === 0 || !names.every(isFilled)) return "skill-used with a pattern or counts";
  return allOf(names.map((name) => ({ kind: "skill-loaded", value: name })));
}

function readToolArguments(value: Json | undefined): Found {
  const type = "trajectory:tool-args-match";
  if (!isJsonObject(value) || !isFilled(value["name"])) return `${type} with a pattern`;
  const { name, mode = "partial", args, arguments: named = args } = value;
  if (mode !== "partial" || value["defaults"] !== undefined || value["ignore"] !== undefined)
    return `${type} with more than a partial match`;
  if (named === undefined) return `${type} without arguments`;
  return { kind: "tool-called", value: { name, input: named } };
}

/** `a, "b, c"` as a list. */
function splitList(text: string): readonly string[] {
  const parts = text.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .map((part) =>
      part.startsWith('"') && part.endsWith('"') && part.length > 1
        ? part.slice(1, -1).replaceAll('""', '"')
        : part,
    )
    .filter((part) => part !== "");
}
