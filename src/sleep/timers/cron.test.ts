import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { TimerJob } from "../../core/ports/timer.ts";
import { nightlyTime } from "../memory/nightly-time.ts";
import { cronTimer } from "./cron.ts";

let folder: string;
let table: string;
beforeEach(async () => {
  folder = await tempDir();
  table = join(folder, "table");
  mkdirSync(join(folder, "bin"));
  // stands for the person's own, which no test may touch; the proof `schedule` uses the real one
  useCrontab(`case "$1" in
-l) if [ -f ${table} ]; then cat ${table}; else echo "no crontab for dev" >&2; exit 1; fi ;;
-r) rm ${table} ;;
-) cat > ${table} ;;
esac`);
});

function useCrontab(script: string): void {
  writeFileSync(join(folder, "bin", "crontab"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bin", "crontab"), 0o755);
}

const timer = () => cronTimer({ env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` } });
const jobFor = (project: string, more: Partial<TimerJob> = {}): TimerJob => ({
  project,
  at: "03:17",
  argv: ["/usr/bin/node", "/opt/whetstone/cli.js", "sleep", "run", "--config", "my sleep.yaml"],
  log: join(folder, "logs", "night.log"),
  ...more,
});

test("a night and a look in every other hour are put behind what was there", async () => {
  writeFileSync(table, "MAILTO=dev@example.org\n0 5 * * 1 backup\n");
  expect(await timer().install(jobFor("/home/dev/shop"))).toEqual({ where: "your crontab", todo: [] });
  expect(readFileSync(table, "utf8")).toBe(`MAILTO=dev@example.org
0 5 * * 1 backup
# >>> whetstone sleep e828acfc792e >>> \`whetstone sleep unschedule\` removes this
17 3 * * * cd /home/dev/shop && /usr/bin/node /opt/whetstone/cli.js sleep run --config 'my sleep.yaml' >> ${folder}/logs/night.log 2>&1
17 0-2,4-23 * * * cd /home/dev/shop && /usr/bin/node /opt/whetstone/cli.js sleep run --config 'my sleep.yaml' --if-due >> ${folder}/logs/night.log 2>&1
# <<< whetstone sleep e828acfc792e <<<
`);
  expect(existsSync(join(folder, "logs"))).toBe(true);
});

test("fault 27: a crontab that cannot be read is left alone", async () => {
  writeFileSync(table, "0 5 * * 1 backup\n");
  const failures = [
    'echo "crontab: permission denied" >&2; exit 1',
    "exit 1",
    "exit 127",
    'echo "0 5 * * 1 back"; echo "crontab: input/output error" >&2; exit 1',
    'echo "no crontab for dev"; echo "no crontab for dev" >&2; exit 1',
  ];
  for (const failure of failures) {
    useCrontab(`if [ "$1" = -l ]; then ${failure}; fi; cat > ${table}`);
    await expect(timer().install(jobFor("/home/dev/shop"))).rejects.toMatchObject({ code: "timer-failed" });
    await expect(timer().remove("/home/dev/shop")).rejects.toMatchObject({ code: "timer-failed" });
    await expect(timer().list()).rejects.toMatchObject({ code: "timer-failed" });
    expect(readFileSync(table, "utf8")).toBe("0 5 * * 1 backup\n");
  }
});

test("fault 27: lines outside the block stay byte for byte, also those that are not UTF-8", async () => {
  const before = Buffer.from("# caf\xe9 \xff\n\n\n  5 4 * * *\techo 50\\% \t\n@reboot x\n", "latin1");
  writeFileSync(table, before);
  await timer().install(jobFor("/home/dev/één"));
  await timer().install(jobFor("/home/dev/other"));
  await timer().install(jobFor("/home/dev/één", { at: "04:05" }));
  expect(readFileSync(table).subarray(0, before.length)).toEqual(before);
  expect((await timer().list()).map(({ project, at }) => [project, at])).toEqual([
    ["/home/dev/één", "04:05"],
    ["/home/dev/other", "03:17"],
  ]);
  await timer().remove("/home/dev/één");
  expect(await timer().remove("/home/dev/één")).toBeUndefined();
  await timer().remove("/home/dev/other");
  expect(readFileSync(table)).toEqual(before);
});

test("where nobody had a crontab, none is left", async () => {
  await timer().install(jobFor("/home/dev/shop"));
  await timer().remove("/home/dev/shop");
  expect(existsSync(table)).toBe(false);
  expect(await timer().list()).toEqual([]);
});

/** What cron does with a command before the shell sees it: `\%` is a percent sign, a bare one ends the command. */
function asCronPasses(command: string): string {
  let [passed, escaped] = ["", false];
  for (const character of command) {
    if (escaped && character === "%") passed = passed.slice(0, -1);
    else if (!escaped && character === "%") return passed;
    escaped = !escaped && character === "\\";
    passed += character;
  }
  return passed;
}

const word = fc.oneof(
  fc.constantFrom(
    "%",
    "\\%",
    "\\\\%",
    "'%'",
    "$HOME",
    "`id`",
    "&&",
    ">>",
    "2>&1",
    "--if-due",
    "",
    "a b",
    "ü",
    "#",
    "!",
  ),
  fc.string({ unit: fc.constantFrom(...Array.from("ab %\\'\"$`!*~#;&|<>()é")) }),
);

test("fault 27: the command runs with exactly the words that were given, percent signs and all flags included", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), word, async (words, name) => {
      const project = join(folder, `p${name}`.replaceAll("/", ""));
      mkdirSync(project, { recursive: true });
      const log = join(project, "log");
      for (const left of [log, table]) rmSync(left, { force: true });
      const job = jobFor(project, { argv: ["/usr/bin/printf", "%s\\0", "night", ...words], log });
      await timer().install(job);
      expect(await timer().list()).toEqual([job]);
      const [daily = "", hourly = ""] = readFileSync(table, "utf8").split("\n").slice(1);
      for (const line of [daily, hourly])
        execFileSync("/bin/sh", ["-c", asCronPasses(line.split(" ").slice(5).join(" "))]);
      expect(readFileSync(log, "utf8").split("\0")).toEqual([
        "night",
        ...words,
        "night",
        ...words,
        "--if-due",
        "",
      ]);
    }),
    { numRuns: 40 },
  );
});

