import { lookedAtText } from "../../../test/support/looked.ts";
import { cpSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTree } from "../../../test/support/adopt/workshop.ts";
import { forgeReceipt } from "../../../test/support/forge-receipt.ts";
import { type Said, openServer } from "../../../test/support/mcp-server.ts";
import { hostileFolder, listenAsPostgres } from "../../../test/support/hostile-folder.ts";
import { stageNights } from "../../../test/support/staged-nights.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { instructions, listTools } from "./serve.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { sharedFolder } from "../../config/state-folder.ts";

test("every tool is typed to the last key, and says what it does to files", async () => {
  const { client } = await openServer(await tempDir({}));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "status",
    "plan",
    "train",
    "night",
    "proposals",
    "review",
    "decide",
    "diff",
    "adopt",
  ]);
  for (const { inputSchema, outputSchema } of tools) {
    expect(looseObjects(inputSchema)).toEqual([]);
    expect(looseObjects(outputSchema)).toEqual([]);
  }
  const named = (hint: "readOnlyHint" | "destructiveHint" | "openWorldHint") =>
    tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
  expect(named("readOnlyHint")).toEqual(["status", "plan", "proposals", "review", "diff"]);
  expect(named("destructiveHint")).toEqual(["adopt"]);
  expect(named("openWorldHint")).toEqual(["train", "night"]);
  for (const { description } of tools.filter(({ annotations }) => annotations?.openWorldHint === true))
    expect(description).toContain("SPENDS MONEY");
});

test("what is answered before the server is loaded is what it would answer", async () => {
  const protocols = [...SUPPORTED_PROTOCOL_VERSIONS].toSorted().toReversed();
  const initialize = { protocols, capabilities: { tools: {} }, instructions };
  const table = `${JSON.stringify({ initialize, tools: listTools() }, undefined, 2)}\n`;
  await expect(table).toMatchFileSnapshot("./first-answers.json");
  expect(protocols[0]).toBe(LATEST_PROTOCOL_VERSION);
});

/** Objects of a schema that would let other keys through. */
function looseObjects(schema: unknown): readonly unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const isLoose = "type" in schema && schema.type === "object" && !("additionalProperties" in schema);
  return [...(isLoose ? [schema] : []), ...Object.values(schema).flatMap(looseObjects)];
}

test("a folder without anything says so", async () => {
  const { call } = await openServer(await tempDir({}));
  expect((await call("status")).data).toEqual({ training: false, runs: [], more: 0, nights: null });
  expect((await call("proposals")).data).toEqual({ trainings: [], nights: [] });
  expect((await call("review")).text).toBe("No proposal waits.");
  expect((await call("diff")).text).toMatch(/^error not-found: .*\nnext: /);
  expect((await call("plan")).text).toMatch(/^error not-consented: .*\nnext: .*whetstone trust$/);
});

test("tools that only read write nothing, also where somebody forged an interrupted adoption", async () => {
  const dir = realpathSync(await tempDir({}));
  const { proposal } = await stageNights(dir);
  const memory = join(dir, "AGENTS.md");
  const forged = forgeReceipt(dir, { target: memory, live: memory, journalDir: sharedFolder(dir) });
  await (await sqliteJournal({ dir: sharedFolder(dir) })).close();
  const { client, call } = await openServer(dir, () => true);
  const { tools } = await client.listTools();
  const state = sharedFolder(dir);
  // SQLite puts files of its own beside a journal that is only read
  const written = () =>
    [dir, state].flatMap((root) => [...readTree(root)].filter(([path]) => !/-(?:wal|shm)$/.test(path)));
  const before = written();
  for (const { name } of tools.filter(({ annotations }) => annotations?.readOnlyHint === true))
    for (const given of [{}, { run: proposal.id }, { run: forged }]) await call(name, given);
  // names alone where something differs: a journal's bytes would fill the screen
  const after = written();
  expect(after.map(([path]) => path)).toEqual(before.map(([path]) => path));
  expect(after.filter(([, bytes], at) => before[at]?.[1] !== bytes).map(([path]) => path)).toEqual([]);
  expect((await call("diff", { run: forged })).text).toContain(
    `An adopt of run ${forged} on ${memory} was interrupted. \`whetstone adopt --finish\` finishes it.`,
  );
});

