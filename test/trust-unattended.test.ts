import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashText } from "../src/core/canonical.ts";
import { listen, mark, markSync, openPerson, rows } from "./support/open-person.ts";

/** Everything that can be loaded, each in a file of its own. */
const loaded = {
  "whetstone.config.ts": `import { helper } from "./helper.ts";
import "package";
export default { ...helper, extends: "./base.json", environment: "./environment.ts", spend: { calls: 5 } };`,
  "base.json": JSON.stringify({ optimizer: "own/optimizer", target: "own/target" }),
  "helper.ts": `export const helper = { providers: { own: { baseURL: "http://HOST/v1", apiKeyEnv: "KEY" } } };`,
  "node_modules/package/package.json": JSON.stringify({ name: "package", main: "index.js" }),
  "node_modules/package/index.js": `module.exports = require("./inner.cjs");`,
  "node_modules/package/inner.cjs": "",
  // Node cannot run an enum: jiti does
  "environment.ts": `import { Kind } from "./kind";
export default () => ({ score: Kind.good });`,
  "kind.ts": "export enum Kind { good = 1 }",
  "scorer.ts": "export const score = () => 1;",
  "SKILL.md": "# Skill\n",
  "tasks.jsonl": rows({ kind: "custom", value: "./scorer.ts#score" }),
} as const;

const imported = (name: string): string =>
  `import { writeFileSync } from "node:fs"; writeFileSync(process.env.MARKS + "/${name}", "");`;

/** What is put before the text of each of them. */
const changes: Readonly<Record<string, (name: string) => string>> = {
  "scorer.ts": mark,
  "kind.ts": imported,
  "environment.ts": imported,
  "node_modules/package/inner.cjs": markSync,
  "node_modules/package/index.js": markSync,
  "helper.ts": mark,
  "whetstone.config.ts": mark,
};

test("unattended, a change of any file of code stops it before one line of that file runs, until a person allows it", async () => {
  const server = await listen();
  const files = { ...loaded, "helper.ts": loaded["helper.ts"].replace("HOST", server.host) };
  const person = await openPerson(files);
  const unattended = () => person.whetstone(["eval", "--on", "train", "--unattended"]);

  const first = await unattended();
  expect(first).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
  // a project cannot consent for its reader
  const planted = {
    v: 1,
    project: person.dir,
    journals: {},
    told: [],
    trust: { at: 1, files: {}, sends: {} },
  };
  const name = `${hashText(person.dir).slice(0, 32)}.json`;
  for (const folder of [
    ".whetstone",
    ".whetstone/trust",
    ".local/state/whetstone/projects",
    "whetstone/projects",
  ])
    await person.write(`${folder}/${name}`, JSON.stringify(planted));
  expect((await unattended()).err).toContain("not-consented");
  const inside = await person.whetstone(["eval", "--unattended"], { XDG_STATE_HOME: person.dir });
  expect(inside.err).toContain("not-consented");
  expect(server.heard).toEqual([]);

  expect(await person.whetstone(["trust"])).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  const trusted = await person.whetstone(["trust", "--yes"]);
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.out).toContain(`${server.host} with KEY`);
  for (const file of Object.keys(changes))
    expect(trusted.out).toContain(file.startsWith("node_modules") ? "node_modules/package" : file);
  expect((await unattended()).err).not.toContain("not-consented");

  // each alone, then all of them allowed
  for (const [at, [file, change]] of Object.entries(changes).entries()) {
    server.heard.length = 0;
    await person.write(file, `${change(`change-${at}`)}\n${files[file as keyof typeof files]}`);
    const refused = await unattended();
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${join(person.dir, file)} has changed`),
    });
    expect(refused.err).toContain("allow it with: whetstone trust");
    expect({ file, ran: person.ran(), heard: server.heard }).toEqual({ file, ran: [], heard: [] });
    await person.write(file, files[file as keyof typeof files]);
    person.ran();
  }
  for (const [at, [file, change]] of Object.entries(changes).entries())
    await person.write(file, `${change(`change-${at}`)}\n${files[file as keyof typeof files]}`);
  expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
  person.ran();
  expect((await unattended()).err).not.toContain("not-consented");
  expect(person.ran()).toEqual(Object.keys(changes).map((_, at) => `change-${at}`));

  // code that catches the refusal of a new file does not go on without it
  await person.write("helper.ts", `try { await import("./late.ts") } catch {}\n${files["helper.ts"]}`);
  await person.whetstone(["trust", "--yes"]);
  person.ran();
  await person.write("late.ts", mark("late"));
  expect((await unattended()).err).toContain("late.ts is new");
  expect(person.ran()).not.toContain("late");

  await person.whetstone(["trust", "--forget"]);
  expect((await unattended()).err).toContain("not-consented");
});

test("unattended, a program that became a link and commands of checks that nothing holds need a person again", async () => {
  const tasks = (run: string) =>
    "abcdefgh"
      .split("")
      .map((id) => JSON.stringify({ id, input: id, checks: [{ kind: "command", value: { run } }] }))
      .join("\n");
  const config = {
    target: "mine/openai/m",
    agents: { mine: { run: ["./agent.sh"], baseURL: "http://127.0.0.1:9/v1" } },
    skill: "SKILL.md",
    tasks: "tasks.jsonl",
    sandbox: "none",
  };
  const person = await openPerson({
    "SKILL.md": "Do it.",
    "agent.sh": "#!/bin/sh\n",
    "tasks.jsonl": tasks("true"),
    "whetstone.config.json": JSON.stringify(config),
  });
  const unattended = () =>
    person.whetstone(["plan", "--unattended"], { OPENAI_API_KEY: "k" }).then(({ err }) => err);
  expect((await person.whetstone(["trust", "--yes"], { OPENAI_API_KEY: "k" })).code).toBe(0);
  expect(await unattended()).not.toContain("not-consented");
  await person.write("tasks.jsonl", tasks("touch owned"));
  expect(await unattended()).toContain("commands of checks has changed");
  await person.write("tasks.jsonl", tasks("true"));
  rmSync(join(person.dir, "agent.sh"));
  symlinkSync("/bin/cat", join(person.dir, "agent.sh"));
  expect(await unattended()).toContain("agent.sh has changed");
});
