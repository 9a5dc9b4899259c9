import { isObject } from "../../core/json.ts";
import { type JsonRecord, jsonLines } from "./json-lines.ts";

/**
 * The object that VS Code's log of operations ends in: 0 the whole object, 1 sets a place, 2 appends to a list (cut at `i`
 * first), 3 deletes. An operation on a place that is not there is passed over. Undefined when the log never says the whole.
 */
export async function replayOperations(path: string): Promise<JsonRecord | undefined> {
  let state: Record<string, unknown> | undefined;
  for await (const operation of jsonLines(path)) {
    const { kind, k, v, i } = operation;
    if (kind === 0) state = isObject(v) ? { ...v } : undefined;
    else if (state !== undefined && Array.isArray(k)) apply(state, { kind, place: k, value: v, from: i });
  }
  return state;
}

interface Operation {
  readonly kind: unknown;
  readonly place: readonly unknown[];
  readonly value: unknown;
  readonly from: unknown;
}

function apply(state: Record<string, unknown>, { kind, place, value, from }: Operation): void {
  const holder = place.slice(0, -1).reduce<unknown>((at, key) => at && own(at, key), state);
  const key = place.at(-1);
  if (typeof holder !== "object" || holder === null || (typeof key !== "string" && typeof key !== "number"))
    return;
  // the log comes from a file: nothing in it may reach what all objects share
  if (key === "__proto__") return;
  const target = holder as Record<string | number, unknown>;
  if (kind === 1) target[key] = value;
  if (kind === 3) delete target[key];
  if (kind !== 2) return;
  const list = Array.isArray(target[key]) ? (target[key] as unknown[]) : [];
  if (typeof from === "number") list.splice(from);
  if (Array.isArray(value)) list.push(...(value as unknown[]));
  target[key] = list;
}

const own = (at: unknown, key: unknown): unknown =>
  typeof at === "object" && at !== null && Object.hasOwn(at, String(key))
    ? (at as Record<string, unknown>)[String(key)]
    : undefined;
