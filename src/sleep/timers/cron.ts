import type { WhetstoneError } from "../../core/errors.ts";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ifDueFlag, type Timer, type TimerJob } from "../../core/ports/timer.ts";
import { checkJob, jobKey, timerFailed } from "./check-job.ts";
import { type ToolEnvironment, runTool } from "../../adapters/run-tool.ts";
import { quoteWord, quoteWords, unquoteWords } from "../../adapters/shell-words.ts";

/**
 * A marked block for each project in the person's crontab; everything else in it stays byte for byte. Cron does not make up
 * for a time at which the machine was off, so a second line looks in every other hour whether a night is due.
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

/** The crontab as bytes in a string; undefined when there is no `crontab`. Anything but a clear answer is an error. */
async function readCrontab(env: ToolEnvironment): Promise<string | undefined> {
  const run = await runTool(["crontab", "-l"], { env });
  if (run === undefined) return undefined;
  if (run.exitCode === 0) return run.stdout.toString("latin1");
  if (run.stdout.length === 0 && /^(?:crontab: )?no crontab for \S+$/.test(run.stderr)) return "";
  throw timerFailed(
    `Your crontab could not be read, so it was left alone: ${reason(run)}`,
    "`crontab -l` must succeed first; another timer can be chosen.",
  );
}

async function writeCrontab(text: string, env: ToolEnvironment): Promise<void> {
  const run =
    text === ""
      ? await runTool(["crontab", "-r"], { env })
      : await runTool(["crontab", "-"], { env, input: Buffer.from(text, "latin1") });
  if (run?.exitCode !== 0)
    throw timerFailed(
      `The crontab was not taken: ${run === undefined ? "" : reason(run)}`,
      "What was in it before is still there.",
    );
  if ((await readCrontab(env)) !== text)
    throw timerFailed(
      "The crontab is not as it was written a moment ago.",
      "Somebody else may be writing it: look at `crontab -l`, then try again.",
    );
}

const reason = (run: { readonly exitCode: number | null; readonly stderr: string }): string =>
  run.stderr === "" ? `crontab ended with exit code ${run.exitCode}.` : run.stderr;

function missing(): never {
  throw timerFailed("There is no `crontab` here.", "Install cron, or choose another timer.");
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

/** At its own hour the night itself begins. */
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

/** In a crontab `%` ends the command unless a backslash stands before it, and that one must not be escaped by another. */
const cronText = (command: string): string => command.replaceAll("\\%", "\\''%").replaceAll("%", "\\%");

/** From the first mark to behind the last, or undefined. */
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
    "A block of whetstone in your crontab was changed by hand; it was left alone.",
    "`crontab -e` and take the lines between its two marks out, with the marks; then schedule again.",
  );
