import { findJson } from "../scorers/json.ts";
import { quote } from "../scorers/scorer.ts";
import type { Scored } from "../tasks/outcome.ts";
import type { Task } from "../tasks/task.ts";

/** A task with the outcome of an attempt at it. */
export interface Attempted {
  readonly task: Task;
  readonly outcome: Scored;
}

/** How often each check and field was missed in a batch, because an analyst reads only some of its tasks. */
export function missesSection(attempts: readonly Attempted[]): string {
  const parts = attempts.flatMap((one) => [...checksOf(one), ...fieldsOf(one)]);
  const rows = [...Map.groupBy(parts, ({ name }) => name)]
    .map(([name, all]) => ({ name, missed: all.filter(({ pass }) => !pass).length, of: all.length }))
    // a part that occurs in a single task is already in its judgement
    .filter(({ missed, of }) => missed > 0 && of > 1)
    .toSorted((a, b) => b.missed - a.missed)
    .slice(0, 12);
  if (rows.length === 0) return "";
  const failed = attempts.filter(({ outcome }) => outcome.hard < 1).length;
  const lines = rows.map(({ name, missed, of }) => `- ${name}: ${missed} of ${of}`);
  return `# Misses in the whole batch\n\n${failed} of ${attempts.length} attempts failed. Parts that were wrong, and how often:\n\n${lines.join("\n")}`;
}

/** The fields that differ and the checks that passed, which a judgement omits. */
export function partLines(attempt: Attempted): readonly string[] {
  const differing = fieldsOf(attempt).filter(({ pass }) => !pass);
  const passed = checksOf(attempt).filter(({ pass }) => pass);
  const told = differing.map(
    ({ name, wanted, came }) => `${name}, expected ${quote(wanted)}, got ${quote(came)}`,
  );
  return [
    ...(told.length === 0 ? [] : [`Differs in: ${told.join("; ")}`]),
    ...(passed.length === 0 ? [] : [`Must not break: ${passed.map(({ name }) => name).join("; ")}`]),
  ];
}

/** Checks by what they expect, without the actual value. */
const checksOf = ({ task, outcome }: Attempted) =>
  (outcome.checks ?? []).map(({ pass, expected }, at) => {
    const { kind, value, negate = false } = task.checks?.[at] ?? {};
    const said = typeof value === "string" ? `${negate ? "not " : ""}${kind} ${quote(value)}` : undefined;
    return { name: said ?? expected.replace(/ \([^()]*\)$/, ""), pass };
  });

/** The fields of the expected answer next to the actual ones; none unless both have the same fields. */
export function fieldsOf({ task, outcome }: Attempted) {
  const exact = task.checks?.find(({ kind, negate }) => kind === "exact" && negate !== true)?.value;
  const answer = task.answers?.[0] ?? (typeof exact === "string" ? exact : "");
  const fields = readFields(answer);
  const reply = new Map(readFields(outcome.conversation.at(-1)?.content ?? ""));
  if (!fields.every(([name]) => reply.has(name))) return [];
  return fields.map(([name, wanted]) => {
    const came = reply.get(name) ?? "";
    return { name, wanted, came, pass: wanted.toLowerCase() === came.toLowerCase() };
  });
}

/** The fields of JSON or of a row. A row's field names include its length, so only rows of equal length are compared. */
function readFields(text: string): readonly (readonly [name: string, value: string])[] {
  const json = findJson(text)?.value;
  if (typeof json === "object" && json !== null && !Array.isArray(json))
    return Object.entries(json).map(([name, value]) => [`field "${name}"`, JSON.stringify(value)]);
  const fields = text.trim().split(/\||\t|;/);
  if (fields.length === 1 || text.trim().includes("\n")) return [];
  return fields.map((value, at) => [`field ${at + 1} of ${fields.length}`, value.trim()]);
}
