import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../../test/support/project-state.ts";
import type { Config } from "../../src/index.ts";
import { skillName } from "./days.ts";

/** A person's home and one of their projects. */
export interface NightPlace {
  readonly home: string;
  readonly project: string;
  readonly journalDir: string;
  /** What nights may change, by what it is. */
  readonly documents: Readonly<Record<"memory" | "skill" | "personal", string>>;
}

export const nightModels = {
  miner: "scripted/miner-1",
  target: "scripted/target-1",
  optimizer: "scripted/optimizer-1",
  judge: "scripted/judge-1",
} as const;

export const nightPrices = {
  [nightModels.miner]: { input: 0.5, output: 4 },
  [nightModels.target]: { input: 0.25, output: 2 },
  [nightModels.optimizer]: { input: 2, output: 10 },
  [nightModels.judge]: { input: 0.5, output: 4 },
};

/** A home without conversations and a project that says little about itself. */
export function makePlace(root: string): NightPlace {
  const real = realpathSync(root);
  const [home, project] = [join(real, "home"), join(real, "home", "code", "shop")];
  const skill = join(project, ".claude", "skills", skillName);
  mkdirSync(skill, { recursive: true });
  mkdirSync(join(home, ".claude"), { recursive: true });
  const documents = {
    memory: join(project, "CLAUDE.md"),
    skill: join(skill, "SKILL.md"),
    personal: join(home, ".claude", "CLAUDE.md"),
  };
  writeFileSync(documents.memory, "# Shop\r\n\r\nAn online shop.   \r\n\r\n\r\n* tests: `node --test`\r\n");
  writeFileSync(
    documents.skill,
    `---\nname: ${skillName}\ndescription: Use when writing release notes; says how they are laid out.\n---\n\n# Release notes\n\nOne heading for each version.\n`,
  );
  writeFileSync(documents.personal, "# Me\n\nI like short answers.\n");
  return { home, project, journalDir: projectState(project), documents };
}

/** A config as that person would write it. */
export const nightConfig = (url: string): Omit<Config, "tasks"> => ({
  ...nightModels,
  providers: { scripted: { baseURL: `${url}/v1` } },
  prices: nightPrices,
  concurrency: 16,
});