test("a night is reviewed wish by wish, and adopted when the person says so", async () => {
  const dir = await tempDir({});
  const { proposal, rules, memory, original } = await stageNights(dir);
  let says: Said = false;
  const { call, asked } = await openServer(dir, () => says);
  const live = () => readFileSync(memory, "utf8");
  const run = proposal.id;

  const shown = (await call("review", { run })).data?.["rules"] as readonly Record<string, unknown>[];
  expect(shown.find(({ rule }) => rule === rules.stated.id)).toMatchObject({
    said: "You said this 2 times: 1 and 2 October 2026.",
    own: "pnpm test --run first",
    decision: null,
  });

  // one decision after the other: what was taken before stays taken
  await call("decide", { run, rule: rules.proven.id, decision: "accept" });
  await call("decide", { run, rule: rules.stated.id, decision: "own" });
  // no model has looked at a person's own words: they are for a terminal
  expect((await call("adopt", { run })).text).toMatch(/^error unacknowledged: [^]*not-looked-at/);
  await call("decide", { run, rule: rules.stated.id, decision: "drop" });
  const { data } = await call("decide", { run, rule: rules.replacing.id, decision: "drop" });
  expect((data?.["rules"] as typeof shown | undefined)?.map(({ decision }) => decision)).toEqual(
    expect.arrayContaining(["accept", "drop"]),
  );
  expect(asked).toEqual([]);

  // words that would count as the person's are theirs to confirm
  const words = "Run everything.";
  const edited = await call("decide", { run, rule: rules.stated.id, decision: "edit", words });
  expect(edited.text).toMatch(/^error not-confirmed: You didn't confirm it, so nothing was done\.\nnext: /);
  expect(asked.splice(0)).toEqual([expect.stringContaining(words)]);

  expect((await call("adopt", { run })).text).toMatch(/^error not-confirmed: /);
  expect(live()).toBe(original);
  expect(asked.splice(0)).toEqual([expect.stringContaining("+- Name new files in kebab-case")]);
  says = true;
  expect((await call("adopt", { run })).data).toMatchObject({ run, outcome: "adopted", file: "CLAUDE.md" });
  expect(live()).toContain("- Name new files in kebab-case, never in camelCase.");
  expect((await call("adopt", { run })).data).toMatchObject({ outcome: "already-adopted", undo: null });
});

test("what a terminal asks more for is refused before the person is asked", async () => {
  const dir = await tempDir({});
  const { proposal, rules, memory, original } = await stageNights(dir);
  const { call, asked } = await openServer(dir, () => true);
  const run = proposal.id;
  // its command ends in `| sh`
  await call("decide", { run, rule: rules.stated.id, decision: "accept" });
  expect((await call("adopt", { run })).text).toMatch(/^error unacknowledged: [^]*\nnext: .*--acknowledge/);
  await call("decide", { run, rule: rules.stated.id, decision: "drop" });
  await call("decide", { run, rule: rules.promising.id, decision: "accept" });
  expect((await call("adopt", { run })).text).toMatch(/^error unproven: .*\nnext: .*--unproven/);
  expect(asked).toEqual([]);
  expect(readFileSync(memory, "utf8")).toBe(original);
});

test("a change that a form would not show whole is not asked about", async () => {
  const dir = await tempDir({});
  const { proposal, rules, memory, original, journalDir } = await stageNights(dir);
  const { call, asked } = await openServer(dir, () => true);
  const run = proposal.id;
  for (const [words, { id: rule }] of [
    ["Say it once. ", rules.stated],
    ["Say it short. ", rules.promising],
  ] as const)
    await call("decide", { run, rule, decision: "edit", words: words.repeat(280) });
  expect(asked.splice(0)).toHaveLength(2);
  // as if a model had looked at these words
  const path = join(journalDir, "proposals", run, "proposal.json");
  const looked = ["Say it once. ", "Say it short. "].map((words) => lookedAtText(words.repeat(280)));
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), looked }));
  const { text } = await call("adopt", { run });
  expect(text).toMatch(
    /^error not-confirmed: This is too long for a form \(\d+ characters, at most 6000 fit\)/,
  );
  expect(text).toContain(`they can type: whetstone diff ${run}, then whetstone adopt ${run}`);
  expect([asked, readFileSync(memory, "utf8")]).toEqual([[], original]);
});

test("a file outside of the project is not this server's", async () => {
  const dir = await tempDir({});
  const { proposal, rules, memory, original } = await stageNights(dir);
  const other = await tempDir({});
  cpSync(sharedFolder(dir), sharedFolder(other), { recursive: true });
  const { call, asked } = await openServer(other, () => true);
  await call("decide", { run: proposal.id, rule: rules.proven.id, decision: "accept" });
  const { text } = await call("adopt", { run: proposal.id });
  expect(text).toMatch(/^error not-allowed: .*CLAUDE\.md isn't in this project\.\nnext: /);
  expect([asked, readFileSync(memory, "utf8")]).toEqual([[], original]);
});

test("a tool that reads connects to no database that the folder's config names, unless a person has allowed it", async () => {
  const database = await listenAsPostgres();
  onTestFinished(database.close);
  const { call } = await openServer(await tempDir(hostileFolder(database.port)));
  for (const [name, given] of [
    ["status", {}],
    ["proposals", {}],
    ["diff", {}],
  ] as const)
    expect((await call(name, given)).text).toContain(
      `not-consented: You haven't allowed this: sending to 127.0.0.1:${database.port}`,
    );
  expect(database.heard).toEqual([]);
});
