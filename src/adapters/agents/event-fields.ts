import { isObject } from "../../core/json.ts";

/** A field that may be missing or have another type, because vendors change formats without notice. */
export const recordAt = (value: unknown, name: string): Readonly<Record<string, unknown>> => {
  const field = isObject(value) ? value[name] : undefined;
  return isObject(field) ? field : {};
};

export const textAt = (value: unknown, name: string): string => {
  const field = isObject(value) ? value[name] : undefined;
  return typeof field === "string" ? field : "";
};

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const field = isObject(value) ? value[name] : undefined;
  return Array.isArray(field) ? field : [];
};

/** We keep part of a tool's output: the end matters as much as the beginning. */
export function clipOutput(text: string): string {
  if (text.length <= outputLimit) return text;
  const half = outputLimit / 2 - 10;
  return `${text.slice(0, half)}\n[…]\n${text.slice(-half)}`;
}

const outputLimit = 4000;
