import { join, posix, relative, sep } from "node:path";
import { agentClis } from "../../adapters/agents/agents.ts";
import { agentSkillFolders } from "../../adapters/coding-agents/coding-agents.ts";
import { holdsCases, suiteFolder } from "../../adapters/importers/find-suite.ts";
import { onPath } from "../../adapters/on-path.ts";
import { isThere, listProjectFolder, readProjectText } from "../../adapters/project-file.ts";
import { isSkillFolder } from "../files/skill-shape.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Everything in a folder that whetstone could work with, as paths from that folder. */
export interface FoundWork {
  /** Agent Skills first, as folders or as their SKILL.md alone, then files of standing instructions. */
  readonly skills: readonly string[];
  /** Grouped by the skill they are next to, or "" for the folder itself. */
  readonly tasks: readonly string[];
  /** SkillOpt configs. */
  readonly skillOpt: readonly string[];
  /** Agent programs on PATH. */
  readonly agents: readonly FoundAgent[];
}

export interface FoundAgent {
  readonly name: string;
  readonly program: string;
}

export function findWork(folder: string, env: Env): FoundWork {
  const skills = findSkills(folder);
  const skillOpt = findSkillOptConfigs(folder);
  return { skills, tasks: findTasks(folder, skills), skillOpt, agents: findAgents(env) };
}

/** The agents whose program is installed. */
export const findAgents = (env: Env): readonly FoundAgent[] =>
  [...agentClis.values()].filter(({ program }) => onPath(program, env) !== undefined);

const skillRoots = ["skills", ...agentSkillFolders];
const plainFiles = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "prompt.md"];

function findSkills(folder: string): readonly string[] {
  const asSkill = (path: string): readonly string[] => {
    if (!isThere(join(folder, path, "SKILL.md"))) return [];
    return [isSkillFolder(join(folder, path)) ? path : posix.join(path, "SKILL.md")];
  };
  const nested = skillRoots.flatMap((root) => list(join(folder, root)).map((name) => `${root}/${name}`));
  const rules = list(join(folder, ".cursor/rules")).filter((name) => name.endsWith(".mdc"));
  return [
    ...[".", ...nested].flatMap(asSkill),
    ...plainFiles.filter((path) => isThere(join(folder, path))),
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
  return places.flatMap((place) => {
    const files = taskNames
      .map((name) => (place === "." ? name : `${place}/${name}`))
      .filter((path) => isThere(join(folder, path)));
    return [...files, ...findFolders(folder, place)];
  });
}

/** Suites with one folder per case, and splits in SkillOpt's layout. */
function findFolders(folder: string, place: string): readonly string[] {
  const evals = relative(folder, suiteFolder(join(folder, place)))
    .split(sep)
    .join("/");
  const isSuite = !isThere(join(folder, evals, "evals.json")) && holdsCases(join(folder, evals));
  const data = posix.join(place, "data");
  const splits = list(join(folder, data))
    .map((name) => `${data}/${name}`)
    .filter((path) => ["train", "val", "test"].every((split) => isThere(join(folder, path, split))));
  return [...(isSuite ? [evals] : []), ...splits];
}

/** `configs/<environment>/default.yaml` as in SkillOpt's layout, or one here. */
function findSkillOptConfigs(folder: string): readonly string[] {
  const own = list(join(folder, "configs")).filter((name) => !name.startsWith("_"));
  return [...own.map((name) => `configs/${name}/default.yaml`), "skillopt.yaml", "config.yaml"].filter(
    (path) => {
      try {
        return /^optimizer:/m.test(readProjectText(join(folder, path)).slice(0, 20_000));
      } catch {
        return false;
      }
    },
  );
}

/** The folder that contains a skill: its own, or its file's. */
export const placeOf = (skill: string): string =>
  /\.(?:md|mdc|cursorrules)$/.test(skill) ? posix.dirname(skill) : skill;

function list(folder: string): readonly string[] {
  try {
    return listProjectFolder(folder).map(({ name }) => name);
  } catch {
    return [];
  }
}
