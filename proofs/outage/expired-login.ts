import { randomBytes } from "node:crypto";
import type { CommandEnd } from "../support/run-cli.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { later, writeHome } from "../keyless/host.ts";
import type { ProofOptions } from "../proof.ts";
import { makeSleepProject, remembered } from "../../test/support/commit-project.ts";
import { servedWorld } from "../../test/support/commit-world.ts";
import { complaintOf, sleepCommand } from "../support/sleep-command.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { configFor } from "./nights.ts";

export interface LoginNights {
  readonly code: number | null;
  /** That reached the provider with a login which had expired. */
  readonly calls: number;
  readonly problems: readonly string[];
}

/** Miner and optimizer are the claude CLI: with a login that has expired, with one that was revoked, and with a good one. */
export async function expiredLogin(seed: number, log: ProofOptions["log"]): Promise<LoginNights> {
  using place = temporaryDirectory("outage-login");
  const [good, revoked] = [randomToken("oat01"), randomToken("oat01")];
  const refreshToken = randomToken("ort01");
  const world = servedWorld({ seed });
  await using behindLogin = await startScriptedServer({ seed, world, authorization: `Bearer ${good}` });
  await using open = await startScriptedServer({ seed, world });
  const { providers = {}, prices = {} } = configFor(open, seed);
  const project = await makeSleepProject({
    folder: place.path,
    conversations: 4,
    config: {
      target: "scripted/small",
      optimizer: "claude-code/claude-opus-4-5",
      agents: { "claude-code": { baseURL: `${behindLogin.url}/v1` } },
      providers,
      prices,
      spend: { calls: 500 },
      seed,
    },
  });
  // a CLI that wants to refresh its login on the host must not find the way to the vendor
  const sleep = () => sleepCommand(project, ["run"], { HTTPS_PROXY: "http://127.0.0.1:9" });
  const logIn = (accessToken: string, expiresAt: number) =>
    writeHome(place.path, { accessToken, refreshToken, expiresAt });
  const problems: string[] = [];
  const tell = (what: string, end: CommandEnd, before: number) => {
    const { state, proposals, log: lines } = remembered(project);
    log(
      `${what}: exit ${end.code} after ${(end.ms / 1000).toFixed(1)} s and ${behindLogin.callCount - before} calls`,
    );
    log(`  ${complaintOf(end)}`);
    if (end.code !== 1 || !end.printed.includes("claude /login"))
      problems.push(`${what}: it ends with 1 and the way to log in`);
    if (state !== undefined || proposals.length > 0)
      problems.push(`${what}: nothing is staged or remembered`);
    if (lines.at(-1)?.includes("failed: ") !== true) problems.push(`${what}: the log has a line`);
  };

  logIn(good, Date.now() - 1000);
  const expired = await sleep();
  const calls = behindLogin.callCount;
  tell("a login of claude that has expired", expired, 0);
  logIn(revoked, later());
  tell("a login of claude that the provider does not know", await sleep(), calls);
  logIn(good, later());
  const again = await sleep();
  const { state } = remembered(project);
  log(
    `logged in again: exit ${again.code}, ${state?.nights.length ?? 0} night, "${state?.nights[0]?.sentence}"`,
  );
  if (again.code !== 0 || state?.nights.length !== 1 || state.rules.length === 0)
    problems.push(`logged in again: the night ends and learns: ${again.printed.slice(-400)}`);
  return { code: expired.code, calls, problems };
}

/** As the real ones begin. */
const randomToken = (kind: string): string => `sk-ant-${kind}-${randomBytes(48).toString("base64url")}`;
