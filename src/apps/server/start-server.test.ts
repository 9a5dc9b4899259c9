import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Proposals, OfferReport, RunOverview, RunReport } from "../../report/model.ts";
import { noCost } from "../../core/cost.ts";
import { type Trained, train } from "../../run/verbs/train.ts";
import { startScriptedServer } from "../../testing/scripted-server/start-scripted-server.ts";
import { liveStart, openLiveRun } from "../../../test/support/live-run.ts";
import { type LocalServer, type ServerOptions, startServer } from "./start-server.ts";
import { learnableWorld } from "../../../test/support/learnable-world.ts";
import { foundRules } from "../../../test/support/measured-rules.ts";
import { compose } from "../../core/rules/compose.ts";
import { mainText, singleFileSkill } from "../../core/skill/skill.ts";
import { lookedAt } from "../../../test/support/looked.ts";
import { proposalArtifacts } from "../../run/offer/proposal.ts";

const page = "<!doctype html><title>Whetstone</title><script>go()</script>";

async function serving(journalDir: string, options: Partial<ServerOptions> = {}): Promise<LocalServer> {
  const server = await startServer({ journalDir, page, ...options });
  onTestFinished(() => server.close());
  return server;
}

function ask({ port, token }: LocalServer, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
}

const post = (server: LocalServer, path: string, body: object): Promise<Response> =>
  ask(server, path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

const liveRun = async (dir: string, run: string) =>
  openLiveRun(await sqliteJournal({ dir }), { run, folder: join(dir, "runs", run), steps: 2 });

test("the page comes with a policy for its own script, and a wrong token gets none", async () => {
  const server = await serving(await tempDir());
  const opened = await fetch(server.url);
  expect([opened.status, await opened.text()]).toEqual([200, page]);
  expect(opened.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/]+=+'; .*frame-ancestors 'none'$/,
  );
  expect(Object.fromEntries(opened.headers)).toMatchObject({
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect((await fetch(`${server.url}x`)).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
});

test("data needs the token in the Authorization header", async () => {
  const server = await serving(await tempDir());
  const root = `http://127.0.0.1:${server.port}/api/runs`;
  for (const init of [
    {},
    { headers: { authorization: "Bearer x" } },
    { headers: { cookie: `token=${server.token}` } },
  ])
    expect((await fetch(`${root}?token=${server.token}`, init)).status).toBe(401);
  const missing = await ask(server, "/api/runs/none");
  expect([missing.status, await missing.json()]).toEqual([
    404,
    { code: "not-found", message: expect.stringContaining("No journal found"), hint: expect.any(String) },
  ]);
});

test("before the first run there is no journal: the lists are empty, and fill by themselves", async () => {
  const dir = await tempDir();
  const server = await serving(dir);
  const runs = async () => (await ask(server, "/api/runs")).json();
  expect(await runs()).toEqual([]);
  expect(await (await ask(server, "/api/proposals")).json()).toEqual({ nights: [], runs: [], helped: [] });
  await liveRun(dir, "live1");
  expect(await runs()).toMatchObject([{ id: "live1" }]);
});

test("a request under a foreign name is refused before anything is looked at", async () => {
  const server = await serving(await tempDir());
  const headers = { host: "evil.example", authorization: `Bearer ${server.token}` };
  const sent = request({ port: server.port, path: "/api/runs", headers }).end();
  const [response] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(421);
});

test("a run that another process goes on with is read up to its last event, also after it was started again", async () => {
  const dir = await tempDir();
  const { emit } = await liveRun(dir, "live1");
  const server = await serving(dir);
  const read = async () => ((await (await ask(server, "/api/runs/live1")).json()) as RunReport).overview;
  await emit("step-start", { step: 1, epoch: 1, steps: 2, budget: 4 });
  expect(await read()).toMatchObject({ status: "running", step: 1 });
  await emit("run-end", { status: "stopped", code: "interrupted", message: "Stopped.", cost: noCost });
  expect(await read()).toMatchObject({ status: "stopped", code: "interrupted" });
  await emit("run-start", liveStart(dir));
  await emit("step-start", { step: 2, epoch: 1, steps: 2, budget: 4 });
  expect(await read()).toMatchObject({ status: "running", step: 2 });
});

test("a taken port is said in a sentence", async () => {
  const dir = await tempDir();
  const { port } = await serving(dir);
  await expect(startServer({ journalDir: dir, page, port })).rejects.toMatchObject({
    code: "usage",
    message: `Port ${port} is in use.`,
  });
});

/** A real training, with a skill on disk that it makes better. */
async function trainOnce(dir: string): Promise<Trained> {
  const world = learnableWorld(2);
  await using models = await startScriptedServer({ seed: 2, world, record: false });
  writeFileSync(join(dir, "SKILL.md"), world.seedSkill(1));
  return await train({
    skill: join(dir, "SKILL.md"),
    tasks: world.splits({ train: 12, val: 10, test: 10 }),
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${models.url}/v1`,
    spend: { calls: 2000 },
    epochs: 1,
    batchSize: 12,
    gate: "strict",
    baselines: false,
    slowUpdate: false,
    metaSkill: false,
    trials: 1,
    seed: 2,
    journal: join(dir, ".whetstone"),
  });
}

test("a finished run is listed, read, adopted once with the exact bytes, and undone", async () => {
  const dir = await tempDir();
  const { id, best } = await trainOnce(dir);
  const server = await serving(join(dir, ".whetstone"));
  const live = () => readFileSync(join(dir, "SKILL.md"), "utf8");
  const original = live();
  const path = `/api/runs/${id}`;

  const runs = (await (await ask(server, "/api/runs")).json()) as readonly RunOverview[];
  expect(runs.map((run) => [run.id, run.status])).toEqual([[id, "done"]]);
  const waiting = async () => ((await (await ask(server, "/api/proposals")).json()) as Proposals).runs;
  expect((await waiting()).map((run) => run.id)).toEqual([id]);
  // several at a time, as a page asks
  const [report, step] = await Promise.all([
    ask(server, path),
    ask(server, `${path}/steps/1`),
    ask(server, path),
  ]);
  const { evaluations, proposal } = (await report.json()) as RunReport;
  expect(proposal?.state).toBe("ready");
  expect(await step.json()).toMatchObject({ step: 1 });
  const ref = encodeURIComponent(`${evaluations[0]?.name}#0`);
  expect(await (await ask(server, `${path}/rollouts?ref=${ref}`)).json()).toMatchObject({
    conversation: expect.any(Array),
  });
  for (const missing of [
    `/api/runs/${id.slice(1)}`,
    `${path}/steps/99`,
    `${path}/rollouts?ref=none%230`,
    `${path}/rollouts`,
  ])
    expect([missing, (await ask(server, missing)).status]).toEqual([missing, 404]);

  const offer = `/api/proposals/${id}`;
  const { change } = (await (await ask(server, offer)).json()) as OfferReport;
  const shown = change?.kind === "ready" ? change.shown : undefined;
  const early = await post(server, `${offer}/undo`, {});
  expect([early.status, await early.json()]).toMatchObject([404, { code: "not-found" }]);
  expect((await post(server, `${offer}/adopt`, { unproven: "yes" })).status).toBe(400);
  writeFileSync(join(dir, "SKILL.md"), `${original}edited by hand\n`);
  const changed = await post(server, `${offer}/adopt`, { unproven: true, shown });
  expect([changed.status, await changed.json()]).toMatchObject([
    409,
    { code: "live-changed", hint: expect.any(String) },
  ]);
  writeFileSync(join(dir, "SKILL.md"), original);

  const adopted = await post(server, `${offer}/adopt`, { unproven: true, shown });
  expect([adopted.status, ((await adopted.json()) as string[])[0]]).toEqual([
    200,
    expect.stringContaining(`Adopted run ${id}`),
  ]);
  expect([live(), await waiting()]).toEqual([best.text, []]);
  const again = await post(server, `${offer}/adopt`, { unproven: true, shown });
  expect(await again.json()).toEqual([expect.stringContaining("already has what you adopted")]);
  expect(((await (await ask(server, path)).json()) as RunReport).proposal?.state).toBe("adopted");
  const undone = await post(server, `${offer}/undo`, {});
  expect([undone.status, live()]).toEqual([200, original]);
});

test("a part of the rules is shown as it would be written, and adopted with these bytes alone", async () => {
  const dir = await tempDir();
  const { id, folder } = await trainOnce(dir);
  const original = singleFileSkill(readFileSync(join(dir, "SKILL.md"), "utf8"));
  const isKept = (number: number) => number === 1 || number === 9;
  const best = compose(
    original,
    foundRules.kept.filter(({ number }) => isKept(number)),
  ).skill;
  const sealed = { verdict: "better", sentence: "Better." } as const;
  const rules = foundRules.offered.filter((rule) => isKept(Number(rule.id)));
  const offer = proposalArtifacts({ run: id, original, best, sealed, rules, looked: lookedAt(best) });
  writeFileSync(join(folder, "proposal.json"), offer["proposal.json"]);
  writeFileSync(join(folder, "best_skill.md"), mainText(best));
  const server = await serving(join(dir, ".whetstone"));
  const path = `/api/proposals/${id}`;
  const read = async () => (await (await ask(server, path)).json()) as OfferReport;
  const shownOf = ({ change }: OfferReport) => (change?.kind === "ready" ? change : undefined);
  const whole = shownOf(await read());
  expect(whole?.rules.map((rule) => rule.id)).toEqual(["1", "9"]);
  expect((await post(server, `${path}/decide`, { decisions: { 99: { deed: "drop" } } })).status).toBe(404);

  const decisions = { 1: { deed: "drop" } };
  const decided = await post(server, `${path}/decide`, { decisions });
  const part = shownOf((await decided.json()) as OfferReport);
  expect(part).toMatchObject({ isPart: true, rules: [{ id: "9" }] });
  expect(part?.sentence).toContain("not tested by itself");
  const stale = await post(server, `${path}/adopt`, { shown: whole?.shown });
  expect([stale.status, await stale.json()]).toMatchObject([409, { code: "live-changed" }]);
  expect((await post(server, `${path}/adopt`, { shown: part?.shown })).status).toBe(200);
  expect(readFileSync(join(dir, "SKILL.md"), "utf8")).toBe(part?.files[0]?.after);
  const { review, change } = await read();
  expect([review.state, change?.kind]).toEqual(["adopted", "written"]);
  expect(review.rules.map(({ receipt }) => receipt !== undefined)).toEqual([false, true]);
});
