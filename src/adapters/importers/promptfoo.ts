import { dirname } from "node:path";
import { type Json, type JsonObject, isJsonObject, asJson } from "../../core/json.ts";
import type { Check } from "../../core/tasks/task.ts";
import { readConversation } from "./conversation.ts";
import type { Importer, ImportSource, Notes, TaskRow } from "./imported.ts";
import { nameCheck, nameType, type ReadAssert, readAssert } from "./promptfoo-assert.ts";
import { type CodeSight, fillCode } from "./promptfoo-code.ts";
import { loadReference, readPromptList, readTestList } from "./promptfoo-files.ts";
import {
  type AssertSource,
  type SiftedAsserts,
  itemsIn,
  readMaxScore,
  siftAsserts,
} from "./promptfoo-sift.ts";
import { renderValue } from "./render-template.ts";
import { asText, isEmpty, isFilled, isList, tasksInvalid } from "./shape.ts";

/** Reads a promptfoo config, or a file of its tests: every test with every prompt is a task. */
export const readPromptfoo: Importer = async (source) => {
  const { data, path, notes } = source;
  const config: JsonObject = isJsonObject(data) ? data : { tests: data };
  const folder = dirname(path);
  for (const name of Object.keys(config))
    if (!configFields.includes(name)) notes.ignore("the config", `the field "${name}"`);
  const prompts = await readPromptList(config["prompts"], folder, notes);
  const defaults = await readDefaults(config["defaultTest"], folder, notes);
  const tests = [
    ...(await readTestList(config["tests"], folder, notes)),
    ...readScenarios(config["scenarios"], notes),
  ];
  const [unread] = notes.notUnderstood.filter(({ effect }) => effect === "invalid");
  if (tests.length === 0)
    throw tasksInvalid(
      `${path} has no tests that can be read${unread === undefined ? "" : `: ${unread.what}`}.`,
      "Write `tests:` as a list, or as a YAML, JSON or CSV file.",
    );
  if (config["prompts"] !== undefined && prompts.length === 0)
    throw tasksInvalid(
      `None of the prompts in ${path} can be read.`,
      "Write them inline, or as .txt, .md, .json or .yaml files.",
    );
  const templates = isJsonObject(config["assertionTemplates"]) ? config["assertionTemplates"] : {};
  const rows: TaskRow[] = [];
  for (const [at, test] of tests.entries())
    rows.push(...(await readTest({ test, at, prompts, defaults, templates, folder, source })));
  return rows;
};

const configFields = "prompts tests defaultTest scenarios assertionTemplates description $schema".split(" ");

async function readDefaults(value: Json | undefined, folder: string, notes: Notes): Promise<JsonObject> {
  if (value === undefined) return {};
  const loaded = typeof value === "string" ? await loadReference(value, folder, notes) : { value };
  if (!("problem" in loaded) && isJsonObject(loaded.value)) return loaded.value;
  notes.refuse("defaultTest", "problem" in loaded ? loaded.problem : "it isn't an object");
  return {};
}

/** Every test in a scenario, with each of its variable sets. */
function readScenarios(value: Json | undefined, notes: Notes): readonly JsonObject[] {
  if (value === undefined) return [];
  return (isList(value) ? value : [value]).flatMap((scenario, at) => {
    const { config, tests } = isJsonObject(scenario) ? scenario : {};
    if (!isList(config) || !isList(tests) || ![...config, ...tests].every(isJsonObject)) {
      notes.refuse(`scenarios[${at}]`, "a scenario without config and tests lists");
      return [];
    }
    return config.flatMap((set) => tests.map((test) => mergeTests(set as JsonObject, test as JsonObject)));
  });
}

/** The test's own values win; asserts from both are kept. */
function mergeTests(base: JsonObject, test: JsonObject): JsonObject {
  const join = (name: string): JsonObject => ({
    ...(isJsonObject(base[name]) ? base[name] : {}),
    ...(isJsonObject(test[name]) ? test[name] : {}),
  });
  const options = join("options");
  const inherited = options["disableDefaultAsserts"] === true ? [] : itemsIn(base["assert"]);
  return {
    ...base,
    ...test,
    vars: typeof test["vars"] === "string" ? test["vars"] : join("vars"),
    metadata: join("metadata"),
    options,
    assert: [...inherited, ...itemsIn(test["assert"])],
  };
}

