import { expect, test } from "vitest";
import { WhetstoneError } from "../core/errors.ts";
import { parseConfig } from "./parse-config.ts";

function messageOf(input: unknown): string {
  try {
    parseConfig(input, "whetstone.config.ts");
  } catch (error) {
    expect(error).toBeInstanceOf(WhetstoneError);
    const { code, message, hint, exitCode } = error as WhetstoneError;
    expect([code, exitCode]).toEqual(["config-invalid", 2]);
    expect(hint).toBeTruthy();
    return message;
  }
  return "accepted";
}

test.each([
  [{ epochs: 0 }, 'whetstone.config.ts: "epochs" is 0; it must be a whole number, 1 or more.'],
  [{ epochs: 1.5 }, 'whetstone.config.ts: "epochs" is 1.5; it must be a whole number, 1 or more.'],
  [{ epochs: "four" }, 'whetstone.config.ts: "epochs" is "four"; it must be a whole number, 1 or more.'],
  [{ seed: Number.NaN }, 'whetstone.config.ts: "seed" is NaN; it must be a whole number.'],
  [
    { mergeBatchSize: 1 },
    'whetstone.config.ts: "mergeBatchSize" is 1; it must be a whole number, 2 or more.',
  ],
  [{ mixedWeight: 1.2 }, 'whetstone.config.ts: "mixedWeight" is 1.2; it must be a number from 0 to 1.'],
  [
    { maxPendingShare: -0.1 },
    'whetstone.config.ts: "maxPendingShare" is -0.1; it must be a number from 0 to 1.',
  ],
  [{ temperature: 3 }, 'whetstone.config.ts: "temperature" is 3; it must be a number from 0 to 2.'],
  [{ spend: { usd: -1 } }, 'whetstone.config.ts: "spend.usd" is -1; it must be a number, 0 or more.'],
  [
    { concurrency: 0 },
    'whetstone.config.ts: "concurrency" is 0; it must be "auto" or a whole number, 1 or more.',
  ],
  [
    { schedule: "sine" },
    'whetstone.config.ts: "schedule" is "sine"; it must be "cosine" or "linear" or "constant".',
  ],
  [
    { gate: "lenient" },
    'whetstone.config.ts: "gate" is "lenient"; it must be "rules" or "strict" or "off", or in code an object with name, version and decide.',
  ],
  [
    { target: "gpt-5" },
    'whetstone.config.ts: "target" is "gpt-5"; it must be provider/model or agent/model, such as "openai/gpt-5.4-nano" or "claude-code/sonnet", or a model object.',
  ],
  [
    { baseURL: "localhost" },
    'whetstone.config.ts: "baseURL" is "localhost"; it must be an http or https address.',
  ],
  [{ skill: "" }, 'whetstone.config.ts: "skill" is ""; it must not be empty.'],
  [
    { split: "1:1" },
    'whetstone.config.ts: "split" is "1:1"; it must be three numbers for train, val and test, the first two above 0, such as "1:1:1" or [1, 1, 1].',
  ],
  [
    { prices: { "a/b": { input: 1 } } },
    'whetstone.config.ts: "prices.a/b.output" is missing; it must be a number, 0 or more.',
  ],
  [{ evalTest: "yes" }, 'whetstone.config.ts: "evalTest" is "yes"; it must be true or false.'],
  [
    { environment: { run: 1 } },
    'whetstone.config.ts: "environment" is {"run":1}; it must be ./file.ts#name, a function, or { name, version, run }.',
  ],
  [
    { proxy: { allow: ["min_p", "tools"] } },
    `whetstone.config.ts: "proxy.allow.1" is "tools"; it must be the name of a plain field: tools, addresses, models, tiers and bounds can't be allowed.`,
  ],
  ["text", "whetstone.config.ts isn't an object with settings."],
])("%j is refused with its key, value and range", (input, message) => {
  expect(messageOf(input)).toBe(message);
});

test("an unknown key names the nearest known one, also inside", () => {
  expect(messageOf({ epoch: 3 })).toBe(
    'whetstone.config.ts: the key "epoch" is unknown; did you mean "epochs"?',
  );
  expect(messageOf({ spend: { usdd: 3 } })).toBe(
    'whetstone.config.ts: the key "spend.usdd" is unknown; did you mean "usd"?',
  );
  expect(messageOf({ providers: { mine: { baseUrl: "http://x" } } })).toBe(
    'whetstone.config.ts: the key "providers.mine.baseUrl" is unknown; did you mean "baseURL"?',
  );
  expect(messageOf({ zzz: 1 })).toBe('whetstone.config.ts: the key "zzz" is unknown.');
  expect(messageOf({ spend: { dollars: 3 } })).toBe(
    'whetstone.config.ts: the key "spend.dollars" is unknown; did you mean "usd"?',
  );
  expect(messageOf({ spend: { zzzzzz: 3 } })).toBe(
    'whetstone.config.ts: the key "spend.zzzzzz" is unknown; known keys: usd, tokens, calls, minutes.',
  );
});

test("all faults are told at once, each with what was meant", () => {
  expect(
    messageOf({
      traget: "a/b",
      epoch: 3,
      spend: { dollars: 2, calls: -1 },
      split: "1:1",
      zzzzzzzzz: 1,
    }).split("\n"),
  ).toEqual([
    "whetstone.config.ts has 6 faults:",
    '  "split" is "1:1"; it must be three numbers for train, val and test, the first two above 0, such as "1:1:1" or [1, 1, 1].',
    '  "spend.calls" is -1; it must be a number, 0 or more.',
    '  the key "spend.dollars" is unknown; did you mean "usd"?',
    '  the key "traget" is unknown; did you mean "target"?',
    '  the key "epoch" is unknown; did you mean "epochs"?',
    '  the key "zzzzzzzzz" is unknown.',
  ]);
});

test("a shape that no rule names is told by its keys", () => {
  expect(messageOf({ spend: 5 })).toBe(
    'whetstone.config.ts: "spend" is 5; it must be an object with the keys usd, tokens, calls, minutes.',
  );
  expect(messageOf({ agents: { mine: { args: "-x" } } })).toBe(
    'whetstone.config.ts: "agents.mine.args" is "-x"; it must be a list.',
  );
});

test.each(["12:14:14", [12, 14, 14]])("a split is written in a config as in a flag: %j", (split) => {
  expect(messageOf({ split })).toBe("accepted");
});

test("everything that a config can say is accepted", () => {
  expect(
    messageOf({
      skill: "./skill",
      tasks: { train: "a.jsonl", val: [] },
      target: "openai/gpt-5-nano",
      optimizer: { id: "own/model", generate: async () => {} },
      prices: { "own/model": { input: 1, output: 2, longContext: { above: 10, input: 1, output: 2 } } },
      split: [4, 4, 0],
      environment: () => {},
      spend: { calls: 10 },
      concurrency: "auto",
      proxy: { allow: ["min_p"] },
    }),
  ).toBe("accepted");
});
