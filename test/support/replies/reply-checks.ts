import { isDeepStrictEqual } from "node:util";
import { WhetstoneError } from "../../../src/core/errors.ts";
import { extractJson } from "../../../src/core/extract-json.ts";
import { findHiddenCharacters } from "../../../src/core/guard/hidden-characters.ts";
import type { Json } from "../../../src/core/json.ts";
import type { Reply } from "../../../src/core/ports/model.ts";
import { said, scoreTask } from "../../../src/core/scorers/score-task.ts";
import { applyPatch } from "../../../src/core/skill/apply-edits.ts";
import type { Edit } from "../../../src/core/skill/edit.ts";
import { findBrokenProtection } from "../../../src/core/skill/regions.ts";
import { type Skill, singleFileSkill } from "../../../src/core/skill/skill.ts";
import { parseReply } from "../../../src/core/prompts/parse-reply.ts";
import { parseTasks } from "../../../src/core/tasks/parse-tasks.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import { prompts } from "./reply-corpus.ts";

/** What one text did to the parsers. */
export interface ReplyCheck {
  /** Contracts that accepted it. */
  readonly accepted: number;
  /** Edits that were applied to some skill. */
  readonly applied: number;
  readonly violations: readonly string[];
}

const finishes = ["stop", "length", "content-filter", "other"] as const;
const usage = { inputTokens: 1, outputTokens: 1 };
/** Half a megabyte takes a fraction of a second; a pattern that runs wild would take minutes. */
const maxMs = 10_000;
// of the processor, since the clock of a busy machine says nothing
const milliseconds = (): number => Math.round(process.cpuUsage().user / 1000);
const maxSkillLength = 200_000;

/** Sends one text through every parser. Each may refuse it; none may throw, hang, or let through what it must not. */
export async function checkReply(text: string): Promise<ReplyCheck> {
  const violations: string[] = [];
  let [accepted, applied] = [0, 0];
  const guard = (what: string, action: () => void) => {
    const started = milliseconds();
    try {
      action();
    } catch (error) {
      violations.push(`${what} threw ${String(error).slice(0, 200)}`);
    }
    checkTime(what, started);
  };
  const checkTime = (what: string, started: number) => {
    if (milliseconds() - started > maxMs)
      violations.push(`${what} took ${milliseconds() - started} ms of processor time`);
  };
  for (const prompt of prompts) {
    for (const finish of finishes) {
      guard(`parseReply of ${prompt.name}`, () => {
        const parsed = parseReply(prompt, { text, finish, usage } satisfies Reply);
        if (!parsed.ok) return;
        if (finish !== "stop") violations.push(`${prompt.name} accepted a reply that ended with ${finish}`);
        accepted += 1;
        for (const skill of skills) {
          guard("applyPatch", () => {
            const edits = editsOf(parsed.value);
            const { skill: candidate, reports } = applyPatch(skill, edits, { maxSkillLength });
            applied += reports.filter((report) => report.applied).length;
            violations.push(...compareSkills(skill, candidate));
          });
        }
      });
    }
  }
  guard("extractJson", () => void extractJson(text));
  guard("parseTasks", () => checkTasks(text));
  for (const task of scoredTasks) {
    const started = milliseconds();
    violations.push(...(await checkScore(task, text)));
    checkTime("scoreTask", started);
  }
  if ("polluted" in {}) violations.push("Object.prototype was changed");
  return { accepted, applied, violations };
}

/** A reply that ends inside its object is never taken; one that ends behind it gives that object or nothing. */
export function checkTruncation(
  reply: Buffer,
  object: Json,
  objectEnd: number,
  at: number,
): readonly string[] {
  const text = reply.subarray(0, at).toString("utf8");
  const found = extractJson(text);
  if (at < objectEnd) {
    const takers = prompts.filter((prompt) => parseReply(prompt, { text, finish: "stop", usage }).ok);
    return [
      ...(found === null
        ? []
        : [`extractJson took ${JSON.stringify(found).slice(0, 80)} of a reply cut at byte ${at}`]),
      ...takers.map(({ name }) => `${name} accepted a reply cut at byte ${at}`),
    ];
  }
  return found === null || isDeepStrictEqual(found, object)
    ? []
    : ["extractJson gave another object than the reply's"];
}

