import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Timer, TimerJob } from "../../core/ports/timer.ts";
import { chooseTimer, timersHere } from "./choose-timer.ts";
import { launchdTimer } from "./launchd.ts";
import { schtasksTimer } from "./schtasks.ts";
import { systemdTimer } from "./systemd.ts";

let home: string;
beforeEach(async () => {
  home = await tempDir();
  mkdirSync(join(home, "bin"));
});

const noTools = { PATH: "/nowhere" };
const units = () => join(home, ".config", "systemd", "user");
const agents = () => join(home, "Library", "LaunchAgents");
const posixJob = (more: Partial<TimerJob> = {}): TimerJob => ({
  project: "/home/dev/shop",
  at: "03:17",
  argv: ["/usr/bin/node", "/opt/whetstone/cli.js", "sleep", "run", "--model", "50% $HOME \"x\" 'y' \\ <&>"],
  log: join(home, "logs", "night 100%.log"),
  ...more,
});
const windowsJob = (more: Partial<TimerJob> = {}): TimerJob => ({
  project: "C:\\Users\\dev\\shop & sons",
  at: "03:17",
  argv: [
    "C:\\Program Files\\nodejs\\node.exe",
    "C:\\w\\cli.js",
    "sleep",
    "run",
    "--note",
    "50% of <all>",
    "D:\\",
  ],
  log: join(home, "logs", "night 100%.log"),
  ...more,
});

/** A program of the system that notes how it was called. */
function useTool(name: string, then = "exit 0"): () => string {
  const [path, calls] = [join(home, "bin", name), join(home, `${name}.calls`)];
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${calls}\n${then}\n`);
  chmodSync(path, 0o755);
  return () => readFileSync(calls, "utf8");
}
const withTools = () => ({ PATH: `${join(home, "bin")}:/usr/bin:/bin` });

test("systemd: a timer that makes up for a missed night, and a service", async () => {
  const change = await systemdTimer({ env: noTools, home }).install(posixJob());
  expect(change.todo).toEqual([
    "systemctl --user daemon-reload",
    "systemctl --user enable --now whetstone-sleep-e828acfc792e.timer",
  ]);
  expect(readFileSync(join(units(), "whetstone-sleep-e828acfc792e.timer"), "utf8")).toContain(
    "OnCalendar=*-*-* 03:17:00\nOnCalendar=*-*-* *:17:00\nPersistent=true\n",
  );
  const service = readFileSync(join(units(), "whetstone-sleep-e828acfc792e.service"), "utf8");
  expect(service).toContain("WorkingDirectory=/home/dev/shop\n");
  expect(service).toContain(
    String.raw`ExecStart=:"/usr/bin/node" "/opt/whetstone/cli.js" "sleep" "run" "--model" "50%% $HOME \"x\" 'y' \\ <&>" "--if-due"`,
  );
  expect(service).toContain(`StandardOutput=append:${home}/logs/night 100%%.log\n`);
});

test("systemd: where it is, it is told; where it does not answer, the person is told what to run and why", async () => {
  const calls = useTool("systemctl");
  const timer = systemdTimer({ env: withTools(), home });
  expect((await timer.install(posixJob())).todo).toEqual([]);
  expect((await timer.remove("/home/dev/shop"))?.todo).toEqual([]);
  expect(calls()).toBe(
    `--user daemon-reload
--user enable --now whetstone-sleep-e828acfc792e.timer
--user disable --now whetstone-sleep-e828acfc792e.timer
`,
  );
  expect(readdirSync(units())).toEqual([]);
  useTool("systemctl", 'echo "Failed to connect to bus" >&2; exit 1');
  expect(await timer.install(posixJob())).toMatchObject({
    because: "Failed to connect to bus",
    todo: [expect.stringContaining("daemon-reload"), expect.stringContaining("enable --now")],
  });
});

test("launchd: starts at its time and looks every hour whether a night is due", async () => {
  const calls = useTool("launchctl");
  const timer = launchdTimer({ env: withTools(), home, userId: 501 });
  await timer.install(posixJob());
  const path = join(agents(), "whetstone.sleep.e828acfc792e.plist");
  const plist = readFileSync(path, "utf8");
  expect(plist).toContain(
    "<string>50% $HOME \"x\" 'y' \\ &lt;&amp;&gt;</string>\n    <string>--if-due</string>\n",
  );
  expect(plist).toMatch(
    /<key>Hour<\/key>\s*<integer>3<\/integer>\s*<key>Minute<\/key>\s*<integer>17<\/integer>/,
  );
  expect(plist).toMatch(/<key>StartInterval<\/key>\s*<integer>3600<\/integer>/);
  expect(calls()).toBe(`bootout gui/501/whetstone.sleep.e828acfc792e\nbootstrap gui/501 ${path}\n`);
  await timer.remove("/home/dev/shop");
  expect(existsSync(path)).toBe(false);
});

test("schtasks: a task that starts when the machine is there again, and its script", async () => {
  const calls = useTool("schtasks");
  const folder = join(home, "timers");
  await schtasksTimer({ env: withTools(), folder }).install(windowsJob());
  const [script = "", xml = ""] = readdirSync(folder).toSorted();
  const task = readFileSync(join(folder, xml));
  expect(task.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
  const text = task.toString("utf16le");
  expect(text).toContain("<StartWhenAvailable>true</StartWhenAvailable>");
  expect(text).toContain("<StartBoundary>2026-01-01T03:17:00</StartBoundary>");
  expect(text).toContain("<WorkingDirectory>C:\\Users\\dev\\shop &amp; sons</WorkingDirectory>");
  expect(readFileSync(join(folder, script), "utf8").split("\r\n").slice(2, 4)).toEqual([
    'cd /d "C:\\Users\\dev\\shop & sons"',
    `"C:\\Program Files\\nodejs\\node.exe" "C:\\w\\cli.js" "sleep" "run" "--note" "50%% of <all>" "D:\\\\" >> "${home}/logs/night 100%%.log" 2>&1`,
  ]);
  expect(calls()).toMatch(/^\/Create \/F \/TN Whetstone\\sleep-[0-9a-f]{12} \/XML /);
});

const everyTimer = (): readonly [Timer, (more: Partial<TimerJob>) => TimerJob][] => [
  [systemdTimer({ env: noTools, home }), posixJob],
  [launchdTimer({ env: noTools, home }), posixJob],
  [schtasksTimer({ env: noTools, folder: join(home, "timers") }), windowsJob],
];

const word = fc.oneof(
  fc.constantFrom(
    "%",
    "%%",
    "\\%",
    "$$",
    "${HOME}",
    "--if-due",
    "",
    "a b",
    "ü",
    "&amp;",
    "\\",
    "\\\\",
    "<string>",
  ),
  fc.string({ unit: fc.constantFrom(...Array.from("ab %\\'$`&<>;é")) }),
);

