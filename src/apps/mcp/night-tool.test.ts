import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeSleepProject, memoryBefore } from "../../../test/support/commit-project.ts";
import { servedWorld } from "../../../test/support/commit-world.ts";
import { type Said, openServer } from "../../../test/support/mcp-server.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Config } from "../../config/schema.ts";
import { findDestinations } from "../../config/trust/find-destinations.ts";
import { hashBytes } from "../../core/canonical.ts";
import { projectMemory } from "../../run/trust/memory.ts";
import { startScriptedServer } from "../../testing/index.ts";

/** A project that was opted in and trusted, in a home of its own, with its conversations. */
async function openShop(conversations: number) {
  const server = await startScriptedServer({ seed: 1, world: servedWorld({ seed: 1 }) });
  onTestFinished(() => server.close());
  const { path, home, config } = await makeSleepProject({
    folder: await tempDir(),
    conversations,
    config: {
      target: "scripted/small",
      optimizer: "scripted/large",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: { "scripted/small": { input: 0.2, output: 1 }, "scripted/large": { input: 2, output: 10 } },
    },
  });
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  await trust(path, config);
  return { server, path };
}

/** As after `whetstone trust`. */
async function trust(path: string, config: Config): Promise<void> {
  const file = join(realpathSync(path), "whetstone.config.json");
  const sends = Object.entries(findDestinations(config, {})).map(([host, names]) => [host, [...names]]);
  const files = { [file]: hashBytes(readFileSync(file)) };
  await projectMemory(path).write({ trust: { at: Date.now(), files, sends: Object.fromEntries(sends) } });
}

const cap = { usd: 5 };

test("a night is asked about with its price, runs under its cap, and its rules wait for review", async () => {
  const { server, path } = await openShop(12);
  let says: Said = "decline";
  const { call, asked } = await openServer(path, () => says);
  expect((await call("night")).text).toMatch(/^error usage: [^]*cap\.usd/);
  expect((await call("night", { cap })).text).toMatch(/^error not-confirmed: /);
  expect(asked.splice(0).join()).toMatch(
    /^Run a night over 12 conversations: \$[^]*It stops at 5 usd\. None of your files changes\.$/,
  );
  expect(server.callCount).toBe(0);

  says = true;
  const { data, text } = await call("night", { cap });
  expect(data, text).toMatchObject({
    night: "0001",
    proposals: [{ document: "CLAUDE.md" }],
    next: expect.stringContaining("review"),
  });
  expect(Number(data?.["usd"])).toBeLessThanOrEqual(5);
  expect(readFileSync(join(path, "CLAUDE.md"), "utf8")).toBe(memoryBefore);
  const [proposal] = (data?.["proposals"] ?? []) as readonly {
    readonly run: string;
    readonly rules: number;
  }[];
  const review = await call("review", { run: proposal?.run });
  expect(review.data?.["rules"]).toHaveLength(proposal?.rules ?? 0);

  const bought = server.callCount;
  expect((await call("night", { cap })).data).toMatchObject({ night: null, usd: 0 });
  expect(server.callCount).toBe(bought);
});

test("a client that cannot ask runs no night under a cap of its own, and none runs where nobody opted in", async () => {
  const { server, path } = await openShop(3);
  const { call } = await openServer(path);
  expect((await call("night", { cap })).text).toMatch(
    /^error not-confirmed: [^]*whetstone sleep run --spend-usd 5/,
  );
  expect(server.callCount).toBe(0);
  // named, so that no agent that is installed here is guessed
  const config = { target: "handoff/me", optimizer: "handoff/me" };
  const elsewhere = await tempDir({ "whetstone.config.json": JSON.stringify(config) });
  await trust(elsewhere, config);
  const stranger = await openServer(elsewhere, () => true);
  expect((await stranger.call("night", { cap })).text).toMatch(/^error [^]*whetstone sleep init/);
});
