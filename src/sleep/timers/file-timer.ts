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
  /** Where the system looks for the files of its timers, or where we keep them for it. */
  readonly folder: string;
  /** Names of a job's files, the main one first. */
  readonly files: (key: string) => readonly string[];
  /** Their contents in that order; throws when the system could not carry the job unchanged. */
  readonly write: (job: TimerJob, key: string) => readonly Buffer[];
  /** The reverse; undefined when they were written in another way. */
  readonly read: (contents: readonly Buffer[]) => TimerJob | undefined;
  /** What makes the system look, after the files were written. */
  readonly start: (key: string) => readonly SystemCommand[];
  /** What makes it forget, before the files are taken away. */
  readonly stop: (key: string) => readonly SystemCommand[];
}

export interface SystemCommand {
  readonly argv: readonly string[];
  /** It may have nothing to do. */
  readonly mayFail?: boolean;
}

/** A timer that is one or two files and a command that makes the system read them. */
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

/** Undefined when the main one is not there. */
async function contentsOf(paths: readonly string[]): Promise<readonly Buffer[] | undefined> {
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => undefined)));
  return contents[0] === undefined ? undefined : contents.map((content) => content ?? Buffer.alloc(0));
}

/** All commands in turn; from the first that cannot be run on, they are left to the person. */
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
