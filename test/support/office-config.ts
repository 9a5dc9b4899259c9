import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";
import { tempDir } from "./temp-dir.ts";

export const officeWorld = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0 });
export const officeTasks = officeWorld.splits({ train: 12, val: 10, test: 6 });

/** A server with a world that repeats itself, and the options of a short run there. It ends with the test. */
export async function openOffice() {
  const server = await startScriptedServer({ seed: 4, world: officeWorld });
  onTestFinished(() => server.close());
  const options = {
    skill: { main: "SKILL.md", files: { "SKILL.md": officeWorld.seedSkill(2) } },
    tasks: officeTasks,
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    spend: { calls: 1000 },
    epochs: 1,
    batchSize: 12,
  } as const;
  return { server, options };
}

/** The file of an environment whose `judge` asks the model by itself, and scores the answer. */
export const judgeModule = async (): Promise<string> =>
  join(await tempDir({ "environment.ts": judge }), "environment.ts");

const judge = `export async function judge(task: { input: string }, skill: { files: Record<string, string> }, context: any) {
  const messages = [{ role: "user", content: task.input }];
  const { text } = await context.model.generate({ system: skill.files["SKILL.md"], messages });
  const { hard, soft, feedback } = await context.score(task, { text, response: text });
  return { kind: "scored", hard, soft, feedback, conversation: [{ role: "assistant", content: text }] };
}`;
