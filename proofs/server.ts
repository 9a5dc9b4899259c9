import { hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { train } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/index.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";
import { attackFromBrowser } from "./server/attack-from-browser.ts";
import { type Target, listAttempts } from "./server/attempts.ts";
import { type RawAnswer, requestText, sendRaw } from "./server/send-raw.ts";
import { type UiProcess, startUi } from "./server/ui-process.ts";
import { changedFiles, lookAtFolder } from "../test/support/look-at-folder.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { builtPage } from "./ui/built-page.ts";
import { learnableWorld } from "../test/support/learnable-world.ts";
import { type StagedNights, stageNights } from "../test/support/staged-nights.ts";

export const claim =
  "`whetstone ui` serves one person: foreign Host, Origin, token, path, method and body are all refused, even from pages in a real browser. It's reachable only on 127.0.0.1.";

/** Options: `--seed n`. */
export default async function proveServer({ args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 2);
  await builtPage(log);
  using place = temporaryDirectory("server");
  const office = await finishRun(place.path, seed);
  const nights = await stageNights(place.path, office.journalDir);
  log(`seed ${seed}: run ${office.run}, proven better and not adopted, so any slip would change the skill`);

  const earlier = await startUi(office.journalDir);
  const stopped = await earlier.interrupt();
  log(`whetstone ui, then Ctrl-C: exit ${stopped.code} after ${stopped.ms} ms`);
  const ui = await startUi(office.journalDir);
  const otherAddress = findOtherAddress();
  const target: Target = {
    ...ui,
    oldToken: earlier.token,
    run: office.run,
    adoption: adoptionOf(office),
    proposal: nights.proposal.id,
    otherAddress,
  };
  let isStopped = false;
  try {
    const before = lookAtFolder(place.path);
    const control = await ask(ui, "/api/runs");
    const works = control.status === 200 && guarded.some((word) => control.body.includes(word));
    log(`a valid request gets ${control.status} and the run`);

    const slow = trySlowly(target);
    const attempts = listAttempts(target);
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    for (const { group, name, bytes } of attempts) {
      const answer = await sendRaw(ui.port, bytes);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const slip = findSlip(answer);
      if (slip !== undefined) failures.push(`${group}, ${name}: ${slip}`);
    }
    for (const group of new Set(attempts.map((each) => each.group)))
      log(`${group.padEnd(7)} ${attempts.filter((each) => each.group === group).length} attempts`);
    const refusals = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status || "closed"}: ${count}`);
    log(`answers: ${refusals.join(", ")}`);

    const elsewhere = await tryElsewhere(ui, otherAddress);
    failures.push(...elsewhere.failures);
    log(
      `reach    ${elsewhere.tried} other addresses; according to the kernel it listens on ${elsewhere.listening.join(", ")}`,
    );

    const slowly = await slow;
    failures.push(...slowly.failures);
    log(
      `slow     ${slowly.tried} attempts, each cut off after at most ${(slowly.longestMs / 1000).toFixed(1)} s; the server kept answering`,
    );

    const browsed = await attackFromBrowser(target);
    for (const { from, name, got } of browsed.attempts)
      if (got !== null) failures.push(`browser, ${from}, ${name}: ${got.slice(0, 80)}`);
    log(
      `browser  ${browsed.attempts.length} attempts from pages in Chromium; a server without checks lets through ${browsed.control.worked} of ${browsed.control.of}`,
    );

    const changed = changedFiles(before, lookAtFolder(place.path)).filter((path) => !path.endsWith("-shm"));
    if (changed.length > 0) failures.push(`changed: ${changed.join(", ")}`);
    for (const failure of failures) log(`NOT REFUSED ${failure}`);
    const tried = attempts.length + elsewhere.tried + slowly.tried + browsed.attempts.length;
    log(`${tried} attempts, ${failures.length} not refused; files changed: ${changed.length}`);

    const change = await adoptOnce(ui, office);
    log(
      `adopt by the API: ${change.adopted ? "exactly the proposed bytes" : "NOT the proposed bytes"}; again: ${change.again}; undo: ${change.undone ? "exactly the old bytes" : "NOT the old bytes"}`,
    );
    const night = await adoptNight(ui, nights);
    log(
      `a night's proposal by the API: ${night.adopted ? "exactly the bytes that were shown" : "NOT the bytes that were shown"}; another hash: ${night.other}; undo: ${night.undone ? "exactly the old bytes" : "NOT the old bytes"}`,
    );
    isStopped = true;
    const end = await ui.interrupt();
    for (const { errors } of [stopped, end]) if (errors !== "") log(`it complained: ${errors.trim()}`);
    return {
      ok:
        works &&
        browsed.control.worked > 0 &&
        failures.length === 0 &&
        tried >= 40 &&
        change.adopted &&
        change.again === "already adopted" &&
        change.undone &&
        night.adopted &&
        night.other === "live-changed" &&
        night.undone &&
        [stopped, end].every(({ code, errors }) => code === 0 && errors === ""),
      figures: {
        seed,
        attempts: tried,
        raw: attempts.length,
        browser: browsed.attempts.length,
        slow: slowly.tried,
        addresses: elsewhere.tried,
        notRefused: failures.length,
        adoptedOnce: change.adopted && change.again === "already adopted",
        undoneExactly: change.undone,
        nightAdoptedAsShown: night.adopted,
        stopMs: stopped.ms,
      },
    };
  } finally {
    if (!isStopped) await ui.interrupt();
  }
}

