import { expect, test } from "vitest";
import { z } from "zod";
import { ruleSchema } from "../src/core/rules/rule.ts";
import { describeConfig, listFlags, writeReference } from "./support/config-reference.ts";

// `npm run generate` writes all four

test("the JSON schema for editors says what the table of settings says", async () => {
  const schema = `${JSON.stringify(describeConfig(), null, 2)}\n`;
  await expect(schema).toMatchFileSnapshot("../src/config/config.schema.json");
});

test("the JSON schema of a rule is that of the code", async () => {
  const schema = `${JSON.stringify(z.toJSONSchema(ruleSchema, { io: "input" }), null, 2)}\n`;
  await expect(schema).toMatchFileSnapshot("../src/core/rules/rule.schema.json");
});

test("the flags of the command line are those of the table, with its words", async () => {
  const flags = `${JSON.stringify(listFlags(describeConfig()), null, 2)}\n`;
  await expect(flags).toMatchFileSnapshot("../src/config/config-flags.json");
});

test("docs/config.md lists every setting as it is", async () => {
  await expect(writeReference(describeConfig())).toMatchFileSnapshot("../docs/config.md");
});

test("every setting has a doc comment", () => {
  const undescribed = Object.entries(describeConfig().properties ?? {}).filter(
    ([, { description }]) => description === undefined,
  );
  expect(undescribed.map(([key]) => key)).toEqual([]);
});
