import { hash } from "node:crypto";
import type { Json, JsonObject } from "./json.ts";

/**
 * JSON with sorted keys and no white space: equal values give equal text, on any machine.
 *
 * @example
 * console.log(canonicalJson({ b: 1, a: 2 })); // {"a":2,"b":1}
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const object = value as JsonObject;
    const known = written.get(object);
    if (known !== undefined) return known;
    const fields: string[] = [];
    for (const key of Object.keys(object).toSorted()) {
      const field = object[key];
      if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
    }
    return `{${fields.join(",")}}`;
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${value} isn't JSON`);
  return JSON.stringify(value);
}

const written = new WeakMap<object, string>();

/** Serializes an unchanging value once and reuses the text: thousands of keys contain the same skill. */
export function writeOnce<T extends object>(value: T): T {
  if (!written.has(value)) written.set(value, canonicalJson(value as Json));
  return value;
}

/** SHA-256 of a text, 64 hex digits. */
export const hashText = (text: string): string => hash("sha256", text, "hex");

/** SHA-256 of bytes, 64 hex digits. */
export const hashBytes = (bytes: Uint8Array): string => hash("sha256", bytes, "hex");

/**
 * SHA-256 of the canonical JSON, 64 hex digits.
 *
 * @example
 * console.log(hashJson({ b: 1, a: 2 }) === hashJson({ a: 2, b: 1 }));
 */
export const hashJson = (value: Json): string => hashText(canonicalJson(value));
