// Training as a library call, against scripted models: `node examples/train-in-code.ts` needs no key.
// In a project of your own the imports are "whetstone" and "whetstone/testing".
import { train } from "../src/index.ts";
import { hiddenRuleWorld, startScriptedServer } from "../src/testing/index.ts";

// six rules decide which answers are right, and the skill starts with two of them
const seed = Number(process.argv[2] ?? 2);
const world = hiddenRuleWorld({ seed, rules: 6 });
await using server = await startScriptedServer({ seed, world });
const before = world.seedSkill(2);

const run = await train({
  skill: { main: "SKILL.md", files: { "SKILL.md": before } },
  tasks: world.splits({ train: 40, val: 40, test: 40 }),
  target: "office/target",
  optimizer: "office/optimizer",
  baseURL: `${server.url}/v1`,
  spend: { calls: 2000 },
  onEvent: (event) => {
    if (event.type === "step-end") console.log(`step ${event.step}: ${event.reason}`);
  },
});

const { sentence, test } = run.summary;
console.log(`\n${sentence}`);
if (test) console.log(`Test tasks passed: ${share(test.original)} before, ${share(test.best)} after.`);
console.log(`\nBefore:\n\n${before}\nAfter:\n\n${run.best.text}`);

function share(score: number): string {
  return `${(100 * score).toFixed(1)}%`;
}
