import { bytesPerToken } from "../work/estimate-tokens.ts";
import { decodeFile, isBinary } from "../files.ts";
import { oneLine } from "../one-line.ts";
import type { Edit } from "../skill/edit.ts";
import { findRegions } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { isEditable, surfaceOf } from "../skill/surface.ts";
import { type TokenBudgets, findTightFiles } from "../skill/token-budgets.ts";
import type { Task } from "../tasks/task.ts";
import { fairShare, trimMiddle } from "../trim.ts";

/** An edit of an earlier step, and what happened to it. */
export interface TriedEdit extends Edit {
  /** Its number, if the gate numbers rules. */
  readonly rule?: number;
  /** What happened to it and why, worded for the optimizer: `in the skill, +1.0 points so far`. */
  readonly fate: string;
}

/** An earlier step's attempts, as far as proposers may know: nothing about val tasks. */
export interface TriedStep {
  readonly step: number;
  /** Failures that it saw. */
  readonly patterns: readonly string[];
  readonly edits: readonly TriedEdit[];
  /** None of the optimizer's replies could be used. */
  readonly isUnheard?: true;
}

/** Everything that an analyst is shown besides attempts. */
export interface ShownSearch {
  readonly skill: Skill;
  readonly budget: number;
  readonly tried: readonly TriedStep[];
  /** Consecutive steps in which no proposed edit could be applied. @default 0 */
  readonly dry?: number | undefined;
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
}

export const searchSection = (
  { skill, tried, dry = 0, meta }: ShownSearch,
  tasks: readonly Task[],
  limits: ShownLimits,
): string =>
  joinSections([
    skillSection(skill, limits),
    contractSection(tasks),
    triedSection(tried, `${proposeWords}${dryWords(dry)}`),
    metaSection(meta),
  ]);

/** The limits for edits of the skill shown. */
export interface ShownLimits {
  readonly allowScripts?: boolean;
  readonly tokenBudgets?: TokenBudgets;
}

/** For all files except the main one together; the longest are trimmed first. */
const shownTokens = 20_000;

/** The skill as every optimizer prompt shows it. Edits name a file only if there are several. */
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
  const kept =
    findRegions(mainText(skill)).length > 0 ? "Text between whetstone markers stays exactly as it is." : "";
  return joinSections(["# The skill", list, tight.join("\n"), kept, `<skill>\n${shown}\n</skill>`]);
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

/** Earlier edits with their worth and fate, one line each. */
export function triedSection(tried: readonly TriedStep[], more = ""): string {
  const lines = tried.flatMap(({ step, patterns, edits }) => [
    ...patterns.map((pattern) => `- step ${step} saw: ${pattern}`),
    ...edits.map((edit) => {
      const name = edit.rule === undefined ? `step ${step}` : `rule ${edit.rule} (step ${step})`;
      return `- ${name}, ${editLine(edit)}: ${edit.fate}`;
    }),
  ]);
  return lines.length === 0
    ? ""
    : joinSections(["# Earlier steps", `${triedWords}${more}`, lines.join("\n")]);
}

const triedWords = `Points are what a rule adds to the score on other tasks, as far as it was measured. The skill above has the rules marked "in the skill" and no others.`;

const proposeWords = ` A target must match that text, and the attempts below were made with it. To improve one of these rules, edit its words. Edits that were refused, left out or not chosen are missing from the skill. If the tasks below still call for one, propose it again in a form that avoids the reason given. Of two edits of the same words, one new edit can say both.`;

/** A single time may be bad luck. */
const dryWords = (dry: number): string =>
  dry < 2
    ? ""
    : ` No edit of the last ${dry} steps could be applied, for the reasons given below. Propose edits that avoid these reasons, or none.`;

function editLine({ op, file, target = "", content = "" }: Edit): string {
  const where = file === undefined ? "" : ` in ${file}`;
  const words = JSON.stringify(op === "delete" ? target : content);
  if (op === "append" || op === "delete") return `${op}${where} ${words}`;
  const place = JSON.stringify(oneLine(target, 80));
  return op === "replace"
    ? `replace${where} ${place} with ${words}`
    : `after${where} ${place} insert ${words}`;
}

/** The optimizer's own memory of what kinds of edits helped. */
export const metaSection = (memory: string): string =>
  memory === "" ? "" : `# Your notes from earlier epochs\n\n${memory}`;

export const jsonSection = (title: string, value: unknown): string =>
  `# ${title}\n\n\`\`\`json\n${JSON.stringify(value, null, 1)}\n\`\`\``;

export const joinSections = (sections: readonly string[]): string =>
  sections.filter((section) => section !== "").join("\n\n");
