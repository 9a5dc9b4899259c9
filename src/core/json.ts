/** Values that survive the journal, a queue and a file. Members that are undefined are left out. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export type JsonObject = { readonly [key: string]: Json | undefined };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses the object in an untrusted text; undefined if it isn't one. */
export function readObject(text: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value);

/** Types a JSON-only value as JSON, which its interfaces don't say. Functions, dates and classes don't type-check. */
export const asJson = <Value>(value: Value & JsonOf<Value>): Json => value as unknown as Json;

type JsonOf<Value> = Value extends Json | undefined
  ? Value
  : Value extends (...args: never) => unknown
    ? never
    : Value extends object
      ? { readonly [Key in keyof Value]: JsonOf<Value[Key]> }
      : never;
