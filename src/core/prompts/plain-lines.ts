import { extractJson } from "../extract-json.ts";
import type { TrainSettings } from "../settings.ts";
import { analystError } from "./analyst-error.ts";
import { analystSuccess } from "./analyst-success.ts";
import type { Prompt } from "./prompt.ts";

/**
 * A contract as the run asks for it. In plain lines an analyst proposes one edit at a time, which a model of a few billion
 * parameters can do; what only such a model's betters can answer is not asked, and its stage does without.
 */
export function contractIn<Parsed>(
  prompt: Prompt<Parsed>,
  { contracts }: Pick<TrainSettings, "contracts">,
): Prompt<Parsed> | undefined {
  if (contracts !== "plain") return prompt;
  const task = plainTasks.get(prompt.name);
  if (task !== undefined) return { ...prompt, instructions: task, replyFormat: plainFormat, read: readLines };
  return notAsked.has(prompt.name) ? undefined : prompt;
}

const plainTasks: ReadonlyMap<string, string> = new Map([
  [
    analystError.name,
    `An AI agent follows a written skill. Below you see the skill and tasks that the agent got wrong.
Find one mistake that several of the tasks share. Write one rule that would prevent it.
The rule must help with other tasks too. Never write the answer to one of these tasks.`,
  ],
  [
    analystSuccess.name,
    `An AI agent follows a written skill. Below you see the skill and tasks that the agent solved.
If something made these answers right that the skill does not say yet, write it as one rule.
If the skill says it already, write: RULE: none`,
  ],
]);

const plainFormat = `Reply with these lines and nothing else:
WHY: what went wrong or right, in one sentence
RULE: the new rule, in one sentence
REPLACES: only if the rule should stand in place of a line of the skill: that line, copied exactly`;

/** Each has a stage that goes on without it. */
const notAsked: ReadonlySet<string> = new Set([
  "anchor_repair",
  "carries",
  "contrastive",
  "editor",
  "merge_failure",
  "merge_final",
  "merge_success",
  "meta_skill",
  "one_shot",
  "powers",
  "ranking",
  "slow_update",
]);

/** Some models reply with JSON whatever they are asked for. */
function readLines(text: string): object | null {
  const rule = lineOf("RULE", text);
  if (rule === undefined) return extractJson(text);
  const target = lineOf("REPLACES", text);
  const edit = isNone(target)
    ? { op: "append", content: `- ${rule}` }
    : { op: "replace", target, content: rule };
  return { reasoning: lineOf("WHY", text) ?? "", edits: isNone(rule) ? [] : [edit] };
}

/** What stands after the word, whatever marks a model puts around it. */
const lineOf = (word: string, text: string): string | undefined =>
  new RegExp(`^[\\s>*#-]*${word}[\\s*]*:[\\s*]*(\\S.*)$`, "im").exec(text)?.[1]?.trim();

const isNone = (line: string | undefined): boolean =>
  line === undefined || /^["'(<*-]*(?:none|nothing|n\/a|no)?[.>)"'*]*$/i.test(line);
