import { bytesPerToken } from "../work/estimate-tokens.ts";
import { decodeFile, isBinary } from "../files.ts";
import type { Edit } from "../skill/edit.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { isEditable, surfaceOf } from "../skill/surface.ts";
import { type TokenBudgets, findTightFiles } from "../skill/token-budgets.ts";
import type { Task } from "../tasks/task.ts";
import { trimMiddle } from "./trajectory.ts";

/** What an earlier step of this epoch tried, as far as proposers may know it: no score, no task of val. */
export interface TriedStep {
  readonly step: number;
  readonly patterns: readonly string[];
  readonly rejected: readonly Edit[];
  /** Under test, and not in the skill that is shown. */
  readonly trying?: readonly Edit[];
  /** No reply of the optimizer could be used. */
  readonly isUnheard?: true;
}

/** What edits may do to the skill that is shown. */
export interface ShownLimits {
  readonly allowScripts?: boolean;
  readonly tokenBudgets?: TokenBudgets;
}

/** Of all files but the main one together; the longest are trimmed first. */
const shownTokens = 20_000;

/** The skill, as every optimizer prompt shows it. Edits name a file only where there are several. */
export function skillSection(skill: Skill, limits: ShownLimits = {}): string {
  const others = Object.keys(skill.files).filter((path) => path !== skill.main);
  const texts = others.filter((path) => !isBinary(skill.files[path] ?? ""));
  const most = fairShare(
    texts.map((path) => skill.files[path]?.length ?? 0),
    shownTokens * bytesPerToken,
  );
  const file = (path: string, text: string) => `<file name="${path}">\n${text}\n</file>`;
  const shown =
    others.length === 0
      ? mainText(skill)
      : [
          file(skill.main, mainText(skill)),
          ...texts.map((path) => file(path, trimMiddle(skill.files[path] ?? "", most))),
        ].join("\n");
  const list = others.length === 0 ? "" : fileList(skill, [skill.main, ...others], limits);
  const tight = findTightFiles(skill, limits.tokenBudgets ?? {}).map(
    ({ path, tokens, budget }) =>
      `${path} has about ${tokens} tokens, of at most ${budget}: make room before you add to it.`,
  );
  return joinSections(["# The skill", list, tight.join("\n"), `<skill>\n${shown}\n</skill>`]);
}

function fileList(skill: Skill, paths: readonly string[], { allowScripts = false }: ShownLimits): string {
  const line = (path: string) => {
    const content = skill.files[path] ?? "";
    const what = path === skill.main ? "body (the main file)" : surfaceOf(path, skill);
    const size = isBinary(content) ? `, ${decodeFile(content).length} bytes, not shown` : "";
    return `- ${path}: ${what}${size}${isEditable(path, skill, allowScripts) ? "" : ", not to be edited"}`;
  };
  return `It has several files. An edit of another one than the main file names it in \`file\`; its target stands in that file. Put a rule where its reader will look for it.\n\n${paths.map(line).join("\n")}`;
}

/** The most that each may have so that all fit into the total: short ones leave their rest to the long. */
export function fairShare(sizes: readonly number[], total: number): number {
  let [left, waiting] = [total, sizes.length];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * waiting > left) return Math.floor(left / waiting);
    left -= size;
    waiting -= 1;
  }
  return total;
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
  const told = ({ op, file, content, target }: Edit) =>
    `${op}${file === undefined ? "" : ` in ${file}`} ${JSON.stringify(content ?? target ?? "")}`;
  const lines = tried.flatMap(({ step, patterns, rejected, trying = [] }) => [
    ...patterns.map((pattern) => `- step ${step} saw: ${pattern}`),
    ...rejected.map((edit) => `- step ${step}, rejected: ${told(edit)}`),
    ...trying.map((edit) => `- step ${step}, being tried, no need to propose it again: ${told(edit)}`),
  ]);
  return lines.length === 0 ? "" : `# Earlier steps\n\n${lines.join("\n")}`;
}

/** The optimizer's own memory of what kinds of edits helped. */
export const metaSection = (memory: string): string =>
  memory === "" ? "" : `# Your notes from earlier epochs\n\n${memory}`;

export const jsonSection = (title: string, value: unknown): string =>
  `# ${title}\n\n\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``;

export const joinSections = (sections: readonly string[]): string =>
  sections.filter((section) => section !== "").join("\n\n");
