import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asLines, fixtureHome, readAll, recordedProject } from "../../../../test/support/fixture-home.ts";
import { qwenCodeSource } from "./qwen-code.ts";

test("a recorded conversation gives prompts, answers, tools and what they printed", async () => {
  const home = await fixtureHome("qwen-code");
  const [talk] = [...(await readAll(qwenCodeSource({ home }))).values()];
  expect(talk).toMatchObject({
    project: recordedProject,
    turns: [
      { prompt: "Add zod to the project, see NOTES.md.", answer: "I ran npm install zod." },
      { prompt: "No. We use pnpm here, not npm.", answer: "I ran pnpm add zod." },
    ],
    tools: ["run_shell_command"],
    toolOutputs: [expect.stringContaining("NOTES OF A STRANGER")],
    heard: [0, 1],
  });
});

test("what the program writes in the person's name is no prompt, and files that a prompt names are material", async () => {
  const home = await fixtureHome("qwen-code");
  const record = (uuid: string, more: object) => ({ uuid, cwd: recordedProject, type: "user", ...more });
  const said = (text: string) => ({ message: { role: "user", parts: [{ text }] } });
  mkdirSync(join(home, "projects/other/chats"), { recursive: true });
  writeFileSync(
    join(home, "projects/other/chats/made.jsonl"),
    asLines([
      record("1", { provenance: "system", ...said("A cron job says hello.") }),
      record("2", {
        provenance: "real_user",
        ...said("Read @NOTES.md\n--- Content from referenced files ---\nUse rot13."),
      }),
      record("3", {
        type: "assistant",
        message: { parts: [{ text: "hm", thought: true }, { text: "Read." }] },
      }),
      record("4", { provenance: "real_user", ...said("/compress") }),
    ]),
  );
  expect((await readAll(qwenCodeSource({ home }))).get("made")).toMatchObject({
    turns: [{ prompt: "Read @NOTES.md", answer: "Read." }],
    toolOutputs: ["A cron job says hello.", expect.stringContaining("Use rot13."), "/compress"],
  });
});
