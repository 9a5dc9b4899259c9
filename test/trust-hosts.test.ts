import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileFolder, markedPackage } from "./support/hostile-folder.ts";
import { listen, markSync, openDatabase, openPerson, rows } from "./support/open-person.ts";

test("nothing connects to a database or a queue of a project's file before a person allows its host; a typed one is theirs", async () => {
  const [database, other] = [await openDatabase(), await openDatabase()];
  const person = await openPerson(hostileFolder(database.port));
  const address = `postgres://127.0.0.1:${other.port}/x`;
  const typed = ["--journal", address, "--redis", `redis://127.0.0.1:${other.port}`];
  const type = (...args: readonly string[]) => person.whetstone(args, { PGPASSWORD: "prod-db-secret" });
  for (const args of [["runs"], ["plan"], ["doctor", "--no-call"]]) {
    const refused = await type(...args);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
    expect(refused.err).toContain(`sending to 127.0.0.1:${database.port} with PGPASSWORD`);
    expect(refused.err).toContain("allow it with: whetstone trust");
  }
  const named = await type("runs", "--config", "whetstone.config.json");
  expect(named.err).toContain("allow it with: whetstone trust --config whetstone.config.json");
  expect((await type("eval", ...typed.slice(0, 2))).err).toContain(`sending to 127.0.0.1:${database.port}`);
  expect((await type("eval", ...typed)).err).not.toContain("not-consented");
  expect((await type("runs", ...typed.slice(0, 2))).err).not.toContain("not-consented");
  expect(other.heard.join("\n")).toContain("prod-db-secret");
  expect(database.heard).toEqual([]);

  const trusted = await type("trust", "--yes");
  expect(trusted.out).toContain(`127.0.0.1:${database.port} with PGPASSWORD`);
  expect(database.heard).toEqual([]);
  expect((await type("runs")).err).not.toContain("not-consented");
  expect(database.heard.join("\n")).toContain("prod-db-secret");

  other.heard.length = 0;
  await person.write("whetstone.config.json", JSON.stringify({ journal: address }));
  for (const words of ["runs", "plan"])
    expect((await type(words)).err).toContain(`sending to 127.0.0.1:${other.port} with PGPASSWORD`);
  expect(other.heard).toEqual([]);
});

test("what a config in code says of the database is not connected to either", async () => {
  const database = await openDatabase();
  const person = await openPerson({
    "whetstone.config.ts": `export default { journal: "postgres://127.0.0.1:${database.port}/x" };`,
    "SKILL.md": "# Skill\n",
  });
  // it is remembered, and allows nothing
  await person.whetstone(["trust", "--yes"]);
  await person.whetstone(["trust", "--forget"]);
  for (const args of [["plan"], ["runs"]])
    expect((await person.whetstone(args)).err).toContain(`sending to 127.0.0.1:${database.port}`);
  expect(database.heard).toEqual([]);
});

test("a package that only the project has is loaded as a person has allowed it, and no other way", async () => {
  const server = await listen();
  const person = await openPerson({
    "whetstone.config.json": JSON.stringify({
      target: "google/a",
      optimizer: "google/b",
      providers: { google: { baseURL: `http://${server.host}/v1`, apiKeyEnv: "KEY" } },
      spend: { calls: 5 },
    }),
    "SKILL.md": "# Skill\n",
    "tasks.jsonl": rows({ kind: "contains", value: "a" }),
    ...markedPackage("@ai-sdk/google"),
  });
  const work = (...flags: readonly string[]) => person.whetstone(["eval", "--on", "train", ...flags]);
  const refused = await work();
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("error peer-missing") });
  expect(refused.err).toContain("`whetstone trust` allows this project's packages");
  expect(person.ran()).toEqual([]);

  expect((await person.whetstone(["trust", "--yes"])).out).toContain("node_modules/@ai-sdk/google");
  person.ran();
  for (const flags of [[], ["--unattended"]]) {
    // it is loaded, and is not what it says it is
    expect((await work(...flags)).err).toContain("The installed @ai-sdk/google doesn't export");
    expect(person.ran()).toEqual(["@ai-sdk+google"]);
  }
  await person.write("node_modules/@ai-sdk/google/index.js", markSync("changed"));
  for (const flags of [[], ["--unattended"]]) {
    expect((await work(...flags)).err).toContain("@ai-sdk/google/index.js has changed");
    expect(person.ran()).toEqual([]);
  }
});

test("where a config is code, the next step of a reading command works, and finds the journal that the code names", async () => {
  const person = await openPerson({
    "whetstone.config.ts": `export default { journal: "./elsewhere" };`,
    "SKILL.md": "# Skill\n",
  });
  const lost = await person.whetstone(["runs"]);
  expect(lost.code).toBe(2);
  expect(lost.err).toContain("whetstone plan");
  const elsewhere = join(person.dir, "elsewhere");
  const planned = await person.whetstone(["plan"]);
  expect(planned.err.replaceAll(/\s+/g, " ")).toContain(`reading the journal in ${elsewhere}`);
  expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
  expect((await person.whetstone(["runs"])).err).toContain(elsewhere);
});

test("a command that works says once which files it runs, and again when there are others", async () => {
  const person = await openPerson({
    "whetstone.config.ts": `import "./one.ts";\nexport default {};`,
    "one.ts": "export {};",
    "SKILL.md": "# Skill\n",
  });
  const said = async () =>
    /^Running code from this folder: (.*)\.$/m.exec((await person.whetstone(["plan"])).err)?.[1];
  expect(await said()).toBe("one.ts, whetstone.config.ts");
  expect(await said()).toBeUndefined();
  await person.write("one.ts", "export const changed = 1;");
  expect(await said()).toBeUndefined();
  await person.write("one.ts", `import "./two.ts";`);
  await person.write("two.ts", "export {};");
  expect(await said()).toBe("one.ts, two.ts, whetstone.config.ts");
});
