import { existsSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { agentClis } from "../../adapters/agents/agents.ts";
import { onPath } from "../../adapters/on-path.ts";
import { isSkillFolder } from "../files/skill-shape.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What lies in a folder that whetstone could work with, paths from that folder. */
export interface FoundWork {
  /** Agent Skills first, as folders or as their SKILL.md alone, then files of standing instructions. */
  readonly skills: readonly string[];
  /** By the skill they lie beside, or "" for the folder itself. */
  readonly tasks: readonly string[];
  /** Agent programs on PATH. */
  readonly agents: readonly FoundAgent[];
}

export interface FoundAgent {
  readonly name: string;
  readonly program: string;
}

export function findWork(folder: string, env: Env): FoundWork {
  const skills = findSkills(folder);
  return { skills, tasks: findTasks(folder, skills), agents: findAgents(env) };
}

/** The agents whose program a person has installed. */
export const findAgents = (env: Env): readonly FoundAgent[] =>
  [...agentClis.values()].filter(({ program }) => onPath(program, env) !== undefined);

const skillRoots = [
  "skills",
  ".claude/skills",
  ".agents/skills",
  ".codex/skills",
  ".opencode/skills",
  ".pi/skills",
];
const plainFiles = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "prompt.md"];

function findSkills(folder: string): readonly string[] {
  const asSkill = (path: string): readonly string[] => {
    if (!existsSync(join(folder, path, "SKILL.md"))) return [];
    return [isSkillFolder(join(folder, path)) ? path : posix.join(path, "SKILL.md")];
  };
  const nested = skillRoots.flatMap((root) => list(join(folder, root)).map((name) => `${root}/${name}`));
  const rules = list(join(folder, ".cursor/rules")).filter((name) => name.endsWith(".mdc"));
  return [
    ...[".", ...nested].flatMap(asSkill),
    ...plainFiles.filter((path) => existsSync(join(folder, path))),
    ...rules.map((name) => `.cursor/rules/${name}`),
  ];
}

const taskNames = [
  "evals/evals.json",
  "evals/triggers.json",
  "evals.json",
  "evals.jsonl",
  "evals.csv",
  "tasks.jsonl",
  "tasks.json",
  "tasks",
  "promptfooconfig.yaml",
  "promptfooconfig.yml",
  "promptfooconfig.json",
];

function findTasks(folder: string, skills: readonly string[]): readonly string[] {
  const places = [...new Set([...skills.map(placeOf), "."])];
  return places.flatMap((place) =>
    taskNames
      .map((name) => (place === "." ? name : `${place}/${name}`))
      .filter((path) => existsSync(join(folder, path))),
  );
}

/** The folder that a skill lies in: its own, or that of its file. */
export const placeOf = (skill: string): string =>
  /\.(?:md|mdc|cursorrules)$/.test(skill) ? posix.dirname(skill) : skill;

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