test("fault 27: every timer lists exactly the job that was installed, with all its flags", async () => {
  for (const [timer, job] of everyTimer()) {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
        const given = job({ argv: [...job({}).argv.slice(0, 1), ...words], at: "23:05" });
        await timer.install(given);
        expect(await timer.list()).toEqual([given]);
      }),
      { numRuns: 60 },
    );
  }
});

test("fault 27: no timer's files adopt or speak of adopting", async () => {
  for (const [timer, job] of everyTimer()) {
    const { where } = await timer.install(job({}));
    for (const path of where.split(" and "))
      expect(readFileSync(path).toString("latin1")).not.toMatch(/adopt/i);
  }
});

test("one job for each project, and a project without one has nothing to remove", async () => {
  for (const [timer, job] of everyTimer()) {
    await timer.install(job({}));
    await timer.install(job({ at: "04:00" }));
    await timer.install(job({ project: `${job({}).project}-2` }));
    expect((await timer.list()).map(({ at }) => at).toSorted()).toEqual(["03:17", "04:00"]);
    expect(await timer.remove("/home/dev/elsewhere")).toBeUndefined();
    await timer.remove(job({}).project);
    expect((await timer.list()).map(({ at }) => at)).toEqual(["03:17"]);
  }
});

test("a file that was changed by hand is an error", async () => {
  for (const [timer, job] of everyTimer()) {
    const { where } = await timer.install(job({}));
    writeFileSync(where.split(" and ")[0] ?? "", "something else");
    await expect(timer.list()).rejects.toMatchObject({ code: "timer-failed" });
  }
});

test("what a system cannot carry unchanged is refused, and nothing is written", async () => {
  const [systemd, launchd, schtasks] = everyTimer().map(([timer]) => timer);
  await expect(systemd!.install(posixJob({ project: "/home/dev/x\\" }))).rejects.toMatchObject({
    code: "timer-failed",
  });
  await expect(launchd!.install(posixJob({ argv: ["/a", "\u0007"] }))).rejects.toMatchObject({
    code: "timer-failed",
  });
  await expect(schtasks!.install(windowsJob({ argv: ["C:\\a", 'say "x"'] }))).rejects.toMatchObject({
    code: "timer-failed",
  });
  for (const folder of [units(), agents(), join(home, "timers")]) expect(existsSync(folder)).toBe(false);
});

test("each system has its own timer; on Linux a systemd that runs for the person comes before cron", () => {
  const choose = (platform: NodeJS.Platform, env: Record<string, string>) =>
    chooseTimer("auto", { env, home, platform }).name;
  useTool("systemctl");
  expect(choose("darwin", {})).toBe("launchd");
  expect(choose("win32", {})).toBe("schtasks");
  expect(() => choose("linux", { PATH: join(home, "bin") })).toThrow("Neither cron nor your own systemd");
  useTool("crontab");
  expect(choose("linux", { PATH: join(home, "bin") })).toBe("cron");
  mkdirSync(join(home, "runtime", "systemd"), { recursive: true });
  expect(choose("linux", { PATH: join(home, "bin"), XDG_RUNTIME_DIR: join(home, "runtime") })).toBe(
    "systemd",
  );
  expect(chooseTimer("launchd", { env: {}, home, platform: "linux" }).name).toBe("launchd");
  expect(timersHere({ env: {}, home, platform: "linux" }).map(({ name }) => name)).toEqual([
    "systemd",
    "cron",
  ]);
});
