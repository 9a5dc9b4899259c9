import type { Check } from "../tasks/task.ts";
import type { ScoringTools } from "./performance.ts";
import { setMembers } from "./set-members.ts";
import { boxedKinds, checksIn, judgedKinds } from "./uses-kind.ts";

/** Whether a check, and all inside it, can be run with these tools. */
export function canRun(check: Check, { judge, command, custom }: ScoringTools): boolean {
  const missing = new Set(["trigger", "unsupported"]);
  if (judge === undefined) for (const kind of judgedKinds) missing.add(kind);
  if (command === undefined) for (const kind of boxedKinds) missing.add(kind);
  if (custom === undefined) missing.add("custom");
  return !kindsIn(check).some((kind) => missing.has(kind));
}

/** Whether it asks a judge, a grader or a function of the user's. */
export const isAsked = (check: Check): boolean => kindsIn(check).some((kind) => asked.has(kind));

/** Whether it only reads the answer's text. */
export const readsText = (check: Check): boolean =>
  (check.on ?? "answer") === "answer" && !ofWorkspace.has(check.kind) && setMembers(check).every(readsText);

const asked = new Set([...judgedKinds, ...boxedKinds, "custom"]);
const ofWorkspace = new Set("file tool-called tool-order skill-loaded command custom trigger".split(" "));

const kindsIn = (check: Check): readonly string[] => checksIn([check]).map(({ kind }) => kind);