function editsOf(value: unknown): readonly Edit[] {
  // the learning rate's reply has a number there
  if (typeof value !== "object" || value === null || !("edits" in value) || !Array.isArray(value.edits))
    return [];
  return value.edits as readonly Edit[];
}

/** Files, frontmatter and regions as before, nothing hidden, no marker that was not there, not too large. */
function compareSkills(before: Skill, after: Skill): readonly string[] {
  const problems: string[] = [];
  if (!isDeepStrictEqual(Object.keys(after.files).toSorted(), Object.keys(before.files).toSorted())) {
    problems.push("an edit made or removed a file");
  }
  let length = 0;
  for (const [path, text] of Object.entries(after.files)) {
    const old = before.files[path] ?? "";
    length += text.length;
    if (findHiddenCharacters(text).length > 0) problems.push(`${path} holds hidden characters`);
    if (countMarkers(text) > countMarkers(old)) problems.push(`${path} holds a forged marker`);
    if (findBrokenProtection(old, text) !== null) problems.push(`${path}: a protected part changed`);
    if (path.endsWith(".sh") && text !== old) problems.push(`${path} is a script and was edited`);
  }
  if (length > maxSkillLength) problems.push("the skill is too large");
  return problems;
}

// not the pattern of the code under test: anything between the words that is neither letter nor digit counts
const countMarkers = (text: string): number =>
  [
    ...text
      .normalize("NFKC")
      .matchAll(/whetstone[^\p{L}\p{N}]*:[^\p{L}\p{N}]*[\w-]+[^\p{L}\p{N}]*:[^\p{L}\p{N}]*(?:start|end)/giu),
  ].length;

function checkTasks(text: string): void {
  const object = extractJson(text);
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    whole = text;
  }
  for (const rows of [
    whole,
    [whole],
    [object],
    [{ id: "1", input: text, answers: [text] }],
    [{ id: "1", input: "x", checks: object?.["edits"] }],
    [{ id: "1", input: "x", checks: [{ kind: "exact", value: whole }], metadata: { whole } }],
  ]) {
    try {
      parseTasks(rows, "a reply");
    } catch (error) {
      if (!(error instanceof WhetstoneError)) throw error;
    }
  }
}

async function checkScore(task: Task, text: string): Promise<readonly string[]> {
  const score = await scoreTask(task, said(text), {}).catch((error: unknown) => error);
  if (!isScore(score)) return [`scoreTask threw ${String(score).slice(0, 200)}`];
  if ("kind" in score) return [`task ${task.id} was called invalid: ${score.reason.slice(0, 100)}`];
  const isShare = (value: number) => value >= 0 && value <= 1;
  return isShare(score.hard) && isShare(score.soft) ? [] : [`scores ${score.hard} and ${score.soft}`];
}

type TaskScore = Awaited<ReturnType<typeof scoreTask>>;

const isScore = (value: unknown): value is TaskScore =>
  typeof value === "object" && value !== null && ("feedback" in value || "reason" in value);

const scoredTasks: readonly Task[] = [
  { id: "answers", input: "?", answers: ["A-123", "Zürich 東京", "the 1.5 { } units"] },
  { id: "exact", input: "?", checks: [{ kind: "exact", value: "yes" }] },
  { id: "contains", input: "?", checks: [{ kind: "contains", value: "edits" }] },
  {
    id: "regex",
    input: "?",
    checks: [{ kind: "regex", value: { pattern: "^\\s*\\{.*\\}\\s*$", flags: "s" } }],
  },
  { id: "f1", input: "?", checks: [{ kind: "f1", value: { text: "the quick brown fox" } }] },
];

const body = "# Parcel desk\n\nSort parcels.\n\n## Shelf codes\n\n- Live bees get A-100. 👩‍👩‍👧\n";
const region = "<!-- whetstone:slow-update:start -->\nKeep calm.\n<!-- whetstone:slow-update:end -->\n";

const skills: readonly Skill[] = [
  singleFileSkill(body),
  singleFileSkill(`---\nname: desk\n---\n\n${body}\n${region}`),
  singleFileSkill(body.replaceAll("\n", "\r\n")),
  {
    main: "SKILL.md",
    files: { "SKILL.md": `${body}\n${region}`, "scripts/run.sh": "echo hi\n", "notes.md": "" },
  },
];
