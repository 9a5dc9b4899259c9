import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedServer } from "../../src/testing/index.ts";
import { deskName, writeDesk } from "../support/parcel-desk.ts";
import { type CommandEnd, runCli } from "../support/run-cli.ts";

export interface Host {
  readonly folder: string;
  readonly server: ScriptedServer;
  readonly split: readonly number[];
  readonly seed: number;
  readonly judged: boolean;
}

interface Login {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
}

export const later = (): number => Date.now() + 3_600_000;

/** A place of its own with skill, config and home, and `whetstone train` in it. */
export async function trainWith(
  { folder, server, split, seed, judged }: Host,
  name: string,
  login: Login,
): Promise<CommandEnd & { readonly place: string }> {
  const place = join(folder, name);
  const home = writeHome(place, login);
  const temporary = join(place, "tmp");
  mkdirSync(temporary);
  writeDesk(place, { tasks: split.reduce((sum, count) => sum + count, 0), judged, seed });
  const config = {
    skill: `./${deskName}`,
    tasks: `./${deskName}/evals/evals.json`,
    target: "claude-code/claude-sonnet-4-5",
    optimizer: "claude-code/claude-opus-4-5",
    agents: { "claude-code": { baseURL: `${server.url}/v1` } },
    split,
    epochs: 1,
    batchSize: 6,
    editBudget: 6,
    schedule: "constant",
    trials: 1,
    baselines: false,
    out: "out",
    spend: { calls: 2000 },
  };
  writeFileSync(join(place, "whetstone.config.json"), `${JSON.stringify(config, null, 2)}\n`);
  const { PATH = "" } = process.env;
  // a CLI that wants to refresh its login on the host must not find the way to the vendor
  const env = { PATH, HOME: home, TMPDIR: temporary, HTTPS_PROXY: "http://127.0.0.1:9" };
  return { place, ...(await runCli(["train"], { cwd: place, env })) };
}

export function writeHome(place: string, login: Login): string {
  const home = join(place, "home");
  mkdirSync(join(home, ".claude"), { recursive: true, mode: 0o700 });
  const stored = { claudeAiOauth: { ...login, scopes: ["user:inference"], subscriptionType: "max" } };
  writeFileSync(join(home, ".claude/.credentials.json"), JSON.stringify(stored), { mode: 0o600 });
  return home;
}
