import { examineTasks } from "../../core/scorers/examine-tasks.ts";
import { setMembers } from "../../core/scorers/set-members.ts";
import { checkTask } from "../../core/scorers/score-task.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import type { Json } from "../../core/json.ts";
import type { Check, Task } from "../../core/tasks/task.ts";

/** Why a model's checks can't be used, in a sentence: they aren't plain data, or they pass anything or nothing. */
export async function problemOfChecks(task: Task, hasAgent: boolean): Promise<string | undefined> {
  const { checks = [] } = task;
  if (checks.length > maxChecks) return `It has ${checks.length} checks; at most ${maxChecks} are allowed.`;
  const refused = checks.map((check) => refuseCheck(check, hasAgent)).find((reason) => reason !== undefined);
  if (refused !== undefined) return refused;
  const broken = checkTask(task);
  if (broken !== undefined) return `Its checks can't be used: ${broken}.`;
  const contradiction = findContradiction(checks);
  if (contradiction !== undefined) return contradiction;
  const { findings } = await examineTasks({ tasks: [task], skill: nothing, tools: {} });
  const found = findings.find(({ problem, status }) => status === "fail" || problem === "leaking");
  return found === undefined ? undefined : `Its checks mean nothing: ${found.text}.`;
}

const maxChecks = 8;
const maxValue = 4000;
const nothing = singleFileSkill("");

const ofText = new Set(
  "exact contains icontains starts-with regex f1 number json json-schema section".split(" "),
);
const ofWorkspace = new Set(["tool-called", "file"]);
const sets = new Set(["all", "any"]);
const ofCode = new Set(["command", "code", "custom"]);

/** Refuses unknown kinds, and kinds that would run a model's code. */
function refuseCheck(check: Check, hasAgent: boolean): string | undefined {
  const { kind, value } = check;
  if (ofCode.has(kind)) return `A ${kind} check runs code, and a model must not write that.`;
  if (JSON.stringify(value).length > maxValue)
    return `A ${kind} check is longer than ${maxValue} characters.`;
  if (sets.has(kind))
    return setMembers(check)
      .map((each) => refuseCheck(each, hasAgent))
      .find((reason) => reason !== undefined);
  if (ofText.has(kind)) return undefined;
  if (!ofWorkspace.has(kind)) return `A mined check can't be of the kind ${JSON.stringify(kind)}.`;
  if (!hasAgent) return `A ${kind} check needs an agent, but these tasks are tried in words only.`;
  const fields = Object(value) as Readonly<Record<string, Json | undefined>>;
  return kind === "file" ? refusePath(fields["path"]) : refuseTool(fields["name"] ?? value);
}

function refuseTool(name: Json): string | undefined {
  const isName = typeof name === "string" && /^[\w.:-]+$/.test(name) && !/^\.+$/.test(name);
  return isName ? undefined : `${JSON.stringify(name)} isn't the name of a tool.`;
}

function refusePath(path: Json | undefined): string | undefined {
  if (typeof path !== "string") return "A file check doesn't name a path.";
  const parts = path.split("/");
  const isOutside =
    /^~|[\\:\p{Cc}]/u.test(path) || parts.some((part) => part === "" || part === "." || part === "..");
  if (isOutside) return `${JSON.stringify(path)} isn't a path inside the project.`;
  return parts.includes(".git") ? "A file check looks into .git." : undefined;
}

/** Finds checks that no answer can pass, such as a required text that contains a forbidden one. */
function findContradiction(checks: readonly Check[]): string | undefined {
  const must = checks.filter(({ negate = false }) => !negate).flatMap(wantedText);
  for (const { kind, value, negate = false } of checks) {
    const fields = Object(value) as Readonly<Record<string, Json | undefined>>;
    const { atLeast, atMost } = fields;
    if (
      kind === "tool-called" &&
      typeof atLeast === "number" &&
      typeof atMost === "number" &&
      atLeast > atMost
    )
      return `Nothing can pass: at least ${atLeast} and at most ${atMost} calls.`;
    if (!negate || typeof value !== "string" || (kind !== "contains" && kind !== "icontains")) continue;
    const fold = (text: string) => (kind === "icontains" ? text.toLowerCase() : text);
    if (must.some((text) => fold(text).includes(fold(value))))
      return `Nothing can pass: ${JSON.stringify(value)} is both required and forbidden.`;
  }
  const exact = new Set(
    checks.flatMap((check) => (check.kind === "exact" && check.negate !== true ? wantedText(check) : [])),
  );
  return exact.size > 1 ? "Nothing can pass: the answer must equal two different texts." : undefined;
}

const wantedText = ({ kind, value }: Check): readonly string[] =>
  typeof value === "string" && ["contains", "starts-with", "exact"].includes(kind) ? [value.trim()] : [];
