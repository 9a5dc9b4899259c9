import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Config } from "../../config/schema.ts";
import type { RunEvent } from "../../core/events.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { makeSleepProject, remembered } from "../../../test/support/commit-project.ts";
import { servedWorld } from "../../../test/support/commit-world.ts";
import { lookAhead } from "./look-ahead.ts";
import { planAhead } from "./plan-night.ts";
import { performNight } from "./perform-night.ts";

async function openShop(conversations: number) {
  const server = await startScriptedServer({ seed: 1, world: servedWorld({ seed: 1 }) });
  onTestFinished(() => server.close());
  const project = await makeSleepProject({
    folder: await tempDir(),
    conversations,
    config: {
      target: "scripted/small",
      optimizer: "scripted/large",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: { "scripted/small": { input: 0.2, output: 1 }, "scripted/large": { input: 2, output: 10 } },
    },
  });
  const { path: cwd, home } = project;
  const night = async (more: Config = {}) => {
    const events: RunEvent[] = [];
    const ended = await performNight({
      config: { ...project.config, ...more },
      cwd,
      home,
      env: {},
      onEvent: (event) => events.push(event),
    }).catch((error: unknown) => error);
    return { ended, events, plan: events.find((event) => event.type === "plan") };
  };
  const ahead = async (more: Config = {}) =>
    planAhead(await lookAhead({ config: { ...project.config, ...more }, cwd, home, env: {} }), cwd);
  return { server, project, night, ahead };
}

test("fault 28: what a night will take is told before its first call, mining included, and holds here", async () => {
  const { night } = await openShop(12);
  const { ended, events, plan } = await night();
  const order = events.map(({ type }) => type);
  expect(order.indexOf("plan")).toBeLessThan(order.indexOf("try-start"));
  expect(plan).toMatchObject({ message: expect.stringMatching(/^12 conversations, about \d+ tasks: /) });
  if (plan?.type !== "plan") return;
  expect(plan.calls.low).toBeGreaterThan(12);
  for (const { low, high } of [plan.calls, plan.nanoUsd]) expect(high / low).toBeLessThanOrEqual(6);
  const { spent } = ended as { spent: { calls: number } };
  expect(spent.calls).toBeGreaterThanOrEqual(plan.calls.low);
  expect(spent.calls).toBeLessThanOrEqual(plan.calls.high);
});

test("fault 28: a cap below the estimate is said to be too small before the first call, and holds", async () => {
  const { night, project, server } = await openShop(12);
  const { ended, plan } = await night({ spend: { calls: 4 } });
  expect(plan).toMatchObject({ message: expect.stringContaining("The cap of 4 calls is lower than that") });
  expect(ended).toMatchObject({ code: "spend-cap", exitCode: 4 });
  expect(server.callCount).toBeLessThanOrEqual(4);
  expect(remembered(project)).toMatchObject({ state: undefined, proposals: [] });
  expect((await night()).plan).not.toMatchObject({ message: expect.stringContaining("is lower than that") });
});

test("a look ahead says what the night will say, calls nobody and says why it cannot where a model is wrong", async () => {
  const { night, ahead, server } = await openShop(4);
  const told = await ahead();
  expect(await ahead({ target: "acme/unknown" })).toMatch(/^Its cost can't be estimated: .*acme/);
  expect(server.callCount).toBe(0);
  const { plan } = await night();
  expect(told).toMatchObject({ message: (plan as { message: string }).message });
  expect(await ahead()).toBe("No calls would be made.");
});

test("later estimates rest on what earlier nights took", async () => {
  const { night, project } = await openShop(6);
  await night();
  project.talk(6, 12);
  const { ended, plan } = await night();
  expect(plan).toMatchObject({ message: expect.stringContaining("based on the last night") });
  if (plan?.type !== "plan") return;
  for (const { low, high } of [plan.calls, plan.nanoUsd]) expect(high / low).toBeLessThanOrEqual(6);
  const { spent } = ended as { spent: { calls: number } };
  expect(spent.calls).toBeGreaterThanOrEqual(plan.calls.low);
  expect(spent.calls).toBeLessThanOrEqual(plan.calls.high);
});

test("after a night that asked nobody but the miner, calls are told as closely as on any later night", async () => {
  const { night, project } = await openShop(1);
  await night();
  project.talk(1, 9);
  const { plan } = await night();
  if (plan?.type !== "plan") throw new Error("no estimate");
  expect(plan.calls.high / plan.calls.low).toBeLessThanOrEqual(3);
});

test("a history that is too dear for its cap is read over several nights, the newest first, and every night ends", async () => {
  const { night, project } = await openShop(12);
  const read: number[] = [];
  for (let nights = 0; nights < 12 && read.reduce((sum, one) => sum + one, 0) < 12; nights += 1) {
    const { ended } = await night({ spend: { calls: 80 } });
    expect(ended).toMatchObject({ spent: { calls: expect.any(Number) } });
    const { conversations, spent, notes } = ended as {
      conversations: number;
      spent: { calls: number };
      notes: readonly string[];
    };
    expect(spent.calls).toBeLessThanOrEqual(80);
    read.push(conversations);
    const left = 12 - read.reduce((sum, one) => sum + one, 0);
    if (left > 0) expect(notes.join(" ")).toContain(`${left} unread conversation`);
  }
  expect(read.length).toBeGreaterThan(1);
  expect(read.reduce((sum, one) => sum + one, 0)).toBe(12);
  const seen = remembered(project).state?.archive.map(({ firstSeen }) => firstSeen) ?? [];
  expect(new Set(seen).size).toBeGreaterThan(1);
});

test("what a lookback passes over is counted, and a longer one takes it", async () => {
  const { ahead, night } = await openShop(12);
  const told = async (lookback: string) => {
    const { ended } = await night({ sleep: { lookback } });
    return ended as { conversations: number; notes: readonly string[] };
  };
  // the conversations end an hour apart, the last of them nine hours ago
  const first = await told("12h");
  expect(first.conversations).toBeLessThan(12);
  expect(first.notes.join(" ")).toContain(
    `${12 - first.conversations} unread conversations are older than 12h: \`--lookback all\` reads them too.`,
  );
  expect((await told("all")).conversations).toBe(12 - first.conversations);
  expect(await ahead()).toBe("No calls would be made.");
});
