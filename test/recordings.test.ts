import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseReply } from "../src/core/prompts/parse-reply.ts";
import { systemText } from "../src/core/prompts/prompt.ts";
import { contracts } from "../src/core/rehearse/contracts.ts";

interface Recording {
  readonly contract: string;
  readonly system: string;
  readonly user: string;
  readonly reply: string;
}

/** Asked of a model by `test/support/powers`, and not answered yet. */
const waiting = ["powers"];

const fileOf = (name: string): string => join(import.meta.dirname, `fixtures/recordings/${name}.json`);

test("every contract has a recorded reply of a real model", () => {
  const missing = contracts.map(({ name }) => name).filter((name) => !existsSync(fileOf(name)));
  expect(missing).toEqual(waiting);
});

/** All texts and numbers in a value. */
const leaves = (value: unknown): readonly (string | number | boolean)[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leaves)
    : [value as string | number | boolean];

const recorded = contracts.filter(({ name }) => !waiting.includes(name));

test.each(recorded.map((prompt) => [prompt.name, prompt] as const))(
  "%s: the recording is of the prompt as it is today, and its reply is parsed without loss",
  (name, prompt) => {
    const { system, reply } = JSON.parse(readFileSync(fileOf(name), "utf8")) as Recording;
    expect(system, "a changed prompt needs a new recording").toBe(systemText(prompt, {}));
    expect(lostOf(prompt, reply)).toEqual([]);
  },
);

/** What of a reply its contract doesn't take. */
function lostOf(prompt: (typeof contracts)[number], reply: string): readonly unknown[] {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const parsed = parseReply(prompt, { text: reply, finish: "stop", usage });
  if (!parsed.ok) return [reply];
  const kept = leaves(parsed.value);
  return leaves(JSON.parse(reply)).filter((leaf) => !kept.includes(leaf));
}

test.each(["tickets", "few"])("every reply in the recorded training %s is parsed without loss", (name) => {
  const rows = readFileSync(join(import.meta.dirname, `fixtures/real-run/prompts/${name}.jsonl`), "utf8");
  const calls = rows
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row) as Recording);
  expect(calls.length).toBeGreaterThan(2);
  for (const { contract, reply } of calls) {
    const prompt = contracts.find((one) => one.name === contract);
    expect(prompt && lostOf(prompt, reply), contract).toEqual([]);
  }
});
