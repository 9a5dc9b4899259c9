import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ending } from "./end-training.ts";
import type { Journey } from "./journey.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/code.md"), "utf8");

/** A person's own client, typed from the row "a model" of the page; at first with the names that their provider uses. */
const client = (url: string, usage: string): string => `
const mine = {
  id: "mine/model",
  async generate(request, { key, signal }) {
    const system = request.system === undefined ? [] : [{ role: "system", content: request.system }];
    const response = await fetch("${url}/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ model: "small-7b", messages: [...system, ...request.messages] }),
      signal,
    });
    const { choices: [choice], usage } = await response.json();
    return { text: choice.message.content, finish: "stop", usage: ${usage} };
  },
};
`;
const wrongUsage = "{ input: usage.prompt_tokens, output: usage.completion_tokens }";
const rightUsage = "{ inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }";

/** The page's own program that ends with an adoption, with another model and folder. */
function programOf(
  url: string,
  { usage, spend }: { readonly usage: string; readonly spend: string },
): string {
  const block = [...page.matchAll(/```ts\n([^]*?)```/g)].find(([, code]) =>
    code?.includes("await adopt("),
  )?.[1];
  if (block === undefined) throw new Error("docs/code.md has no program that adopts");
  const own = block
    .replaceAll(/(target|optimizer): "[^"]*"/g, "$1: mine")
    .replaceAll(/"\.\/desk"/g, '"."')
    .replaceAll("{ usd: 2 }", spend);
  return `${own.replace("\n", `\n${client(url, usage)}`)}console.log(run.verdict);\n`;
}

/** The loop in a program of one's own, around a model object. */
export const embedder: Journey = {
  name: "B: a TypeScript engineer with a model object",
  files: (world) => ({
    "SKILL.md": world.seedSkill(0),
    "tasks.jsonl": world
      .tasks(60)
      .map((task) => JSON.stringify(task))
      .join("\n"),
  }),
  async live(person, { world, url }): Promise<Ending> {
    const file = join(person.cwd, "train.mts");
    const skill = join(person.cwd, "SKILL.md");
    const before = readFileSync(skill, "utf8");
    const run = async (usage: string, spend: string) => {
      writeFileSync(file, programOf(url, { usage, spend }));
      return person.type("node train.mts");
    };
    const unpriced = await run(wrongUsage, "{ usd: 2 }");
    person.expect(
      "a cap in dollars for a model without a price is refused, with the word that holds",
      unpriced.text.includes("price-unknown") && unpriced.text.includes("`spend: { calls: 2000 }`"),
    );
    const miscounted = await run(wrongUsage, "{ calls: 2000 }");
    person.expect(
      "a wrong usage is named with its field",
      miscounted.text.includes("reply-invalid") && miscounted.text.includes("usage.inputTokens"),
    );
    const trained = await run(rightUsage, "{ calls: 2000 }");
    person.expect("the same call goes on, to a verdict", trained.code === 0);
    const verdict = trained.text.trim().split("\n").at(-1) ?? "";
    const runs = await person.type("npx whetstone runs show");
    person.expect("`runs show` shows the same run", runs.code === 0 && runs.text.includes("mine/model"));
    const after = readFileSync(skill, "utf8");
    if (verdict !== "better") {
      const refused = await person.type("npx whetstone adopt");
      person.expect(
        "what is not better is refused",
        refused.code !== 0 && readFileSync(skill, "utf8") === before,
      );
      return { kind: "refused", words: `${verdict}: the program adopts only what is better` };
    }
    person.expect("the program adopted it, in its person's own terminal", after !== before);
    const score = (text: string) => Math.round(100 * world.trueScore(text, world.tasks(200)));
    return { kind: "adopted", words: `better; in truth ${score(before)}% → ${score(after)}%` };
  },
};
