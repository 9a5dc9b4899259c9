import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { TimerJob } from "./random-job.ts";

/**
 * Whether systemd takes the two files without a complaint and, where its program is here, itself starts from them what the job
 * says: it can show what it would do.
 */
export function systemdSays(
  [timer = "", service = ""]: readonly string[],
  job: TimerJob,
  { home, user }: { readonly home: string; readonly user: string },
): boolean {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_RUNTIME_DIR: home,
  };
  const check = spawnSync("systemd-analyze", ["verify", "--user", "--man=no", timer, service], {
    env,
    encoding: "utf8",
  });
  if (check.status !== 0 || check.stderr !== "") return false;
  if (!existsSync(systemd)) return true;
  // it refuses to be root for this
  const test = (unit: string) =>
    spawnSync("setpriv", ["--reuid", user, "--clear-groups", systemd, "--user", "--test", `--unit=${unit}`], {
      env,
      encoding: "utf8",
    }).stdout;
  const [whenShown, whatShown] = [timer, service].map((path) => partOf(test(basename(path)), basename(path)));
  return (
    // at the job's time, and every hour to see whether a night is due
    [`*-*-* ${job.at}:00`, `*-*-* *:${job.at.slice(3)}:00`].every((when) =>
      whenShown?.split("\n").some((line) => line.trim() === `OnCalendar: ${when}`),
    ) &&
    field(whenShown, "Persistent") === "yes" &&
    field(whatShown, "WorkingDirectory") === job.project &&
    field(whatShown, "StandardOutputFileToAppend") === job.log &&
    field(whatShown, "StandardErrorFileToAppend") === job.log &&
    JSON.stringify(shownWords(field(whatShown, "Command Line"))) === JSON.stringify([...job.argv, "--if-due"])
  );
}

const systemd = "/lib/systemd/systemd";

const partOf = (shown: string, unit: string): string =>
  shown.split("\t-> Unit ").find((part) => part.startsWith(`${unit}:`)) ?? "";

const field = (part = "", name: string): string =>
  new RegExp(`^\\s*${name}: (.*)$`, "m").exec(part)?.[1] ?? "";

/** As systemd shows words: bare, or between quotation marks with backslashes. */
const shownWords = (line: string): readonly string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, bare = ""]) => quoted?.replace(/\\(.)/g, "$1") ?? bare,
  );

/** Whether a property list, read by another program, says the job. */
export function plistSays(path: string, job: TimerJob, folder: string): boolean {
  // to the binary form and back: what is no property list does not survive it
  const [binary, back] = [join(folder, "agent.bin"), join(folder, "agent.plist")];
  execFileSync("plistutil", ["-i", path, "-o", binary]);
  if (readFileSync(binary).subarray(0, 6).toString() !== "bplist") return false;
  execFileSync("plistutil", ["-i", binary, "-o", back]);
  const after = (key: string) => `//key[.="${key}"]/following-sibling::*[1]`;
  const [hour, minute] = job.at.split(":").map((part) => String(Number(part)));
  const words = [...job.argv, "--if-due"];
  return (
    xpath(back, `string(${after("WorkingDirectory")})`) === job.project &&
    xpath(back, `string(${after("StandardOutPath")})`) === job.log &&
    xpath(back, `string(${after("StartCalendarInterval")}${after("Hour").slice(1)})`) === hour &&
    xpath(back, `string(${after("StartCalendarInterval")}${after("Minute").slice(1)})`) === minute &&
    xpath(back, `count(${after("ProgramArguments")}/string)`) === String(words.length) &&
    words.every((word, at) => xpath(back, `string(${after("ProgramArguments")}/string[${at + 1}])`) === word)
  );
}

/** Whether a task of Windows is XML, starts at the job's time and makes up for a missed one. */
export function taskSays(path: string, job: TimerJob): boolean {
  const named = (name: string) => `string(//*[local-name()="${name}"])`;
  return (
    xpath(path, named("StartBoundary")).endsWith(`T${job.at}:00`) &&
    xpath(path, named("StartWhenAvailable")) === "true" &&
    xpath(path, named("WorkingDirectory")) === job.project
  );
}

const xpath = (path: string, expression: string): string =>
  execFileSync("xmllint", ["--nonet", "--xpath", expression, path]).toString().replace(/\n$/, "");
