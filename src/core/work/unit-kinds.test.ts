import { expect, test } from "vitest";
import { generateKind } from "./unit-kinds.ts";

const reply = {
  text: "ok",
  finish: "stop",
  usage: { inputTokens: 1, outputTokens: 1 },
  of: "another version",
};

test("what comes out of a journal is given on as it is, in its own order", () => {
  expect(generateKind.readOutput(reply)).toBe(reply);
});

test.each([null, "ok", [], {}, { ...reply, text: 1 }])("%j is not taken for a reply", (output) => {
  expect(() => generateKind.readOutput(output)).toThrow("A unit of kind generate has a wrong shape");
});

test.each([{ input: 3, output: 4 }, { inputTokens: null, outputTokens: 1 }, {}])(
  "a recorded reply with the usage %j can be read, and counts as no tokens",
  (usage) => {
    expect(generateKind.readOutput({ ...reply, usage })).toEqual({
      ...reply,
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  },
);