test("fault 27: two projects do not start at the same minute, one project always does", () => {
  const times = Array.from({ length: 300 }, (_, at) => nightlyTime(`/home/dev/project-${at}`));
  expect(times.every((time) => /^03:[0-5]\d$/.test(time))).toBe(true);
  expect(new Set(times).size).toBeGreaterThan(55);
  expect(nightlyTime("/home/dev/shop")).toBe(nightlyTime("/home/dev/shop"));
});

test("fault 27: what is installed runs a night; it neither adopts nor speaks of adopting", async () => {
  await timer().install(jobFor("/home/dev/shop"));
  expect(readFileSync(table, "utf8")).not.toMatch(/adopt/i);
});

test("the hours of the second line leave out the night's own", async () => {
  const hours: string[] = [];
  for (const at of ["00:05", "01:05", "12:05", "22:05", "23:59"]) {
    await timer().install(jobFor("/home/dev/shop", { at }));
    hours.push(readFileSync(table, "utf8").split("\n")[2]?.split(" ")[1] ?? "");
  }
  expect(hours).toEqual(["1-23", "0,2-23", "0-11,13-23", "0-21,23", "0-22"]);
});

test("a block that was changed by hand is an error, not something to write over", async () => {
  await timer().install(jobFor("/home/dev/shop"));
  const whole = readFileSync(table, "utf8");
  writeFileSync(table, `${whole.replace(/# <<<.*\n/, "")}0 5 * * 1 backup\n`);
  const before = readFileSync(table, "utf8");
  const acts = [
    () => timer().install(jobFor("/home/dev/shop")),
    () => timer().remove("/home/dev/shop"),
    () => timer().list(),
  ];
  for (const act of acts) await expect(act()).rejects.toMatchObject({ code: "timer-failed" });
  expect(readFileSync(table, "utf8")).toBe(before);
  writeFileSync(table, whole.replace("17 3 *", "17 3,4 *"));
  await expect(timer().list()).rejects.toMatchObject({ code: "timer-failed" });
});

test("a crontab that is refused, or that is another one afterwards, is an error", async () => {
  useCrontab(
    `if [ "$1" = -l ]; then echo "no crontab for dev" >&2; exit 1; fi; echo "bad minute" >&2; exit 1`,
  );
  await expect(timer().install(jobFor("/home/dev/shop"))).rejects.toThrow("bad minute");
  useCrontab(`if [ "$1" = -l ]; then echo "0 5 * * 1 backup"; else cat > /dev/null; fi`);
  await expect(timer().install(jobFor("/home/dev/shop"))).rejects.toThrow(
    "changed right after it was written",
  );
});

test("words that no crontab can hold are refused before it is read", async () => {
  for (const bad of [{ argv: ["node", "x"] }, { argv: ["/bin/x", "a\nb"] }, { log: "night.log" }])
    await expect(timer().install(jobFor("/home/dev/shop", bad))).rejects.toMatchObject({
      code: "timer-failed",
    });
  for (const at of ["3:17", "24:00", "03:60", "", "03:17 "])
    await expect(timer().install(jobFor("/home/dev/shop", { at }))).rejects.toMatchObject({ code: "usage" });
  expect(existsSync(table)).toBe(false);
});
