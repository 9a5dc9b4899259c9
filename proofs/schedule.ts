import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WhetstoneError } from "../src/index.ts";
import { seededRandom } from "../src/testing/index.ts";
import { chooseTimer } from "../src/sleep/timers/choose-timer.ts";
import { schtasksTimer } from "../src/sleep/timers/schtasks.ts";
import type { Timer, TimerJob } from "../test/support/schedule/random-job.ts";
import { numberOption, type ProofOptions, type ProofResult } from "./proof.ts";
import { fire } from "./schedule/fire.ts";
import { randomJob } from "../test/support/schedule/random-job.ts";
import { plistSays, systemdSays, taskSays } from "../test/support/schedule/read-elsewhere.ts";
import { throwawayUser } from "./schedule/throwaway-user.ts";

export const claim =
  "A scheduled night is listed, run and removed exactly as given, and a crontab that can't be read is left alone.";

/** Options: `--seed n`, `--jobs n`. The full form waits for the real cron to run two of them. */
export default async function proveSchedule({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", Math.floor(Math.random() * 1e9));
  const count = numberOption(args, "jobs", short ? 60 : 400);
  log(`seed ${seed} (repeat with: -- --seed ${seed})`);
  const folder = mkdtempSync(join(tmpdir(), "whetstone-schedule-"));
  // the user that cron runs as must get in
  chmodSync(folder, 0o755);
  const user = throwawayUser(folder);
  try {
    const env = { PATH: `${user.bin}:${process.env["PATH"]}` };
    const cron = chooseTimer("cron", { env, home: folder });
    log(`user ${user.name}, deleted afterwards, with its own crontab`);

    const cronTrips = await tripOnCron(cron, user, { seed, count, folder });
    log(
      `${cronTrips.exact}/${count} jobs exact on the real crontab; other lines kept ${cronTrips.kept}/${count}`,
    );

    const leftAlone = await meetUnreadable(user, folder);
    log(`a crontab that can't be read, in ${leftAlone.ways} ways: left alone ${leftAlone.alone} times`);

    const files = await tripOnFiles({ seed, count: short ? 12 : 60, folder, user: user.name });
    for (const [name, { exact, read, of }] of Object.entries(files))
      log(`${name}: ${exact}/${of} jobs exact, ${read}/${of} read the same by another program`);

    const fired = short ? undefined : await fire(cron, folder, log);
    if (fired !== undefined)
      log(
        `cron ran the night ${fired.nights} time and the check for a missed one ${fired.looks} time, word for word`,
      );

    return {
      ok:
        cronTrips.exact === count &&
        cronTrips.kept === count &&
        leftAlone.alone === leftAlone.ways &&
        Object.values(files).every(({ exact, read, of }) => exact === of && read === of) &&
        (fired === undefined || (fired.nights === 1 && fired.looks === 1)),
      figures: {
        seed,
        cronJobs: count,
        cronExact: cronTrips.exact,
        otherLinesKept: cronTrips.kept,
        unreadable: leftAlone.ways,
        leftAlone: leftAlone.alone,
        files,
        ...(fired === undefined ? {} : { fired: { ...fired } }),
      },
    };
  } finally {
    user.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Trips {
  readonly seed: number;
  readonly count: number;
  readonly folder: string;
}

/** Installs, lists and removes on a crontab that also holds the person's own lines, not all of them UTF-8. */
async function tripOnCron(
  cron: Timer,
  user: ReturnType<typeof throwawayUser>,
  { seed, count, folder }: Trips,
): Promise<{ exact: number; kept: number }> {
  const random = seededRandom(seed);
  const own = Buffer.from(
    'MAILTO=""\n# caf\xe9 \xff\n\n\n5 4 1 1 *\techo 50\\% \t\n@yearly true\n',
    "latin1",
  );
  let [exact, kept] = [0, 0];
  for (let at = 0; at < count; at++) {
    user.setCrontab(own);
    const jobs = [0, 1].map(() => randomJob(random, { folder, program: "/usr/bin/node" }));
    for (const job of jobs) await cron.install(job);
    const again = { ...jobs[0], at: "03:17" } as TimerJob;
    await cron.install(again);
    if (JSON.stringify(await cron.list()) === JSON.stringify([again, jobs[1]])) exact += 1;
    const during = user.crontab()?.subarray(0, own.length).equals(own) === true;
    for (const job of jobs) await cron.remove(job.project);
    if (during && user.crontab()?.equals(own) === true) kept += 1;
  }
  return { exact, kept };
}

/** Puts a `crontab` that fails first on PATH; what it would have overwritten must be as before. */
async function meetUnreadable(
  user: ReturnType<typeof throwawayUser>,
  folder: string,
): Promise<{ ways: number; alone: number }> {
  const own = Buffer.from("5 4 1 1 * true\n");
  user.setCrontab(own);
  const ways = [
    'echo "crontab: permission denied" >&2; exit 1',
    "exit 1",
    "kill -9 $$",
    'echo "half a li"; echo "input/output error" >&2; exit 74',
    'echo "5 4 1 1 * true"; echo "no crontab for you, said the network" >&2; exit 1',
  ];
  let alone = 0;
  for (const [at, way] of ways.entries()) {
    const bin = join(folder, `failing-${at}`);
    mkdirSync(bin);
    writeFileSync(
      join(bin, "crontab"),
      `#!/bin/sh\nif [ "$1" = -l ]; then ${way}; fi\nexec ${user.bin}/crontab "$@"\n`,
    );
    chmodSync(join(bin, "crontab"), 0o755);
    const cron = chooseTimer("cron", { env: { PATH: `${bin}:${process.env["PATH"]}` }, home: folder });
    const job = randomJob(seededRandom(at), { folder, program: "/usr/bin/node" });
    const said = await cron.install(job).catch((error: unknown) => error);
    if (
      said instanceof WhetstoneError &&
      said.code === "timer-failed" &&
      user.crontab()?.equals(own) === true
    )
      alone += 1;
  }
  return { ways: ways.length, alone };
}

type FileTrips = Readonly<Record<string, { exact: number; read: number; of: number }>>;

/** The texts for other systems, listed by us and read by programs that are not ours. */
async function tripOnFiles({
  seed,
  count,
  folder,
  user,
}: Trips & { readonly user: string }): Promise<FileTrips> {
  const env = { PATH: "/nowhere" };
  const home = join(folder, "home");
  const trips: Record<string, { exact: number; read: number; of: number }> = {};
  const timers: readonly [Timer, (job: TimerJob, paths: readonly string[]) => boolean][] = [
    [chooseTimer("systemd", { env, home }), (job, paths) => systemdSays(paths, job, { home, user })],
    [chooseTimer("launchd", { env, home }), (job, [path = ""]) => plistSays(path, job, folder)],
    [schtasksTimer({ env, folder: join(home, "timers") }), (job, [path = ""]) => taskSays(path, job)],
  ];
  for (const [timer, isRead] of timers) {
    const random = seededRandom(seed);
    const trip = { exact: 0, read: 0, of: count };
    for (let at = 0; at < count; at++) {
      const posix = randomJob(random, { folder, program: process.execPath });
      const job = timer.name === "schtasks" ? onWindows(posix) : posix;
      const { where } = await timer.install(job);
      if (JSON.stringify(await timer.list()) === JSON.stringify([job])) trip.exact += 1;
      if (isRead(job, where.split(" and "))) trip.read += 1;
      await timer.remove(job.project);
    }
    trips[timer.name] = trip;
  }
  return trips;
}

const onWindows = (job: TimerJob): TimerJob => ({
  ...job,
  project: `C:\\Users\\dev\\${job.project.split("/").at(-1)}`,
  argv: ["C:\\Program Files\\nodejs\\node.exe", ...job.argv.slice(1)],
});
