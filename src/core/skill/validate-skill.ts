import { readFrontmatter } from "./frontmatter.ts";
import { type Skill, mainText } from "./skill.ts";

export interface SkillProblem {
  /** Agents refuse or never find a skill with an error; advice is only given on request. */
  readonly level: "error" | "warning" | "advice";
  readonly message: string;
  /** How to fix it. */
  readonly hint: string;
}

/**
 * Finds problems in a skill's files. A SKILL.md follows the rules of agentskills.io; other markdown files only need
 * readable frontmatter. `folderName`, if known, is the skill's folder; without it, frontmatter may be missing.
 */
export function validateSkill(skill: Skill, folderName?: string): readonly SkillProblem[] {
  const others = Object.entries(skill.files).filter(([path]) => path !== "SKILL.md" && /\.md$/i.test(path));
  return [
    ...(skill.main === "SKILL.md" ? validateMain(mainText(skill), folderName) : []),
    ...others.flatMap(([path, text]) => {
      const frontmatter = readFrontmatter(text);
      return frontmatter.kind === "broken"
        ? [{ ...unreadable(path, frontmatter.problem), level: "warning" as const }]
        : [];
    }),
  ];
}

const unreadable = (path: string, problem: string): SkillProblem =>
  error(
    `The frontmatter of ${path} isn't readable: ${problem}.`,
    'Quote values that contain ": " or begin with a special character.',
  );

function validateMain(text: string, folderName: string | undefined): readonly SkillProblem[] {
  const frontmatter = readFrontmatter(text);
  if (frontmatter.kind === "none") {
    return folderName === undefined
      ? []
      : [
          warning(
            "SKILL.md has no frontmatter, so agents can't tell what the skill is for.",
            `Begin it with \`---\`, \`name: ${folderName}\`, \`description: …\`, \`---\`, each on its own line.`,
          ),
        ];
  }
  if (frontmatter.kind === "broken") return [unreadable("SKILL.md", frontmatter.problem)];
  const { fields } = frontmatter;
  return [
    ...checkName(fields["name"], folderName),
    ...checkDescription(fields["description"]),
    ...checkText("license", fields["license"], Number.POSITIVE_INFINITY),
    ...checkText("compatibility", fields["compatibility"], 500),
    ...checkMetadata(fields["metadata"]),
    ...checkTools(fields["allowed-tools"]),
    ...checkKeys(Object.keys(fields)),
  ];
}

const ruleKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/** Not in the rules, but read by widely used agents. */
const agentKeys = [
  "when_to_use",
  "argument-hint",
  "disable-model-invocation",
  "user-invocable",
  "model",
  "effort",
  "context",
  "agent",
  "hooks",
  "paths",
  "shell",
];

const error = (message: string, hint: string): SkillProblem => ({ level: "error", message, hint });
const warning = (message: string, hint: string): SkillProblem => ({ level: "warning", message, hint });

function checkName(name: unknown, folderName: string | undefined): readonly SkillProblem[] {
  if (name === undefined)
    return [error("SKILL.md has no name.", `Add \`name: ${folderName ?? "…"}\` to its frontmatter.`)];
  if (typeof name !== "string" || name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    return [
      error(
        `The name ${JSON.stringify(name)} in SKILL.md isn't valid.`,
        "Use at most 64 lowercase letters, digits and single hyphens between them.",
      ),
    ];
  }
  if (folderName === undefined || name === folderName) return [];
  return [
    {
      level: "advice",
      message: `The skill is called "${name}" and its folder "${folderName}"; some agents require them to match.`,
      hint: "Rename one of them.",
    },
  ];
}

function checkDescription(description: unknown): readonly SkillProblem[] {
  const rule = "Describe what the skill does and when to use it in 1 to 1024 characters.";
  if (typeof description !== "string" || description.trim() === "")
    return [error("SKILL.md has no description, which agents use to choose a skill.", rule)];
  const length = Array.from(description.trim()).length;
  if (length > 1024) return [error(`The description in SKILL.md has ${length} characters.`, rule)];
  return /[<>]/.test(description)
    ? [warning("The description in SKILL.md contains < or >, which some agents refuse.", "Remove them.")]
    : [];
}

function checkText(field: string, value: unknown, most: number): readonly SkillProblem[] {
  if (value === undefined) return [];
  if (typeof value === "string" && value.trim() !== "" && value.length <= most) return [];
  const size = Number.isFinite(most) ? ` of at most ${most} characters` : "";
  return [error(`"${field}" in SKILL.md isn't valid.`, `Use text${size}, or remove it.`)];
}

function checkMetadata(metadata: unknown): readonly SkillProblem[] {
  if (metadata === undefined) return [];
  const rule = 'Use lines of `key: "text"`, with numbers and dates in quotes.';
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return [error('"metadata" in SKILL.md isn\'t valid.', rule)];
  const values = Object.entries(metadata).filter(([, value]) => typeof value !== "string");
  const nested = values.find(([, value]) => typeof value === "object" && value !== null);
  if (nested !== undefined) return [error(`"metadata.${nested[0]}" in SKILL.md isn't text.`, rule)];
  return values.map(([key]) => warning(`"metadata.${key}" in SKILL.md isn't text.`, rule));
}

function checkTools(tools: unknown): readonly SkillProblem[] {
  if (tools === undefined || typeof tools === "string") return [];
  const rule = "Use one text with the tools separated by spaces.";
  return Array.isArray(tools) && tools.every((tool) => typeof tool === "string")
    ? [warning('"allowed-tools" in SKILL.md is a list, which only some agents read.', rule)]
    : [error('"allowed-tools" in SKILL.md isn\'t valid.', rule)];
}

function checkKeys(keys: readonly string[]): readonly SkillProblem[] {
  return keys
    .filter((key) => !ruleKeys.includes(key) && !agentKeys.includes(key))
    .map((key) =>
      error(`"${key}" in SKILL.md isn't a skill key.`, "Move it below `metadata`, or remove it."),
    );
}
