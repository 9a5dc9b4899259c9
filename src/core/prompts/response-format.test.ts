import { expect, test } from "vitest";
import { z } from "zod";
import { seededRandom } from "../random.ts";
import { contracts } from "../rehearse/contracts.ts";
import { analystError } from "./analyst-error.ts";
import { type Prompt, guessedFinds } from "./prompt.ts";
import { responseFormat } from "./response-format.ts";

const schemaOf = (contract: Prompt<unknown>) => {
  const { json_schema } = responseFormat(contract) as unknown as {
    json_schema: { schema: z.core.JSONSchema.JSONSchema };
  };
  return json_schema.schema;
};

test.each(contracts.map((contract) => [contract.name, contract] as const))(
  "%s: the schema asks for an object with named fields and takes what the contract takes",
  (_, contract) => {
    const schema = schemaOf(contract);
    expect(schema.type).toBe("object");
    expect(Object.keys(schema.properties ?? {}).length).toBeGreaterThan(0);
    // every field that the words ask for can be said
    for (const field of Object.keys(schema.properties ?? {})) {
      expect(contract.replyFormat, field).toContain(`"${field}"`);
    }
    const check = z.fromJSONSchema(schema);
    for (let seed = 1; seed <= 20; seed += 1) {
      const asked = {
        random: seededRandom(contract.name, seed),
        user: "1. One note\n2. Another note",
        finds: { ...guessedFinds, tasksPerConversation: 2 },
        good: [],
      };
      const sample: unknown = JSON.parse(JSON.stringify(contract.sample(asked)));
      expect(check.safeParse(sample).error).toBeUndefined();
      expect(contract.schema.safeParse(sample).error).toBeUndefined();
    }
  },
);

test("an edit's fields and words are in the schema, although one that is wrong costs only itself", () => {
  expect(schemaOf(analystError)).toMatchObject({
    properties: {
      edits: {
        items: {
          properties: {
            op: { enum: ["append", "insert_after", "replace", "delete"] },
            target: { type: "string" },
          },
          required: ["op"],
        },
      },
    },
  });
});
