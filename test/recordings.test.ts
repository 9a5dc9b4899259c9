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

const fileOf = (name: string): string => join(import.meta.dirname, `fixtures/recordings/${name}.json`);

test("every contract has a recorded reply of a real model", () => {
  const missing = contracts.map(({ name }) => name).filter((name) => !existsSync(fileOf(name)));
  expect(missing).toEqual([]);
});

/** All texts and numbers in a value. */
const leaves = (value: unknown): readonly (string | number | boolean)[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leaves)
    : [value as string | number | boolean];

test.each(contracts.map((prompt) => [prompt.name, prompt] as const))(
  "%s: the recording is of the prompt as it is today, and its reply is parsed without loss",
  (name, prompt) => {
    const { system, reply } = JSON.parse(readFileSync(fileOf(name), "utf8")) as Recording;
    expect(system, "a changed prompt needs a new recording").toBe(systemText(prompt, {}));
    const usage = { inputTokens: 0, outputTokens: 0 };
    const parsed = parseReply(prompt, { text: reply, finish: "stop", usage });
    expect(parsed.ok).toBe(true);
    const kept = leaves(parsed.ok ? parsed.value : {});
    expect(leaves(JSON.parse(reply)).filter((leaf) => !kept.includes(leaf))).toEqual([]);
  },
);
