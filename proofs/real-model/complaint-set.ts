import type { Config } from "../../src/index.ts";
import { complaintTasks, seedSkill } from "../../test/support/real-model/complaints.ts";
import type { TaskSet } from "./four-runs.ts";

/** The messages with their skill, and the models that the config names. */
export const complaintSet = (seed: number, config: Config): TaskSet => ({
  name: "complaints",
  cwd: process.cwd(),
  config: {
    ...config,
    seed,
    skill: { main: "SKILL.md", files: { "SKILL.md": seedSkill } },
    tasks: complaintTasks(seed),
  },
});
