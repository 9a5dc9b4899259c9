import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openPerson } from "./support/open-person.ts";

/** A model that says what it is asked to say, 50 ms later. */
async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { model, messages = [] } = JSON.parse(text || "{}") as {
        readonly model?: string;
        readonly messages?: readonly { readonly content: string }[];
      };
      const content = /Say (\w+)\./.exec(messages.at(-1)?.content ?? "")?.[1] ?? "ok";
      const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }];
      const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
      response.setHeader("content-type", "application/json");
      setTimeout(
        () => response.end(JSON.stringify({ id: "1", object: "chat.completion", model, choices, usage })),
        50,
      );
    });
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const suite = (latency: number) => `
prompts: ["Say {{word}}."]
defaultTest:
  assert:
    - { type: latency, threshold: ${latency} }
    - { type: similar, value: "{{word}}" }
    - { type: javascript, value: file://same.js }
tests:
  - vars: { word: red }
  - vars: { word: blue }
  - vars: { word: green }
`;
const same = "module.exports = (output, { vars }) => output === vars.word;\n";

async function openSuite() {
  const person = await openPerson({
    "SKILL.md": "# Say the word\n",
    "promptfooconfig.yaml": suite(60_000),
    "same.js": same,
  });
  const own = "--target openai-compatible/m --spend-calls 50 --drop similar".split(" ");
  const flags = ["--tasks", "promptfooconfig.yaml", "--base-url", await listen(), ...own];
  const evaluate = (...more: readonly string[]) => person.whetstone(["eval", "SKILL.md", ...flags, ...more]);
  return { person, flags, evaluate };
}

test("a suite's code decides in the sandbox, its latency limits a rollout, and the run says what was dropped", async () => {
  const { person, evaluate } = await openSuite();
  const fine = await evaluate("--on", "train");
  expect(fine).toMatchObject({ code: 0, out: expect.stringContaining("100.0% of 3 train tasks pass") });
  expect(fine.out).toContain("tasks: asserts left out: similar (3 tasks)");
  expect(fine.err).toContain("Running code from this folder: code of checks");
  const { out } = await person.whetstone(["runs"]);
  const id = /^[0-9a-f]{8}/m.exec(out)?.[0] ?? "";
  expect((await person.whetstone(["runs", "show", id])).out).toMatch(/left aside +similar \(3 tasks\)/);
  const report = JSON.parse((await person.whetstone(["report", id, "--format", "json"])).out) as object;
  expect(JSON.stringify(report)).toContain('"leftAside":["similar (3 tasks)"]');

  await person.write("same.js", "module.exports = () => false;\n");
  expect((await evaluate("--on", "train")).out).toContain("0.0% of 3 train tasks pass");
  await person.write("same.js", same);
  await person.write("promptfooconfig.yaml", suite(1));
  expect((await evaluate("--on", "train")).out).toContain("0.0% of 3 train tasks pass");
});

test("unattended, a suite's code waits for a person, and so does every change of it but not of its data", async () => {
  const { person, flags, evaluate } = await openSuite();
  const unattended = () => evaluate("--on", "train", "--unattended").then(({ err }) => err);
  expect(await unattended()).toContain("not-consented");
  const trusted = await person.whetstone([
    "trust",
    "--yes",
    ...flags.filter((flag) => !/^(?:--spend-calls|50)$/.test(flag)),
  ]);
  expect(trusted).toMatchObject({ code: 0, out: expect.stringContaining("code of checks") });
  expect(await unattended()).not.toContain("not-consented");
  await person.write("promptfooconfig.yaml", suite(50_000).replace("green", "black"));
  expect(await unattended()).not.toContain("not-consented");
  await person.write("same.js", `${same}// more\n`);
  expect(await unattended()).toContain("code of checks has changed");
});

test("without a sandbox a suite's code is refused by name, and the model is not asked", async () => {
  const { person, flags } = await openSuite();
  const bin = join(person.marks, "bin");
  await mkdir(bin);
  await symlink(process.execPath, join(bin, "node"));
  const ended = await person.whetstone(["eval", "SKILL.md", ...flags], { PATH: bin });
  expect(ended).toMatchObject({ code: 2, err: expect.stringContaining("sandbox-missing") });
  expect(ended.err.replaceAll(/\s+/g, " ")).toContain("code checks (`javascript` and `python` asserts)");
  expect(ended.err).toContain("--drop javascript");
});
