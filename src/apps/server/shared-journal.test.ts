import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { postgresJournal } from "../../adapters/journals/postgres/postgres.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { noCost } from "../../core/cost.ts";
import type { RunOverview, RunReport } from "../../report/model.ts";
import { type PostgresServer, startPostgres } from "../../../test/support/start-postgres.ts";
import { openLiveRun } from "../../../test/support/live-run.ts";
import { startServer } from "./start-server.ts";

let database: PostgresServer;
beforeAll(async () => {
  database = await startPostgres();
});
afterAll(() => database.end());

const secret = "hush-hush";

test("a run of another machine is listed and read as the database tells of it, and the password stays inside", async () => {
  const { url, emit } = await liveRun("live1");
  const errors: unknown[] = [];
  const server = await startServer({
    journalDir: await tempDir(),
    journalUrl: url,
    page: "<!doctype html>",
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => server.close());
  const seen: string[] = [];
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    return response;
  };
  const read = async <T>(path: string): Promise<T> => {
    const text = await (await ask(path)).text();
    seen.push(text);
    return JSON.parse(text) as T;
  };
  expect(await read<RunOverview[]>("/api/runs")).toMatchObject([{ id: "live1", status: "running" }]);
  expect(await read<RunReport>("/api/runs/live1")).toMatchObject({ overview: { status: "running" } });
  await read("/api/runs/none");

  for (let step = 1; step <= 3; step += 1) {
    await emit("step-start", { step, epoch: 1, steps: 5, budget: 4 });
    expect(await read<RunReport>("/api/runs/live1")).toMatchObject({ overview: { step } });
  }

  await database.stop();
  await database.start();
  await emit("run-end", { status: "stopped", code: "interrupted", message: "Stopped.", cost: noCost });
  expect(await read<RunReport>("/api/runs/live1")).toMatchObject({ overview: { status: "stopped" } });

  database.sql(url, "DROP TABLE whetstone.log");
  expect(await read("/api/runs")).toMatchObject({ code: "journal-damaged" });
  await database.stop();
  await server.close();
  await database.start();
  expect(seen.join("\n")).not.toContain(secret);
  expect(errors.map(String).join("\n")).not.toContain(secret);
});

test("`whetstone ui` takes the address that was allowed from the config, shows it nowhere, and ends with Ctrl-C", async () => {
  const { url } = await liveRun("live2");
  const dir = await tempDir({ "whetstone.config.json": JSON.stringify({ journal: url }) });
  const refused = await startUi(dir, ["live2"]).ended;
  expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining("not-consented") });
  expect(refused.errors).not.toContain(secret);
  await promisify(execFile)(process.execPath, [main, "trust", "--yes"], { cwd: dir, env: envOf(dir) });
  const ui = startUi(dir, ["live2"]);
  const address = new URL(await ui.address);
  expect(address.hash).toBe("#/run/live2");
  const response = await fetch(`${address.origin}/api/runs`, {
    headers: { authorization: `Bearer ${address.searchParams.get("token")}` },
  });
  expect(await response.json()).toMatchObject([{ id: "live2" }]);
  ui.child.kill("SIGINT");
  const { printed, errors } = await ui.ended;
  expect(errors).toBe("");
  expect(printed).not.toContain(secret);
});

test.each([
  ["a database that is not there", (url: string) => url.replace(/\w+$/, "nowhere")],
  ["a host that is not there", (url: string) => url.replace(/:\d+\//, ":9/")],
  ["an address with an unescaped password", (url: string) => url.replace(secret, `12/${secret}`)],
])("%s is told without the password", async (_, change) => {
  const { url } = await liveRun("live3");
  const ui = startUi(await tempDir(), ["--journal", change(url)]);
  const { printed, errors, code } = await ui.ended;
  expect(code).not.toBe(0);
  expect(errors).toMatch(/journal|database/);
  expect(`${printed}${errors}`).not.toContain(secret);
});

/** A training on another machine. */
async function liveRun(run: string) {
  const url = database.createDatabase().replace("whetstone@", `whetstone:${secret}@`);
  const journal = await postgresJournal({ url });
  return { url, ...(await openLiveRun(journal, { run, folder: "/elsewhere/runs/live", steps: 5 })) };
}

const main = fileURLToPath(new URL("../../../test/support/person-cli.ts", import.meta.url));

const envOf = (home: string) => ({ PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" });

function startUi(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [main, "ui", "--no-open", ...args], { cwd, env: envOf(cwd) });
  let [printed, errors] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const address = new Promise<string>((resolve, reject) => {
    child.once("close", () => reject(new Error(`It ended: ${errors}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /^(http:\S+)\n/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  // nobody waits for it where it is meant to end
  address.catch(() => undefined);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, printed, errors }));
  return { child, address, ended };
}