interface TestCase {
  readonly test: JsonObject;
  readonly at: number;
  readonly prompts: readonly string[];
  readonly defaults: JsonObject;
  readonly templates: JsonObject;
  readonly folder: string;
  readonly source: ImportSource;
}

async function readTest({
  test: given,
  at,
  prompts,
  defaults,
  templates,
  folder,
  source,
}: TestCase): Promise<readonly TaskRow[]> {
  const { idPrefix, notes } = source;
  const test = mergeTests(defaults, given);
  const base = `${idPrefix}test-${at + 1}`;
  const loaded = await loadVars(test["vars"], folder, notes);
  const options = isJsonObject(test["options"]) ? test["options"] : {};
  const sets = options["disableVarExpansion"] === true ? [loaded.vars] : expand(loaded.vars);
  const templatesOf = prompts.length > 0 ? prompts : [promptFor(loaded.vars)];
  const rows: TaskRow[] = [];
  for (const [set, vars] of sets.entries())
    for (const [index, prompt] of templatesOf.entries()) {
      const id = `${base}${sets.length > 1 ? `-${set + 1}` : ""}${templatesOf.length > 1 ? `-prompt-${index + 1}` : ""}`;
      const problems = [...loaded.problems, ...fieldProblems(test, options, id, notes)];
      const place = { id, folder, templates, notes };
      const values = resolveVars(vars);
      const question = typeof prompt === "string" ? ask(prompt, values, options, place) : prompt;
      if ("problem" in question) problems.push(question.problem);
      const sifted = siftAsserts(test, isVoted(test["threshold"]), place);
      const sight = { vars: values, prompt: "problem" in question ? "" : question.input };
      const checks = await readAsserts(sifted, test, sight, place);
      const refused = problems.map((problem) => notes.refuse(id, problem));
      const metadata = {
        ...(isJsonObject(test["metadata"]) ? test["metadata"] : {}),
        ...(isFilled(test["description"]) ? { description: test["description"] } : {}),
        ...(sifted.leftAside.size === 0 ? {} : { leftAside: [...sifted.leftAside] }),
      };
      rows.push({
        id,
        input: "problem" in question ? shownVars(vars) : question.input,
        ...(!("problem" in question) && question.system !== undefined ? { system: question.system } : {}),
        checks: [...checks, ...refused],
        ...(isEmpty(sifted.limits) ? {} : { limits: sifted.limits }),
        ...(sets.length * templatesOf.length > 1 ? { group: base } : {}),
        ...(isEmpty(metadata) ? {} : { metadata }),
      });
    }
  return rows;
}

/** A task needs some question, even if it is invalid. */
const shownVars = (vars: JsonObject): string => (isEmpty(vars) ? "(no question)" : JSON.stringify(vars));

async function loadVars(
  value: Json | undefined,
  folder: string,
  notes: Notes,
): Promise<{ readonly vars: JsonObject; readonly problems: readonly string[] }> {
  const given =
    typeof value === "string" ? await loadReference(value, folder, notes) : { value: value ?? {} };
  if ("problem" in given) return { vars: {}, problems: [given.problem] };
  if (!isJsonObject(given.value)) return { vars: {}, problems: ['"vars" is no object'] };
  const vars: [string, Json | undefined][] = [];
  const problems: string[] = [];
  for (const [name, each] of Object.entries(given.value)) {
    const loaded =
      typeof each === "string" && each.startsWith("file://")
        ? await loadReference(each, folder, notes)
        : { value: each };
    if ("problem" in loaded) problems.push(`the variable ${name}: ${loaded.problem}`);
    else vars.push([name, loaded.value]);
  }
  return { vars: Object.fromEntries(vars), problems };
}

const mostSets = 1000;

/** A list variable makes one test per item. */
function expand(vars: JsonObject): readonly JsonObject[] {
  let sets: readonly JsonObject[] = [vars];
  for (const [name, value] of Object.entries(vars)) {
    if (!isList(value) || value.length === 0) continue;
    sets = sets.flatMap((set) => value.map((item) => ({ ...set, [name]: item })));
    if (sets.length > mostSets)
      throw tasksInvalid(
        `The list variables turn one test into more than ${mostSets}.`,
        "Use fewer items, or split the test.",
      );
  }
  return sets;
}

