import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { learnableWorld } from "../../../test/support/learnable-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../test/support/type-whetstone.ts";
import { startScriptedServer } from "../../testing/scripted-server/start-scripted-server.ts";
import { type PostgresServer, startPostgres } from "../../../test/support/start-postgres.ts";
import { sharedFolder } from "../../config/state-folder.ts";

let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database.end());

test("two machines with one journal in PostgreSQL: the second buys nothing and writes the same artifacts as a folder's journal", async () => {
  const url = database.createDatabase();
  const world = learnableWorld(2);
  const server = await startScriptedServer({ seed: 2, world });
  onTestFinished(() => server.close());
  const splits = world.splits({ train: 8, val: 8, test: 8 });
  const project = () =>
    tempDir({
      "SKILL.md": world.seedSkill(1),
      ...Object.fromEntries(
        Object.entries(splits).map(([name, tasks]) => [`tasks/${name}.json`, JSON.stringify(tasks)]),
      ),
      "whetstone.config.json": JSON.stringify({
        target: "office/target",
        optimizer: "office/optimizer",
        baseURL: `${server.url}/v1`,
        spend: { calls: 2000 },
        gate: "strict",
        epochs: 1,
        batchSize: 8,
      }),
    });
  const [alone, first, second] = [await project(), await project(), await project()];

  await whetstone(alone, ["train"]);
  await whetstone(first, ["train", "--journal", url]);
  expect(existsSync(join(sharedFolder(first), "journal.db"))).toBe(false);
  expect(statSync(sharedFolder(first)).mode & 0o777).toBe(0o700);
  const calls = server.callCount;
  await whetstone(second, ["train", "--journal", url]);
  expect(server.callCount).toBe(calls);

  const artifacts = readArtifacts(alone);
  expect(artifacts.size).toBeGreaterThan(10);
  expect(readArtifacts(first)).toEqual(artifacts);
  expect(readArtifacts(second)).toEqual(artifacts);

  const [run] = (await whetstone(first, ["runs", "--json", "--journal", url])).trim().split("\n");
  expect(JSON.parse(run ?? "")).toMatchObject({ status: "done" });
  expect(await whetstone(first, ["report", "--format", "json", "--journal", url])).toContain("overview");
  expect(await whetstone(first, ["doctor", "--no-call", "--journal", url]).catch(String)).toContain(
    "1 run in PostgreSQL",
  );

  const withPassword = url.replace("whetstone@", "whetstone:hush-hush@");
  const check = () => whetstone(first, ["journal", "check", "--journal", withPassword]);
  expect(await check()).toMatch(/^sound {2}\d+ rows: \d+ results, \d+ events in postgres:\/\/whetstone@127/);
  await expect(
    whetstone(first, ["journal", "salvage", "--to", join(first, "new"), "--journal", url]),
  ).rejects.toMatchObject({ code: 2, err: expect.stringContaining("pg_dump") });
  const { run: id } = JSON.parse(run ?? "") as { run: string };
  // kept are where tasks have been, the read of the test tasks, what made the skill, and the last row of all
  await whetstone(first, ["runs", "rm", id, "--journal", url]);
  expect(await whetstone(first, ["runs", "gc", "--journal", url])).toMatch(
    /^Deleted \d+ rows \(\d+ results\), kept 4; \d+\.\d MB free for new rows\.\n$/,
  );
  expect(await whetstone(first, ["runs", "--journal", url])).toContain("No runs yet");
  // what was dropped is bought again, and the same run comes of it
  await whetstone(second, ["train", "--journal", url]);
  expect(server.callCount).toBe(1.5 * calls);
  expect(readArtifacts(second)).toEqual(artifacts);

  database.sql(
    url,
    "UPDATE whetstone.results SET body = '{}' WHERE seq = (SELECT min(seq) FROM whetstone.results)",
  );
  await expect(check()).rejects.toMatchObject({
    out: expect.stringMatching(/^damaged {2}Row \d+ is changed \(checksum mismatch\)\.\n$/),
    err: expect.stringMatching(/postgres:\/\/whetstone@127.*backup/s),
  });
  expect(String(await check().catch(({ err }) => err))).not.toContain("hush");
});

async function whetstone(dir: string, args: readonly string[]): Promise<string> {
  const ended = await typeWhetstone(dir, args);
  if (ended.code !== 0) throw Object.assign(new Error(ended.err), ended);
  return ended.out;
}

/** Without those that hold instants and places. */
function readArtifacts(dir: string): Map<string, string> {
  const runs = join(dir, ".whetstone", "runs");
  const files = readdirSync(runs, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !["timing.json", "report.html", "report.json"].includes(entry.name),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(runs.length), readFileSync(path, "utf8")];
    }),
  );
}
