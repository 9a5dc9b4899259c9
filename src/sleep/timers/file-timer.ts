import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WhetstoneError } from "../../core/errors.ts";
import type { Timer, TimerChange, TimerJob, TimerName } from "../../core/ports/timer.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { jobKey, timerFailed } from "./check-job.ts";
import { type ToolEnvironment, runTool } from "../../adapters/run-tool.ts";
import { quoteWords } from "../../adapters/shell-words.ts";

export interface FileTimerOptions {
  readonly name: TimerName;
  readonly env: ToolEnvironment;
  /** The folder where the system looks for timer files, or where we keep them for it. */
  readonly folder: string;
  /** The names of a job's files, the main one first. */
  readonly files: (key: string) => readonly string[];
  /** Their contents in that order; throws if the system can't store the job unchanged. */
  readonly write: (job: TimerJob, key: string) => readonly Buffer[];
  /** The reverse; undefined if something else wrote them. */
  readonly read: (contents: readonly Buffer[]) => TimerJob | undefined;
  /** Commands that make the system load the files, after they are written. */
  readonly start: (key: string) => readonly SystemCommand[];
  /** Commands that make it forget them, before they are removed. */
  readonly stop: (key: string) => readonly SystemCommand[];
}

export interface SystemCommand {
  readonly argv: readonly string[];
  /** Failing is fine, because there may be nothing to do. */
  readonly mayFail?: boolean;
}

/** A timer made of one or two files and a command that makes the system read them. */
export function fileTimer({ name, env, folder, files, write, read, start, stop }: FileTimerOptions): Timer {
  const pathsOf = (key: string) => files(key).map((file) => join(folder, file));
  return {
    name,
    async install(job) {
      const key = jobKey(job.project);
      const contents = write(job, key);
      const paths = pathsOf(key);
      await mkdir(folder, { recursive: true });
      await mkdir(dirname(job.log), { recursive: true });
      for (const [at, path] of paths.entries()) await writeFileAtomic(path, contents[at] ?? Buffer.alloc(0));
      return { where: paths.join(" and "), ...(await runAll(start(key), env)) };
    },
    async remove(project) {
      const key = jobKey(project);
      const paths = pathsOf(key);
      if ((await contentsOf(paths)) === undefined) return undefined;
      const outcome = await runAll(stop(key), env);
      for (const path of paths) await rm(path, { force: true });
      return { where: paths.join(" and "), ...outcome };
    },
    async list() {
      const jobs: TimerJob[] = [];
      for (const file of await readdir(folder).catch(() => [])) {
        const key = /[0-9a-f]{12}/.exec(file)?.[0] ?? "";
        if (files(key)[0] !== file) continue;
        const contents = await contentsOf(pathsOf(key));
        const job = contents && read(contents);
        if (job === undefined || jobKey(job.project) !== key) throw damaged(join(folder, file));
        jobs.push(job);
      }
      return jobs;
    },
  };
}

/** Undefined if the main one doesn't exist. */
async function contentsOf(paths: readonly string[]): Promise<readonly Buffer[] | undefined> {
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => undefined)));
  return contents[0] === undefined ? undefined : contents.map((content) => content ?? Buffer.alloc(0));
}

/** Runs the commands in turn. From the first one that fails, they are left to the person. */
async function runAll(
  commands: readonly SystemCommand[],
  env: ToolEnvironment,
): Promise<Omit<TimerChange, "where">> {
  for (const [at, { argv, mayFail = false }] of commands.entries()) {
    const run = await runTool(argv, { env });
    const left = { todo: commands.slice(at).map((command) => quoteWords(command.argv)) };
    if (run === undefined) return left;
    if (run.exitCode !== 0 && !mayFail)
      return { ...left, because: run.stderr || `exit code ${run.exitCode}` };
  }
  return { todo: [] };
}

const damaged = (path: string): WhetstoneError =>
  timerFailed(`${path} was changed by hand.`, "Delete it, then schedule again.");
