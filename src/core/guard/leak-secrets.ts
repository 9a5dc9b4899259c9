import type { Json } from "../json.ts";
import type { Check, Task } from "../tasks/task.ts";

/**
 * What a task knows and its target does not.
 * - `answer`: what the target should say, whole
 * - `value`: something the answer should hold
 * - `pattern`: the source of a regular expression
 * - `prose`: a rubric or a reference
 */
export interface Secret {
  /** Where it stands in the task: `answers[0]`, `checks[1]`, `reference`. */
  readonly field: string;
  readonly kind: "answer" | "value" | "pattern" | "prose";
  readonly text: string;
}

/** Everything of a task that the target does not see and that an edit must not copy. */
export function taskSecrets({ answers = [], checks = [], reference }: Task): readonly Secret[] {
  return [
    ...answers.map((text, at): Secret => ({ field: `answers[${at}]`, kind: "answer", text })),
    ...checks.flatMap((check, at) => checkSecrets(check, `checks[${at}]`)),
    ...(reference === undefined ? [] : [{ field: "reference", kind: "prose" as const, text: reference }]),
  ];
}

function checkSecrets({ kind, value }: Check, field: string): readonly Secret[] {
  const of = (secretKind: Secret["kind"], texts: readonly string[]): readonly Secret[] =>
    texts.map((text) => ({ field, kind: secretKind, text }));
  if (kind === "exact") return of("answer", textsIn(value));
  if (kind === "f1") return of("answer", textsIn(memberOf(value, "text")));
  if (kind === "contains") return of("value", textsIn(value));
  if (kind === "regex") return of("pattern", textsIn(memberOf(value, "pattern")));
  return of("prose", textsIn(value));
}

/** The member of an object, or the value itself where the short form was used. */
function memberOf(value: Json, name: string): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return (value as { readonly [key: string]: Json })[name] ?? null;
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}
