import type { Json } from "../json.ts";
import { setMembers } from "../scorers/set-members.ts";
import type { Check, Task } from "../tasks/task.ts";

/**
 * Something a task knows and its target doesn't.
 * - `answer`: A whole expected answer.
 * - `value`: Something the answer should contain.
 * - `pattern`: The source of a regular expression.
 * - `prose`: A rubric or a reference.
 */
export interface Secret {
  /** Its field in the task: `answers[0]`, `checks[1]`, `reference`. */
  readonly field: string;
  readonly kind: "answer" | "value" | "pattern" | "prose";
  readonly text: string;
}

/** Everything in a task that the target doesn't see and an edit must not copy. */
export function taskSecrets({ answers = [], checks = [], reference }: Task): readonly Secret[] {
  return [
    ...answers.map((text, at): Secret => ({ field: `answers[${at}]`, kind: "answer", text })),
    ...checks.flatMap((check, at) => checkSecrets(check, `checks[${at}]`)),
    ...(reference === undefined ? [] : [{ field: "reference", kind: "prose" as const, text: reference }]),
  ];
}

function checkSecrets(check: Check, field: string): readonly Secret[] {
  const { kind, value } = check;
  const of = (secretKind: Secret["kind"], texts: readonly string[]): readonly Secret[] =>
    texts.map((text) => ({ field, kind: secretKind, text }));
  const member = (name: string): readonly string[] => textsIn(memberOf(value, name));
  switch (kind) {
    case "exact":
      return of("answer", textsIn(value));
    case "f1":
      return of("answer", member("text"));
    case "number":
      return of("answer", member("value"));
    case "contains":
    case "icontains":
    case "starts-with":
      return of("value", textsIn(value));
    case "regex":
      return of("pattern", member("pattern"));
    case "file":
      return [
        ...of("value", [...member("equals"), ...member("contains")]),
        ...of("pattern", textsIn(memberOf(memberOf(value, "matches"), "pattern"))),
      ];
    case "rubric":
      return of("prose", member("text"));
    case "as-good-as":
      return of("prose", [...member("reference"), ...member("rubric")]);
    case "command":
      return of("prose", [...member("run"), ...member("files")]);
    case "all":
    case "any":
      return setMembers(check).flatMap((each) => checkSecrets(each, field));
    default:
      return namesOfForm.has(kind) ? [] : of("prose", textsIn(value));
  }
}

/** A skill must be able to name forms, tools and headings, so they aren't secrets. */
const namesOfForm = new Set([
  "json",
  "json-schema",
  "section",
  "tool-called",
  "tool-order",
  "trigger",
  "custom",
  "unsupported",
]);

/** The member of an object, or the value itself if the short form was used. */
function memberOf(value: Json, name: string): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return (value as { readonly [key: string]: Json })[name] ?? null;
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}
