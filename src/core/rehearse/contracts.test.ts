import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { guessedFinds, systemText } from "../prompts/prompt.ts";
import { parseReply } from "../prompts/parse-reply.ts";
import { contractOf, contracts } from "./contracts.ts";

const user = `# The skill

<skill>
# Parcels

- Parcels that are heavy go to the shelf near the door.
</skill>

Task id: t1
Task id: t2

# Pool (indices begin at 0)

\`\`\`json
{ "edits": [{ "op": "append", "content": "- Be exact.", "evidence": ["t1"] }] }
\`\`\`

# Reminders

1. Look up the code.
2. Look it up again.

<rule>
Parcels that are heavy go to the shelf near the door.
</rule>

[turn 1, the person]
Please add zod to the project, and use pnpm for it.

Write 3 tasks. Edit budget: 4`;

test.each(contracts.map((prompt) => [prompt.name, prompt] as const))(
  "what is drawn for %s keeps to its contract",
  (_, prompt) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const random = seededRandom("sample", seed);
      const asked = { random, user, finds: { ...guessedFinds, tasksPerConversation: 1 }, good: [] };
      const text = JSON.stringify(prompt.sample(asked));
      const reply = { text, finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } } as const;
      expect(parseReply(prompt, reply)).toMatchObject({ ok: true });
    }
  },
);

test("a system text names its contract, whoever wrote the instructions", () => {
  for (const prompt of contracts)
    expect(contractOf(systemText(prompt, { [prompt.name]: "Do it.\n\nContract: other" }))).toBe(prompt);
  expect(contractOf("You are a clerk.")).toBeUndefined();
});