/** Variables may use one another. */
function resolveVars(vars: JsonObject): JsonObject {
  const resolved = Object.entries(vars).map(([name, value]) => {
    const rendered = typeof value === "string" ? renderValue(value, vars) : { problem: "" };
    return [name, "value" in rendered ? rendered.value : value];
  });
  return Object.fromEntries(resolved) as JsonObject;
}

const questionNames = ["prompt", "input", "question", "query"];

/** The variable that asks the question, if there's no prompt. */
function promptFor(vars: JsonObject): string | { readonly problem: string } {
  const names = Object.keys(vars);
  const name =
    questionNames.find((each) => names.includes(each)) ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined || !/^[\w$]+$/.test(name)
    ? { problem: "variables without a prompt to use them in" }
    : `{{${name}}}`;
}

function ask(
  template: string,
  vars: JsonObject,
  { prefix = "", suffix = "" }: JsonObject,
  { id, notes }: AssertSource,
): { readonly input: string; readonly system?: string } | { readonly problem: string } {
  const messages = parseMessages(template);
  const text = `${asText(prefix) ?? ""}${template}${asText(suffix) ?? ""}`;
  // a variable without a value is empty, as in promptfoo
  const named = [...text.matchAll(/\{\{-?\s*([A-Za-z_$][\w$]*)\s*-?\}\}/g)].map(([, name = ""]) => name);
  const missing = named.filter((name) => !Object.hasOwn(vars, name));
  for (const name of missing) notes.ignore(id, `the variable {{${name}}}, empty in its prompt`);
  const empty = Object.fromEntries(missing.map((name) => [name, ""]));
  const rendered = renderValue(messages ?? text, { ...empty, ...vars });
  if ("problem" in rendered) return rendered;
  // a text whose variables are whole messages
  const value =
    typeof rendered.value === "string" ? (parseMessages(rendered.value) ?? rendered.value) : rendered.value;
  const asked = readConversation(value);
  if ("problem" in asked) return asked;
  return asked.input.trim() === "" ? { problem: "an empty question" } : asked;
}

function parseMessages(text: string): readonly Json[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const messages = JSON.parse(text) as Json;
    return isList(messages) &&
      messages.length > 0 &&
      messages.every((message) => isJsonObject(message) && "role" in message)
      ? messages
      : undefined;
  } catch {
    return undefined;
  }
}

const testFields = "description vars assert threshold metadata options provider providers".split(" ");
const optionFields =
  "prefix suffix disableVarExpansion disableDefaultAsserts provider runSerially rubricPrompt".split(" ");
/** Fields that change what is asserted or asked. */
const essentialFields = ["providerOutput", "__providerOutput", "assertScoringFunction", "prompts"];
const essentialOptions = ["transform", "postprocess", "transformVars", "storeOutputAs"];

function fieldProblems(test: JsonObject, options: JsonObject, id: string, notes: Notes): readonly string[] {
  const set = (fields: JsonObject, name: string): boolean =>
    fields[name] !== undefined && fields[name] !== null;
  for (const name of Object.keys(test))
    if (!testFields.includes(name) && !essentialFields.includes(name))
      notes.ignore(id, `the field "${name}"`);
  for (const name of Object.keys(options))
    if (!optionFields.includes(name) && !essentialOptions.includes(name))
      notes.ignore(id, `the option "${name}"`);
  return [
    ...essentialFields.filter((name) => set(test, name)).map((name) => `the field "${name}"`),
    ...essentialOptions.filter((name) => set(options, name)).map((name) => `the option "${name}"`),
  ];
}