interface Office {
  readonly run: string;
  readonly journalDir: string;
  readonly skill: string;
  readonly original: string;
  readonly best: string;
}

/** A real training against a scripted model, with a skill on disk that it makes better. */
async function finishRun(dir: string, seed: number): Promise<Office> {
  const world = learnableWorld(seed);
  await using server = await startScriptedServer({ seed, world, record: false });
  const [skill, journalDir] = [join(dir, "SKILL.md"), join(dir, ".whetstone")];
  const original = world.seedSkill(1);
  writeFileSync(skill, original);
  const {
    id: run,
    best,
    verdict,
  } = await train({
    skill,
    tasks: world.splits({ train: 24, val: 24, test: 24 }),
    target: "office/target",
    optimizer: "office/optimizer",
    baseURL: `${server.url}/v1`,
    spend: { calls: 5000 },
    epochs: 1,
    batchSize: 12,
    seed,
    journal: journalDir,
  });
  if (verdict !== "better") throw new Error(`the run ended as ${verdict}, so there's nothing to guard`);
  return { run, journalDir, skill, original, best: best.text };
}

const ask = ({ port, token }: UiProcess, target: string, post?: object): Promise<RawAnswer> => {
  const body = post === undefined ? undefined : JSON.stringify(post);
  const headers: (readonly [string, string])[] = [
    ["Host", `127.0.0.1:${port}`],
    ["Authorization", `Bearer ${token}`],
  ];
  if (body !== undefined)
    headers.push(["Content-Type", "application/json"], ["Content-Length", String(body.length)]);
  return sendRaw(port, requestText({ method: body === undefined ? "GET" : "POST", target, headers, body }), {
    waitMs: 10_000,
  });
};

/** Words from the guarded data: of every run, of what a night proposes, of the web app, of /etc/passwd. */
const guarded = ["office/target", "kebab-case", "<!doctype", "root:"];

/** Refused: an error or a closed connection, no word of the data, and no leave for another site. */
function findSlip({ status, headers, body }: RawAnswer): string | undefined {
  if (status !== 0 && status < 400) return `it answered with ${status}`;
  if (status >= 500) return `it failed with ${status}`;
  if (/access-control-allow/i.test(headers)) return "it lets another site read";
  return guarded.some((word) => body.includes(word)) ? "it leaked something" : undefined;
}

