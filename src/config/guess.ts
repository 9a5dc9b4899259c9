import { dirname, join, relative } from "node:path";
import { exampleModels } from "../adapters/models/example-models.ts";
import { isThere, unlinked } from "../adapters/project-file.ts";
import { own } from "../core/own.ts";
import { findAgents } from "./resolve/find-work.ts";
import { isSkillFolder } from "./files/skill-shape.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The skill most likely meant in this folder. If the folder is shaped like an Agent Skill, that's all of it. */
export function guessSkill(cwd: string): string | undefined {
  if (isSkillFolder(cwd)) return cwd;
  return firstThere(cwd, ["SKILL.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "prompt.md"]);
}

/** Tasks next to the skill, or in the working folder. */
export const guessTasks = (cwd: string, skillPath: string | undefined): string | undefined =>
  taskPlaces(cwd, skillPath).find(isThere);

/** Places to look for tasks, best first. */
export function taskPlaces(cwd: string, skillPath: string | undefined): readonly string[] {
  const places = skillPath === undefined ? [] : [unlinked(skillPath), dirname(skillPath)];
  const names = ["evals", "evals.jsonl", "evals.json", "tasks", "tasks.jsonl", "tasks.json", ...promptfoo];
  return [...places, cwd].flatMap((place) => names.map((name) => join(place, name)));
}

const promptfoo = ["yaml", "yml", "json"].map((extension) => `promptfooconfig.${extension}`);

export interface GuessedModels {
  readonly target: string;
  readonly optimizer: string;
  /** The reason for the guess: `OPENAI_API_KEY is set`. */
  readonly because: string;
}

/** Models with known prices, chosen by which key is set. */
export const guessableModels: readonly (Omit<GuessedModels, "because"> & { readonly variable: string })[] = [
  { variable: "OPENAI_API_KEY", ...exampleModels.openai },
  { variable: "ANTHROPIC_API_KEY", ...exampleModels.anthropic },
  { variable: "GOOGLE_GENERATIVE_AI_API_KEY", ...exampleModels.google },
  { variable: "GROQ_API_KEY", ...exampleModels.groq },
];

export function guessModels(env: Env): GuessedModels | undefined {
  const byKey = guessableModels.find(({ variable }) => env[variable]?.trim());
  if (byKey !== undefined) return { ...byKey, because: `${byKey.variable} is set` };
  return guessAgent(env);
}

/** An installed agent, whichever keys are set, for people with a login instead. */
export function guessAgent(env: Env): GuessedModels | undefined {
  for (const { name, program } of findAgents(env)) {
    const models = own<Pick<GuessedModels, "target" | "optimizer">>(exampleModels, name);
    if (models !== undefined) return { ...models, because: `${program} is installed` };
  }
  return undefined;
}

/** A path as a person would write it from here. */
export function shownPath(path: string, cwd: string): string {
  const shorter = relative(cwd, path);
  return shorter === "" ? "." : shorter.startsWith("..") ? path : shorter;
}

function firstThere(folder: string, names: readonly string[]): string | undefined {
  return names.map((name) => join(folder, name)).find(isThere);
}