async function readAsserts(
  { asserts, limits, maxScore, leftAside }: SiftedAsserts,
  { threshold, options }: JsonObject,
  sight: CodeSight,
  place: AssertSource,
): Promise<readonly Check[]> {
  const { id, notes } = place;
  const read: [type: string, check: Check][] = [];
  const rubricPrompt = isJsonObject(options) ? options["rubricPrompt"] : undefined;
  for (const assert of asserts) {
    const type = nameType(assert["type"]);
    const filled = await fillAssert(assert, sight, place);
    const found: ReadAssert =
      "problem" in filled
        ? filled
        : readAssert(frameRubric(filled.assert, rubricPrompt, sight.vars), "by weight");
    if ("problem" in found) read.push([type, notes.refuse(id, found.problem)]);
    else if ("unweighted" in found) notes.ignore(id, `${found.unweighted} with the weight 0`);
    else {
      notes.understand(`${type} → ${nameCheck(found.check)}`);
      read.push([type, found.check]);
    }
  }
  const checks = read.map(([, check]) => check);
  const others = isEmpty(limits) && leftAside.size === 0 ? "" : " that can be a check";
  if (checks.length === 0) return [notes.refuse(id, `no assertion${others}`)];
  if (!isVoted(threshold)) return maxScore === undefined ? checks : [...checks, readMaxScore(maxScore, read)];
  if (typeof threshold !== "number" || threshold < 0 || threshold > 1)
    return [...checks, notes.refuse(id, `the threshold ${JSON.stringify(threshold)}`)];
  // asserts we don't understand stay outside, where no threshold can outvote them
  const [known, unknown] = [checks.filter(isKnown), checks.filter((check) => !isKnown(check))];
  if (threshold === 0) return [...unknown, notes.refuse(id, "a threshold of 0, which always passes")];
  const set: Check = { kind: "all", value: { checks: asJson(known), threshold } };
  return [...(known.length === 0 ? [] : [set]), ...unknown];
}

const isVoted = (threshold: Json | undefined): boolean => threshold !== undefined && threshold !== null;

const isKnown = ({ kind }: Check): boolean => kind !== "unsupported";

const modelGraded = /^(?:not-)?(?:llm-rubric|model-graded-.*|g-eval|factuality)$/;

/** The suite's own words for its judge, with the criterion filled in. The judge sees the answer anyway. */
function frameRubric(given: JsonObject, usual: Json | undefined, vars: JsonObject): JsonObject {
  const isGraded = usual !== undefined && modelGraded.test(nameType(given["type"]));
  const assert = isGraded ? { rubricPrompt: usual, ...given } : given;
  const { rubricPrompt: frame, value, ...rest } = assert;
  // refused by name if it lacks the criterion, or has something we can't fill in
  if (!isFilled(frame) || !/\{\{-?\s*rubric\s*-?\}\}/.test(frame)) return assert;
  const framed = itemsIn(value).map((rubric) =>
    renderValue(frame, { ...vars, rubric, output: "(the answer)" }),
  );
  const texts = framed.flatMap((one) => ("value" in one ? [one.value] : []));
  return texts.length < framed.length ? assert : { ...rest, value: texts };
}

/** Loads files and fills in variables. */
async function fillAssert(
  assert: JsonObject,
  sight: CodeSight,
  place: AssertSource,
): Promise<{ readonly assert: JsonObject } | { readonly problem: string }> {
  const type = nameType(assert["type"]);
  if (type === "assert-set") {
    const inner: JsonObject[] = [];
    for (const item of itemsIn(assert["assert"])) {
      const filled = await fillAssert(isJsonObject(item) ? item : {}, sight, place);
      if ("problem" in filled) return filled;
      inner.push(filled.assert);
    }
    return { assert: { ...assert, assert: inner } };
  }
  if (/^(?:not-)?(?:javascript|python)$/.test(type)) return fillCode(assert, sight, place);
  const { value } = assert;
  if (value === undefined) return { assert };
  const isFile = typeof value === "string" && value.startsWith("file://");
  const loaded = isFile ? await loadReference(value, place.folder, place.notes) : { value };
  if ("problem" in loaded) return { problem: `${type}: ${loaded.problem}` };
  const rendered = renderValue(loaded.value, sight.vars);
  if (!("problem" in rendered)) return { assert: { ...assert, value: rendered.value } };
  // schemas have their own braces, and for an unsupported type its name says more
  return "problem" in readAssert({ ...assert, value: loaded.value })
    ? { assert }
    : { problem: `${type}: ${rendered.problem}` };
}
