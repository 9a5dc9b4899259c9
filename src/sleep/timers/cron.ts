import type { WhetstoneError } from "../../core/errors.ts";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ifDueFlag, type Timer, type TimerJob } from "../../core/ports/timer.ts";
import { checkJob, jobKey, timerFailed } from "./check-job.ts";
import { type ToolEnvironment, runTool } from "../../adapters/run-tool.ts";
import { quoteWord, quoteWords, unquoteWords } from "../../adapters/shell-words.ts";

/**
 * A marked block for each project in the person's crontab; everything else in it stays byte for byte. Cron doesn't catch up
 * on times when the machine was off, so a second line checks in every other hour whether a night is due.
 */
export function cronTimer({ env }: { readonly env: ToolEnvironment }): Timer {
  const change = { where: "your crontab", todo: [] };

  return {
    name: "cron",
    async install(job) {
      checkJob(job);
      const before = (await readCrontab(env)) ?? missing();
      const place = findBlock(before, jobKey(job.project));
      await mkdir(dirname(job.log), { recursive: true });
      const around = place ?? { start: before.length, end: before.length };
      const gap = around.start > 0 && before[around.start - 1] !== "\n" ? "\n" : "";
      await writeCrontab(before.slice(0, around.start) + gap + blockOf(job) + before.slice(around.end), env);
      return change;
    },
    async remove(project) {
      const before = (await readCrontab(env)) ?? "";
      const place = findBlock(before, jobKey(project));
      if (place === undefined) return undefined;
      await writeCrontab(before.slice(0, place.start) + before.slice(place.end), env);
      return change;
    },
    async list() {
      const text = (await readCrontab(env)) ?? "";
      const keys = [...text.matchAll(/^# >>> whetstone sleep ([0-9a-f]+) >>>/gm)].map(([, key = ""]) => key);
      return keys.map((key) => readBlock(text, key));
    },
  };
}

/** The crontab as bytes in a string; undefined without a `crontab` program. Any unclear answer is an error. */
async function readCrontab(env: ToolEnvironment): Promise<string | undefined> {
  const run = await runTool(["crontab", "-l"], { env });
  if (run === undefined) return undefined;
  if (run.exitCode === 0) return run.stdout.toString("latin1");
  if (run.stdout.length === 0 && /^(?:crontab: )?no crontab for \S+$/.test(run.stderr)) return "";
  throw timerFailed(
    `Your crontab couldn't be read, so it wasn't changed: ${reason(run)}`,
    "Make sure that `crontab -l` works, or choose another timer.",
  );
}

async function writeCrontab(text: string, env: ToolEnvironment): Promise<void> {
  const run =
    text === ""
      ? await runTool(["crontab", "-r"], { env })
      : await runTool(["crontab", "-"], { env, input: Buffer.from(text, "latin1") });
  if (run?.exitCode !== 0)
    throw timerFailed(
      `The new crontab was refused: ${run === undefined ? "" : reason(run)}`,
      "The old crontab is still in place.",
    );
  if ((await readCrontab(env)) !== text)
    throw timerFailed(
      "The crontab changed right after it was written.",
      "Another program may be writing it. Check `crontab -l`, then try again.",
    );
}

const reason = (run: { readonly exitCode: number | null; readonly stderr: string }): string =>
  run.stderr === "" ? `crontab ended with exit code ${run.exitCode}.` : run.stderr;

function missing(): never {
  throw timerFailed("The `crontab` program isn't installed.", "Install cron, or choose another timer.");
}

function blockOf(job: TimerJob): string {
  const [hour = "", minute = ""] = job.at.split(":").map((part) => String(Number(part)));
  const key = jobKey(job.project);
  const command = (argv: readonly string[]) =>
    cronText(`cd ${quoteWord(job.project)} && ${quoteWords(argv)} >> ${quoteWord(job.log)} 2>&1`);
  const text = `# >>> whetstone sleep ${key} >>> \`whetstone sleep unschedule\` removes this
${minute} ${hour} * * * ${command(job.argv)}
${minute} ${otherHours(Number(hour))} * * * ${command([...job.argv, ifDueFlag])}
# <<< whetstone sleep ${key} <<<
`;
  return Buffer.from(text).toString("latin1");
}

/** All hours but the night's own. */
function otherHours(hour: number): string {
  const spans = [
    [0, hour - 1],
    [hour + 1, 23],
  ] as const;
  return spans
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
    .join();
}

/** In a crontab, `%` ends the command unless a backslash precedes it, and that backslash must not be escaped itself. */
const cronText = (command: string): string => command.replaceAll("\\%", "\\''%").replaceAll("%", "\\%");

/** The block from its first marker through its last, or undefined. */
function findBlock(text: string, key: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.search(new RegExp(`^# >>> whetstone sleep ${key} >>>`, "m"));
  if (start === -1) return undefined;
  const end = new RegExp(`^# <<< whetstone sleep ${key} <<<.*\\n?`, "m").exec(text.slice(start));
  const inside = end === null ? "" : text.slice(start, start + end.index);
  if (end === null || inside.includes("# >>>", 1)) throw damaged();
  return { start, end: start + end.index + end[0].length };
}

function readBlock(text: string, key: string): TimerJob {
  const place = findBlock(text, key) ?? { start: 0, end: 0 };
  const block = Buffer.from(text.slice(place.start, place.end), "latin1").toString();
  const [, minute = "", hour = "", command = ""] = /^(\d+) (\d+) \* \* \* cd (.*)$/m.exec(block) ?? [];
  const words = unquoteWords(command.replaceAll("\\%", "%")) ?? [];
  const [project = "", and, ...rest] = words;
  const [append, log = "", both] = rest.slice(-3);
  if (and !== "&&" || append !== ">>" || both !== "2>&1") throw damaged();
  return { project, at: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, argv: rest.slice(0, -3), log };
}

const damaged = (): WhetstoneError =>
  timerFailed(
    "Whetstone's block in your crontab was edited by hand, so it wasn't changed.",
    "Run `crontab -e`, delete the block with its two marker lines, then schedule again.",
  );
