import { isObject } from "../../../core/json.ts";
import { own } from "../../../core/own.ts";

/** What a look at one request gathers. */
export interface Inspection {
  /** Names of what was taken out. */
  readonly removed: Set<string>;
  /** What its pictures can cost, and the bytes that stand for them. */
  imageTokens: number;
  imageBytes: number;
}

/** Gives the value as it may be sent, `dropField` to leave it out, or throws `RequestRefusal`. */
export interface FieldCheck {
  (value: unknown, path: string, look: Inspection): unknown;
  /** An object without it is refused. */
  readonly isNeeded?: boolean;
  /** Clients write null here, and servers want to see it; elsewhere it says the same as leaving the field out. */
  readonly keepsNull?: boolean;
}

/** The fields of an object, by name. */
export type FieldTable = Readonly<Record<string, FieldCheck>>;

/** Why a request is not sent, as a sentence for whoever reads the agent's log. */
export class RequestRefusal extends Error {}

export const dropField = Symbol("nothing");

export const refuse = (sentence: string): never => {
  throw new RequestRefusal(sentence);
};

/** An object with these fields; any other is taken out and named. */
export function fields(known: FieldTable): FieldCheck {
  const needs = Object.keys(known).filter((name) => known[name]?.isNeeded === true);
  return (value, path, look) => {
    if (!isObject(value)) return refuse(`\`${path}\` must be an object.`);
    const kept: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value)) {
      const at = path === "" ? name : `${path}.${name}`;
      const rule = own(known, name);
      if (inner === null) {
        if (rule?.keepsNull === true) kept.push([name, null]);
        continue;
      }
      const result = rule === undefined ? dropField : rule(inner, at, look);
      if (result !== dropField) kept.push([name, result]);
      else if (rule === undefined) look.removed.add(at.replace(/\[\d+\]/g, "[]"));
    }
    const names = new Set(kept.map(([name]) => name));
    for (const name of needs)
      if (!names.has(name))
        return refuse(`${path === "" ? "The request" : `\`${path}\``} needs \`${name}\`.`);
    return Object.fromEntries(kept);
  };
}

export const needed = (rule: FieldCheck): FieldCheck =>
  Object.assign(rule.bind(undefined), { isNeeded: true });

export const orNull = (rule: FieldCheck): FieldCheck =>
  Object.assign(rule.bind(undefined), { keepsNull: true });

/** Refused on sight; `why` is the end of a sentence that begins with the name. */
export const forbidden =
  (why: string): FieldCheck =>
  (_value, path) =>
    refuse(`\`${path}\` ${why}.`);

/**
 * One of several objects, told apart by `type`, which each of them has beside its own fields. What is not listed is refused:
 * nobody knows what it would do.
 */
export function byType(
  what: string,
  rules: Readonly<Record<string, FieldTable | FieldCheck>>,
  missing = "",
): FieldCheck {
  const checks = Object.fromEntries(
    Object.entries(rules).map(([type, rule]) => [
      type,
      typeof rule === "function" ? rule : fields({ type: text, ...rule }),
    ]),
  );
  return (value, path, look) => {
    if (!isObject(value)) return refuse(`\`${path}\` must be an object.`);
    const type = value["type"] ?? missing;
    const rule = typeof type === "string" ? own(checks, type) : undefined;
    if (rule === undefined)
      return refuse(
        `This sandbox does not let the ${what} \`${typeof type === "string" ? type.slice(0, 80) : show(type)}\` through (\`${path}\`).`,
      );
    return rule(value, path, look);
  };
}

export function listOf(rule: FieldCheck, most = 100_000): FieldCheck {
  return (value, path, look) => {
    if (!Array.isArray(value) || value.length > most)
      return refuse(`\`${path}\` must be a list of at most ${most}.`);
    return value
      .map((inner, at) => rule(inner, `${path}[${at}]`, look))
      .filter((inner) => inner !== dropField);
  };
}

/** A text, or a list. */
export const textOr =
  (rule: FieldCheck): FieldCheck =>
  (value, path, look) =>
    typeof value === "string" ? value : rule(value, path, look);

export const text: FieldCheck = (value, path) =>
  typeof value === "string" ? value : refuse(`\`${path}\` must be a text.`);

export const flag: FieldCheck = (value, path) =>
  typeof value === "boolean" ? value : refuse(`\`${path}\` must be true or false.`);

export const numberBetween =
  (least: number, most: number): FieldCheck =>
  (value, path) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`\`${path}\` must be a number from ${least} to ${most}.`);

export const whole =
  (least: number, most: number): FieldCheck =>
  (value, path) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? value
      : refuse(`\`${path}\` must be a whole number from ${least} to ${most}.`);

export const oneOf =
  (...allowed: readonly unknown[]): FieldCheck =>
  (value, path) =>
    allowed.includes(value)
      ? value
      : refuse(`\`${path}\` must be ${allowed.map(show).join(" or ")}, not ${show(value)}.`);

/** Left out where it says what holds anyway; anything else is refused. */
export const onlyDefault =
  (...same: readonly unknown[]): FieldCheck =>
  (value, path, look) => {
    oneOf(...same)(value, path, look);
    return dropField;
  };

/** Those of a list that are known; others are taken out and named. */
export const someOf =
  (...allowed: readonly string[]): FieldCheck =>
  (value, path, look) => {
    if (!Array.isArray(value)) return refuse(`\`${path}\` must be a list.`);
    for (const inner of value) if (!allowed.includes(inner)) look.removed.add(`${path}: ${show(inner)}`);
    return value.filter((inner) => allowed.includes(inner));
  };

/** Whatever it is, the same is sent. */
export const always =
  (sent: unknown): FieldCheck =>
  () =>
    sent;

/** The agent's own business: the schema of a tool, what a tool was called with. No provider opens what it names. */
export const anything: FieldCheck = (value) => value;

/** Labels: names and short texts. */
export const labels: FieldCheck = (value, path, look) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .slice(0, 64)
          .map(([name, label]) => [name, text(label, `${path}.${name}`, look)]),
      )
    : refuse(`\`${path}\` must be an object.`);

const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 80);
