import { type Json, type JsonObject, asJson, isJsonObject } from "../../core/json.ts";
import { own } from "../../core/own.ts";
import type { Check, TaskLimits } from "../../core/tasks/task.ts";
import type { Notes } from "./imported.ts";
import { nameType } from "./promptfoo-assert.ts";
import { isList } from "./shape.ts";

/** A test's asserts, sorted by what we can make of them. */
export interface SiftedAsserts {
  /** Asserts that can become checks. */
  readonly asserts: readonly JsonObject[];
  readonly limits: TaskLimits;
  /** The value of a `max-score`. */
  readonly maxScore: JsonObject | undefined;
  /** Types of asserts that we can't use. */
  readonly leftAside: ReadonlySet<string>;
}

export const itemsIn = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : isList(value) ? value : [value];

/** The place of a test's asserts, and how to resolve their references. */
export interface AssertSource {
  readonly id: string;
  readonly folder: string;
  readonly templates: JsonObject;
  readonly notes: Notes;
}

/** Removes dropped asserts, limits and comparisons, also in sets. `isVoted`: a share of asserts is enough. */
export function siftAsserts(
  test: JsonObject,
  isVoted: boolean,
  { id, notes, templates }: AssertSource,
): SiftedAsserts {
  const limits: Record<string, number> = {};
  const leftAside = new Set<string>();
  let maxScore: JsonObject | undefined;
  const sift = (one: Json, isOutvotable: boolean): SiftedAsserts["asserts"] => {
    const assert = followReference(one, templates);
    const { threshold, weight, value, assert: members } = assert;
    const type = nameType(assert["type"]);
    const leave = (why: string): readonly [] => {
      notes.ignore(id, `${type}, ${why}`);
      leftAside.add(type);
      return [];
    };
    if (notes.drops(type)) return leave("dropped");
    if (/^(?:not-)?(?:latency|cost)$/.test(type) && weight !== 0) {
      if (isOutvotable || type.startsWith("not-")) return leave("a limit that needn't be kept");
      if (typeof threshold !== "number" || !(threshold > 0)) return leave("without a threshold above 0");
      const [unit, most] = type === "cost" ? ["usd", threshold] : ["seconds", threshold / 1000];
      limits[unit] = Math.min(most, limits[unit] ?? most);
      notes.understand(`${type} → a limit in ${unit}`);
      return [];
    }
    if (/^(?:select-best|max-score)$/.test(type)) {
      const isMean = isJsonObject(value) && (value["method"] ?? "average") === "average";
      if (isOutvotable || !isMean || typeof value["threshold"] !== "number")
        return leave("which compares outputs");
      maxScore = value;
      return [];
    }
    if (type !== "assert-set" || itemsIn(members).length === 0) return [assert];
    const kept = itemsIn(members).flatMap((member) => sift(member, true));
    return kept.length === 0 ? [] : [{ ...assert, assert: kept }];
  };
  const asserts = itemsIn(test["assert"]).flatMap((one) => sift(one, isVoted));
  return { asserts, limits, maxScore, leftAside };
}

/** With several outputs, the best one passes. With one, its mean score must reach the threshold. */
export function readMaxScore(
  { threshold = 1, weights }: JsonObject,
  read: readonly (readonly [type: string, check: Check])[],
): Check {
  const checks = read.flatMap(([type, check]) => {
    const weight = (isJsonObject(weights) ? own(weights, type) : undefined) ?? 1;
    return typeof weight === "number" && weight > 0 ? [{ ...check, weight }] : [];
  });
  return { kind: "all", value: { checks: asJson(checks), threshold } };
}

/** Anything but an object has no type, and is refused for that reason. */
function followReference(given: Json, templates: JsonObject): JsonObject {
  if (!isJsonObject(given)) return {};
  const { $ref, ...rest } = given;
  if (typeof $ref !== "string") return given;
  const template = own(templates, $ref.replace(/^#\/assertionTemplates\//, ""));
  return isJsonObject(template) ? { ...template, ...rest } : { type: `$ref ${$ref}` };
}
