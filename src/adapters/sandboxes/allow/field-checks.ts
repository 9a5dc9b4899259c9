import { isObject } from "../../../core/json.ts";
import { own } from "../../../core/own.ts";

/** Everything we collect while checking one request. */
export interface Inspection {
  /** Names of the fields we removed. */
  readonly removed: Set<string>;
  /** The most its images can cost, and the bytes they take up in the text. */
  imageTokens: number;
  imageBytes: number;
}

/** Returns the value to send, or `dropField` to leave it out, or throws `RequestRefusal`. */
export interface FieldCheck {
  (value: unknown, path: string, look: Inspection): unknown;
  /** An object without this field is refused. */
  readonly isNeeded?: boolean;
  /** Clients write null here, and servers want to see it. In other fields, null is the same as no field. */
  readonly keepsNull?: boolean;
}

/** The fields of an object, by name. */
export type FieldTable = Readonly<Record<string, FieldCheck>>;

/** The reason a request isn't sent, for people who read the agent's log. */
export class RequestRefusal extends Error {}

export const dropField = Symbol("nothing");

export const refuse = (sentence: string): never => {
  throw new RequestRefusal(sentence);
};

/** An object with these fields; any other field is removed and noted. */
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

/** Always refused. `why` completes a sentence that starts with the field's name. */
export const forbidden =
  (why: string): FieldCheck =>
  (_value, path) =>
    refuse(`\`${path}\` ${why}.`);

/**
 * One of several kinds of object, distinguished by `type`. Unlisted types are refused, because nobody knows what they
 * would do.
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
        `This sandbox doesn't allow the ${what} \`${typeof type === "string" ? type.slice(0, 80) : show(type)}\` (\`${path}\`).`,
      );
    return rule(value, path, look);
  };
}

export function listOf(rule: FieldCheck, most = 100_000): FieldCheck {
  return (value, path, look) => {
    if (!Array.isArray(value) || value.length > most)
      return refuse(`\`${path}\` must be a list of at most ${most} items.`);
    return value
      .map((inner, at) => rule(inner, `${path}[${at}]`, look))
      .filter((inner) => inner !== dropField);
  };
}

/** A string or a list. */
export const textOr =
  (rule: FieldCheck): FieldCheck =>
  (value, path, look) =>
    typeof value === "string" ? value : rule(value, path, look);

export const text: FieldCheck = (value, path) =>
  typeof value === "string" ? value : refuse(`\`${path}\` must be a string.`);

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

/** Left out if it matches the default; anything else is refused. */
export const onlyDefault =
  (...same: readonly unknown[]): FieldCheck =>
  (value, path, look) => {
    oneOf(...same)(value, path, look);
    return dropField;
  };

/** The known items of a list; others are removed and noted. */
export const someOf =
  (...allowed: readonly string[]): FieldCheck =>
  (value, path, look) => {
    if (!Array.isArray(value)) return refuse(`\`${path}\` must be a list.`);
    for (const inner of value) if (!allowed.includes(inner)) look.removed.add(`${path}: ${show(inner)}`);
    return value.filter((inner) => allowed.includes(inner));
  };

/** Sends the value as it is, whatever it is. */
export const always =
  (sent: unknown): FieldCheck =>
  () =>
    sent;

/** The agent's own data, such as a tool's schema or input. Providers don't open addresses in it. */
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