/** Clients that send slowly, or nothing, are cut off, and don't hold up others. */
async function trySlowly(target: Target) {
  const { port, token } = target;
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`;
  const starts = [
    "GET /api/runs HTTP/1.1\r\n",
    `GET /api/runs HTTP/1.1\r\n${head}`,
    `POST /api/proposals/${target.run}/adopt HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${target.adoption.length}\r\n\r\n${target.adoption.slice(0, -1)}`,
    ...Array.from({ length: 40 }, () => "G"),
  ];
  const answers = await Promise.all(starts.map((bytes) => sendRaw(port, bytes, { waitMs: 20_000 })));
  const failures = answers.flatMap((answer, at) => {
    const slip = answer.ms > 19_000 ? "it was never cut off" : findSlip(answer);
    return slip === undefined ? [] : [`slow, ${JSON.stringify(starts[at]?.slice(0, 30))}: ${slip}`];
  });
  return { tried: starts.length, failures, longestMs: Math.max(...answers.map(({ ms }) => ms)) };
}

/** The same port on every other address that this machine has. */
async function tryElsewhere({ port, token }: UiProcess, otherAddress: string) {
  const addresses = [...new Set([otherAddress, "127.0.0.2", "::1", ...ownAddresses()])];
  const failures: string[] = [];
  for (const host of addresses) {
    const headers = [
      ["Host", `127.0.0.1:${port}`],
      ["Authorization", `Bearer ${token}`],
    ] as const;
    const { status } = await sendRaw(port, requestText({ target: "/api/runs", headers }), {
      host,
      waitMs: 1000,
    });
    if (status !== 0) failures.push(`reachable on ${host}`);
  }
  const listening = listeningOn(port);
  if (listening.some((address) => address !== "127.0.0.1"))
    failures.push(`listens on ${listening.join(", ")}`);
  return { tried: addresses.length, failures, listening };
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ address, internal, scopeid }) =>
      internal || (scopeid ?? 0) > 0 ? [] : [address],
    ),
  );

const findOtherAddress = (): string => ownAddresses().find((address) => address.includes(".")) ?? "127.0.0.3";

/** As Linux reports it; elsewhere the attempts have to be enough. */
function listeningOn(port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => {
    if (!existsSync(path)) return [];
    const rows = readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/));
    return rows.flatMap(([, local = "", , state]) => {
      const [address = "", at] = local.split(":");
      if (state !== "0A" || at !== hex) return [];
      return [address === "0100007F" ? "127.0.0.1" : address];
    });
  });
}

/** The page's request to adopt the run. */
const adoptionOf = ({ best }: Office): string =>
  JSON.stringify({ shown: hash("sha256", best), unproven: true });

async function adoptOnce(ui: UiProcess, office: Office) {
  const { run, skill, original, best } = office;
  const path = `/api/proposals/${run}`;
  const adoption = JSON.parse(adoptionOf(office)) as object;
  const live = () => readFileSync(skill, "utf8");
  const first = await ask(ui, `${path}/adopt`, adoption);
  const adopted = first.status === 200 && live() === best && best !== original;
  const second = await ask(ui, `${path}/adopt`, adoption);
  const isSame =
    second.status === 200 && second.body.includes("already has what you adopted") && live() === best;
  const back = await ask(ui, `${path}/undo`, {});
  return {
    adopted,
    again: isSame ? "already adopted" : `${second.status} ${second.body}`,
    undone: back.status === 200 && live() === original,
  };
}

/** The web app's data about a proposal that can be adopted. */
interface ReadyChange {
  readonly kind: string;
  readonly files: readonly [{ readonly after: string }];
  readonly powers: readonly { readonly id: string }[];
  readonly unproven: boolean;
  readonly shown: string;
}

/** Exactly the shown bytes are written, and nothing else. */
async function adoptNight(ui: UiProcess, { proposal, memory, original }: StagedNights) {
  const path = `/api/proposals/${proposal.id}`;
  const live = () => readFileSync(memory, "utf8");
  const { change } = JSON.parse((await ask(ui, path)).body) as { readonly change?: ReadyChange };
  if (change?.kind !== "ready") throw new Error("there's nothing to adopt");
  const { files, powers, unproven, shown } = change;
  const [{ after }] = files;
  const options = { shown, acknowledge: powers.map(({ id }) => id), merge: false, unproven };
  const other = await ask(ui, `${path}/adopt`, { ...options, shown: "0".repeat(64) });
  const isUntouched = live() === original;
  const right = await ask(ui, `${path}/adopt`, options);
  const adopted = isUntouched && right.status === 200 && live() === after && after !== original;
  const back = await ask(ui, `${path}/undo`, {});
  return {
    adopted,
    other: (JSON.parse(other.body) as { readonly code?: string }).code,
    undone: back.status === 200 && live() === original,
  };
}
