import type { Edit } from "../skill/edit.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { Task } from "../tasks/task.ts";

/** What an earlier step of this epoch tried, as far as proposers may know it: no score, no task of val. */
export interface TriedStep {
  readonly step: number;
  readonly patterns: readonly string[];
  readonly rejected: readonly Edit[];
}

/** The skill, as every optimizer prompt shows it. Edits name a file only where there are several. */
export function skillSection(skill: Skill): string {
  const others = Object.keys(skill.files).filter((path) => path !== skill.main);
  const file = (path: string) => `<file name="${path}">\n${skill.files[path] ?? ""}\n</file>`;
  const text = others.length === 0 ? mainText(skill) : [skill.main, ...others].map(file).join("\n");
  return `# The skill\n\n<skill>\n${text}\n</skill>`;
}

/** The distinct output contracts of tasks: required formats and languages. */
export const contractsOf = (tasks: readonly Task[]): readonly string[] => [
  ...new Set(tasks.map((task) => task.system?.trim() ?? "").filter((text) => text !== "")),
];

/** The output contracts as a guardrail, shown wherever edits are made. */
export function contractSection(tasks: readonly Task[]): string {
  const contracts = contractsOf(tasks);
  if (contracts.length === 0) return "";
  const shown = contracts.slice(0, 5).map((text) => `- ${text}`);
  return `# Required output (no edit may change it)\n\n${shown.join("\n")}`;
}

export function triedSection(tried: readonly TriedStep[]): string {
  const lines = tried.flatMap(({ step, patterns, rejected }) => [
    ...patterns.map((pattern) => `- step ${step} saw: ${pattern}`),
    ...rejected.map(
      (edit) => `- step ${step}, rejected: ${edit.op} ${JSON.stringify(edit.content ?? edit.target ?? "")}`,
    ),
  ]);
  return lines.length === 0 ? "" : `# Earlier in this epoch\n\n${lines.join("\n")}`;
}

/** The optimizer's own memory of what kinds of edits helped. */
export const metaSection = (memory: string): string =>
  memory === "" ? "" : `# Your notes from earlier epochs\n\n${memory}`;

export const jsonSection = (title: string, value: unknown): string =>
  `# ${title}\n\n\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``;

export const joinSections = (sections: readonly string[]): string =>
  sections.filter((section) => section !== "").join("\n\n");
