import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectState } from "../test/support/project-state.ts";
import type { Summary } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { entriesWith, filesWith } from "./keyless/find-secrets.ts";
import { type Host, later, trainWith } from "./keyless/host.ts";
import { listenAtBox } from "./keyless/listen-at-box.ts";
import { lookAround, readLooks } from "./keyless/look-around.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";
import { deskWorld } from "./support/parcel-desk-world.ts";
import type { CommandEnd } from "./support/run-cli.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";

export const claim =
  "A training whose target and optimizer are the claude CLI needs no key: the sandbox sees a dummy, the proxy adds the login's header, and the login appears nowhere else.";

/** Options: `--seed n`. */
export default async function proveKeyless({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const split = short ? [6, 6, 0] : [12, 12, 14];
  using place = temporaryDirectory("keyless");
  const folder = place.path;
  // as the real ones begin, so that the box can be searched for them without naming them
  const [token, refreshToken, revoked] = ["oat01", "ort01", "oat01"].map(
    (kind) => `sk-ant-${kind}-${randomBytes(48).toString("base64url")}`,
  ) as [string, string, string];
  const secrets = [token, refreshToken];
  await using server = await startScriptedServer({
    seed,
    world: deskWorld({ seed, lapses: 0, look: lookAround }),
    authorization: `Bearer ${token}`,
  });
  const host: Host = { folder, server, split, seed, judged: !short };
  log(
    `seed ${seed}: no key in the environment, a claude login in the home folder; the server refuses every call`,
  );
  log("whose Authorization header isn't that login's");
  log("");

  const training = await trainWith(host, "logged-in", {
    accessToken: token,
    refreshToken,
    expiresAt: later(),
  });
  for (const line of training.printed.trimEnd().split("\n")) log(`| ${line}`);
  if (training.code !== 0) throw new Error(`the training ended with ${training.code}`);
  const summary = JSON.parse(readFileSync(join(training.place, "out/summary.json"), "utf8")) as Summary;
  const refused = server.calls.filter(({ fault }) => fault === "401").length;
  const calls = server.callCount;
  log("");
  log(`${calls} calls, ${refused} of them without the login's header`);

  const looks = readLooks(server, secrets);
  log(`the target searched its sandbox ${looks.count} times: it saw the dummy ${looks.dummies} times,`);
  log(`something like a login ${looks.found} times, the login itself ${looks.leaks} times`);
  const heard = await listenAtBox(host, token);
  log(
    `on the wire out of the sandbox: ${heard.requests} requests, ${heard.withDummy} with the dummy, ${heard.withLogin} with the login`,
  );

  rmSync(join(training.place, "home/.claude/.credentials.json"));
  const files = filesWith(secrets, folder);
  const { entries, withSecret } = await entriesWith(
    secrets,
    projectState(training.place, join(training.place, "home")),
  );
  const printed = secrets.some((secret) => training.printed.includes(secret));
  log(
    `the login appears in ${files.length} files, ${withSecret} of ${entries} journal entries, and ${printed ? "" : "not "}in the output`,
  );

  const before = server.callCount;
  const expired = await trainWith(host, "expired", {
    accessToken: token,
    refreshToken,
    expiresAt: Date.now() - 1000,
  });
  const expiredCalls = server.callCount - before;
  log("");
  log(`an expired login: exit ${expired.code} after ${expired.ms} ms and ${expiredCalls} calls`);
  for (const line of lastLines(expired)) log(`| ${line}`);
  const beforeRevoked = server.callCount;
  const gone = await trainWith(host, "revoked", { accessToken: revoked, refreshToken, expiresAt: later() });
  const revokedCalls = server.callCount - beforeRevoked;
  log(
    `a login that the server doesn't know: exit ${gone.code} after ${gone.ms} ms and ${revokedCalls} calls`,
  );
  for (const line of lastLines(gone)) log(`| ${line}`);

  const conditions: Readonly<Record<string, boolean>> = {
    "the training kept an edit": summary.accepted > 0,
    "the sealed test says better": short || summary.verdict === "better",
    "every call had the login": calls > 0 && refused === 0,
    "the sandbox showed the dummy and no login":
      looks.count > 0 && looks.dummies === looks.count && looks.found === 0 && looks.leaks === 0,
    "only the dummy left the sandbox":
      heard.requests > 0 && heard.withDummy === heard.requests && heard.withLogin === 0,
    "the login is in no file": files.length === 0,
    "the login is in no journal entry": entries > 0 && withSecret === 0,
    "the login wasn't printed": !printed,
    "an expired login exits with 1 and says how to log in": isLoginError(expired) && expiredCalls === 0,
    "a revoked login exits with 1 and says how to log in": isLoginError(gone) && revokedCalls <= 2,
  };
  const broken = Object.keys(conditions).filter((name) => conditions[name] !== true);
  for (const name of broken) log(`NOT: ${name}`);
  return {
    ok: broken.length === 0,
    figures: {
      seed,
      split,
      judged: !short,
      verdict: summary.verdict,
      val: [summary.val.baseline, summary.val.best],
      test: [summary.test?.original ?? null, summary.test?.best ?? null],
      steps: summary.steps,
      accepted: summary.accepted,
      calls,
      callsWithoutLogin: refused,
      looks: looks.count,
      looksThatFound: looks.found + looks.leaks,
      requestsHeard: heard.requests,
      requestsWithLogin: heard.withLogin,
      filesWithLogin: files.length,
      journalEntries: entries,
      entriesWithLogin: withSecret,
      expiredExit: expired.code,
      expiredCalls,
      revokedExit: gone.code,
      revokedCalls,
    },
  };
}

const isLoginError = ({ code, printed }: CommandEnd): boolean =>
  code === 1 && printed.includes("claude /login");

const lastLines = ({ printed }: CommandEnd): readonly string[] => printed.trimEnd().split("\n").slice(-3);
