// In a project of your own: import { defineConfig } from "whetstone";
import { defineConfig } from "../../src/index.ts";

// cd here, set OPENAI_API_KEY, and run `whetstone train`
export default defineConfig({
  skill: "./SKILL.md",
  tasks: "./tasks.jsonl",
  split: "4:4:2",
  target: "openai/gpt-5.4-nano",
  optimizer: "openai/gpt-5.4",
  effort: "quick",
  batchSize: 6,
  spend: { usd: 1 },
});
