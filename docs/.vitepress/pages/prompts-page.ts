import { globSync } from "node:fs";
import { join } from "node:path";
import { judgePrompt, pairPrompt } from "../../../src/core/judge/judge-prompt.ts";
import type { Prompt } from "../../../src/core/prompts/prompt.ts";
import { root } from "./read-source.ts";

type Shown = Pick<Prompt<unknown>, "name" | "instructions" | "replyFormat">;

/** When each is asked, in the order in which a run or a night does. */
const asked = {
  analyst_error: "each step, once per group of failed rollouts",
  analyst_success: "each step, once per group of passed rollouts",
  merge_failure: "if failed rollouts led to several patches",
  merge_success: "if passed rollouts led to several patches",
  merge_final: "to merge both into one patch",
  ranking: "if a patch has more edits than a step may apply",
  anchor_repair: "if an edit names text that the skill doesn't contain",
  slow_update: "between epochs: guidance for the whole skill",
  meta_skill: "between epochs: notes for the optimizer itself",
  one_shot: "once, for the baseline: a rewrite of the whole skill",
  editor: "at the end, to join rules that belong together",
  carries: "after that: does the joined text still say each rule?",
  powers: "for each proposed rule: what does it ask the agent to do?",
  draft_tasks: "by `draft`: tasks that would tell the most",
  mine: "at night: tasks and wishes from one conversation",
  group_wishes: "at night: which wishes are the same, changed or taken back?",
  word_wishes: "at night: the wording of a rule for a wish",
  check_wordings: "at night: does the wording carry the wish?",
  contrastive: "at night: what told good attempts of a task from bad ones?",
} as const;

const judges = {
  judge: "for each answer that a rubric grades",
  judge_pair: "for two answers to the same task, where a check compares them",
} as const;

/** docs/prompts.md: what models are asked, as the code has it. */
export async function promptsPage(): Promise<string> {
  const files = globSync("src/core/prompts/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const modules = await Promise.all(
    files.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>),
  );
  const prompts = new Map(
    modules
      .flatMap((one) => Object.values(one))
      .filter(isPrompt)
      .map((prompt) => [prompt.name, prompt]),
  );
  const unknown = [...prompts.keys()].filter((name) => !(name in asked));
  if (unknown.length > 0)
    throw new Error(`${import.meta.filename} doesn't say when ${unknown.join(", ")} is asked.`);
  return [
    "# Prompts",
    "",
    "These are the instructions that Whetstone sends to the optimizer, the miner and the judge. The question itself (skill, rollouts, scores,",
    "conversation) follows as a second message. This page is made from `src/core/prompts` and `src/core/judge`: `npm run generate`.",
    "",
    "You can replace the instructions of every prompt but the judge's, by name: a text, or a path that begins with `./`.",
    "",
    "```json",
    '{ "prompts": { "analyst_error": "./my-analyst.md" } }',
    "```",
    "",
    "The reply format stays as it is, because the program parses it.",
    "",
    "| name | asked |",
    "|---|---|",
    ...Object.entries({ ...asked, ...judges }).map(([name, when]) => `| [\`${name}\`](#${name}) | ${when} |`),
    ...Object.keys(asked).flatMap((name) => shown(prompts.get(name))),
    ...[judgePrompt, pairPrompt].flatMap(shown),
    "",
  ].join("\n");
}

function shown(prompt: Shown | undefined): readonly string[] {
  if (prompt === undefined) throw new Error("A prompt of the page is gone from the code.");
  const { name, instructions, replyFormat } = prompt;
  return ["", `## ${name}`, "", "````text", instructions.trim(), "", replyFormat.trim(), "````"];
}

const isPrompt = (value: unknown): value is Shown =>
  typeof value === "object" && value !== null && "instructions" in value && "replyFormat" in value;
