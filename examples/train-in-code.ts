// Training as a library call, against scripted models: `node examples/train-in-code.ts` needs no key.
// In a project of your own the imports are "whetstone" and "whetstone/testing".
import { train } from "../src/index.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";

const world = hiddenRuleWorld({ seed: 1, rules: 6 });
await using server = await startScriptedServer({ seed: 1, world });

const run = await train({
  skill: { main: "SKILL.md", files: { "SKILL.md": world.seedSkill(2) } },
  tasks: world.splits({ train: 40, val: 40, test: 40 }),
  target: "office/target",
  optimizer: "office/optimizer",
  baseURL: `${server.url}/v1`,
  effort: "quick",
  spend: { calls: 2000 },
  onEvent: (event) => {
    if (event.type === "step-end") console.log(`step ${event.step}: ${event.reason}`);
  },
});

console.log(run.verdict, run.summary.test);
console.log(run.best.text);
