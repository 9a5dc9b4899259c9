import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { chooseSandbox } from "../../adapters/sandboxes/choose-sandbox.ts";
import { commandRunner } from "../../adapters/sandboxes/command-runner.ts";
import type { Json } from "../json.ts";
import type { ScoringTools } from "./performance.ts";
import { said, scoreTask } from "./score-task.ts";

const sandbox =
  process.platform !== "linux"
    ? undefined
    : await chooseSandbox("auto", { env: process.env }).catch(() => undefined);
const tools: ScoringTools =
  sandbox === undefined
    ? {}
    : { command: (request) => commandRunner(sandbox)(request, AbortSignal.timeout(60_000)) };
const boxed = test.skipIf(sandbox === undefined);

async function score(value: Json, answer: string, check = {}): Promise<string> {
  const task = { id: "1", input: "?", checks: [{ kind: "code", value, ...check }] };
  const scored = await scoreTask(task, said(answer), tools);
  if ("kind" in scored) return `invalid: ${scored.reason}`;
  return `${scored.hard} ${scored.soft} ${scored.checks?.[0]?.expected ?? ""}`;
}

const context = { vars: { least: 3, word: "yes" }, prompt: "Say yes" };
const js = (code: string, more = {}) => ({ language: "javascript", code, context, ...more });
const py = (code: string, more = {}) => ({ language: "python", code, context, ...more });

boxed.each([
  ["an expression", js("output.length >= context.vars.least"), "yes", "no"],
  ["an expression with a semicolon and a comment", js("output.includes('y'); // why"), "yes", "no"],
  ["an expression over lines without return", js("output === 'a' ||\n  output === 'b'"), "b", "c"],
  ["statements whose last value counts", js("const s = JSON.parse(output).n; s > 0.5"), '{"n":1}', '{"n":0}'],
  ["a function's body", js("if (output === 'x') return true;\nreturn false;"), "x", "y"],
  ["a function inside an expression", js("((o) => { return o === 'x' })(output)"), "x", "y"],
  ["a promise", js("Promise.resolve(output === 'x')"), "x", "y"],
  ["an object", js("({ pass: output === 'x', score: 0.5, reason: 'why not' })"), "x", "y"],
  ["a number with a threshold", js("output.length / 10", { threshold: 0.3 }), "four", "to"],
  ["require", js("require('node:path').extname(output) === '.md'"), "a.md", "a.txt"],
  ["code that prints JSON", js("console.log('{\"result\":true}'); return output === 'x'"), "x", "y"],
  [
    "a file that exports its function",
    js("module.exports = (output, { config }) => output.length < config.most;", {
      file: "short.js",
      context: { ...context, config: { most: 4 } },
    }),
    "abc",
    "abcd",
  ],
  [
    "a module's named function",
    js("export const short = async (output) => output.length < 4;", { file: "short.mjs", call: "short" }),
    "abc",
    "abcd",
  ],
  ["Python's expression", py('context["vars"]["word"] in output'), "yes!", "no"],
  [
    "Python's body",
    py("n = len(output)\nif n > 3:\n    return {'pass': True, 'score': 0.75}\nreturn False"),
    "four",
    "one",
  ],
  [
    "Python's file",
    py("def get_assert(output, context):\n    print('{}')\n    return output == context['prompt']", {
      file: "a.py",
    }),
    "Say yes",
    "no",
  ],
])("%s decides", async (_, value, good, bad) => {
  expect(await score(value, good)).toMatch(/^1 /);
  expect(await score(value, bad)).toMatch(/^0 /);
});

boxed("partial credit and reasons reach the feedback", async () => {
  const value = js("return { pass: false, score: 0.25, reason: 'one of four' }");
  expect(await score(value, "x")).toMatch(
    /^0 0\.25 to pass the javascript .* \(score 0\.25: "one of four"\)$/,
  );
  expect(await score(js("true"), "x", { negate: true })).toMatch(/^0 /);
});

boxed.each([
  [js("JSON.parse(output).n > 1"), /it threw "SyntaxError/],
  [js("output.match(/x/)"), /it returned "null" instead of true/],
  [js("process.exit(3)"), /exit code 3/],
  [js("while (true) {}", { seconds: 1 }), /ran out of time/],
  [py("json.loads(output)['n'] > 1"), /it threw "JSONDecodeError/],
])("%j fails on an answer that it can't read, also negated", async (value, why) => {
  expect(await score(value, "plain words")).toMatch(why);
  expect(await score(value, "plain words")).toMatch(/^0 0/);
  expect(await score(value, "plain words", { negate: true })).toMatch(/^0 0/);
});

boxed.each([
  js("return ((", {}),
  js("const { x } = require('./not-here.js');\nmodule.exports = () => true;", { file: "a.js" }),
  js("module.exports = 7;", { file: "a.js" }),
  py("def get_assert(:", { file: "a.py" }),
])("%j is a broken check, not a fail", async (value) => {
  expect(await score(value, "x")).toMatch(/^invalid: .*can't be loaded/);
});

boxed("the code sees neither the network nor this project", async () => {
  const value = js("const fs = require('node:fs');\nreturn !fs.existsSync(context.vars.here)", {
    context: { vars: { here: import.meta.filename } },
  });
  expect(await score(value, "x")).toMatch(/^1 /);
  const server = createServer((_, response) => response.end("seen")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const call = js(
    `return fetch('http://127.0.0.1:${port}').then(() => false, ({ cause }) => ({ pass: true, reason: cause.code }))`,
  );
  expect(await score(call, "x")).toMatch(/^1 .*ECONNREFUSED/);
  server.close();
});

test("without a sandbox nothing of it runs", async () => {
  const task = { id: "1", input: "?", checks: [{ kind: "code", value: js("true") }] };
  expect(await scoreTask(task, said("x"), {})).toMatchObject({
    kind: "invalid",
    reason: expect.stringContaining("runs javascript in a sandbox, and this machine has none"),
  });
});
