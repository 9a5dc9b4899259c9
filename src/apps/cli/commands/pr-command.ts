import { appendFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { exportFolder, journalPlace } from "../../../config/journal-place.ts";
import { isPostgresAddress } from "../../../adapters/journals/postgres/postgres-connection.ts";
import { readWorkflow, type Workflow } from "../../../adapters/github/pull-request.ts";
import { stickyComment } from "../../../adapters/github/sticky-comment.ts";
import { writeFileAtomic } from "../../../adapters/atomic-file.ts";
import { readEnv } from "../../../config/env.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { RunEvent } from "../../../core/events.ts";
import { openBase } from "../../../run/pull-request/base-commit.ts";
import { type ChangedSkills, changedSkills } from "../../../run/pull-request/changed-skills.ts";
import { type PullRequestCheck, checkSkills } from "../../../run/pull-request/check-skills.ts";
import { commentMark, pullRequestComment } from "../../../run/pull-request/comment.ts";
import { junit } from "../../../run/pull-request/junit.ts";
import { configForSkill, nearestConfig } from "../../../run/pull-request/own-config.ts";
import { compare } from "../../../run/verbs/compare.ts";
import type { FailOn } from "../../../core/fail-words.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, readConfig } from "../read-config.ts";
import { watched } from "./train-command.ts";

export interface PrFlags extends RunFlags {
  /** A branch or any git ref. @default in a GitHub workflow the base branch of the pull request */
  readonly base?: string;
  /** Main files of skills, as git globs. @default every SKILL.md */
  readonly skills?: readonly string[];
  readonly failOn?: FailOn;
  /** Posts the result on the pull request. */
  readonly comment: boolean;
  /** File for the JUnit XML. */
  readonly junit?: string;
}

/** `whetstone pr` */
export async function prCommand(flags: PrFlags, io: Io): Promise<void> {
  const { cwd, signal } = io;
  if (flags.unattended === true)
    throw new WhetstoneError(
      "usage",
      "`pr` takes config and code from the base commit, which vouches for them.",
      {
        hint: "Leave out --unattended: `whetstone trust` only covers this folder's files.",
      },
    );
  const workflow = readWorkflow(readEnv());
  const { skills: globs = ["**/SKILL.md"] } = flags;
  const changed = await changedSkills({ cwd, base: baseOf(flags, workflow), globs });
  const check = await checkWithBase(changed, flags, io);
  const text = pullRequestComment(check);
  if (flags.junit !== undefined) await writeFileAtomic(resolve(cwd, flags.junit), junit(check));
  if (flags.json) io.printJson(endLine(check));
  else io.print(`\n${text.replace(`${commentMark}\n`, "").trimEnd()}`);
  if (flags.comment) await publish(text, check, workflow, io, signal);
  refuse(check, flags.failOn);
}

/** Runs in the base commit's folder, so that paths in its config and code lead to the base commit's files. */
async function checkWithBase(changed: ChangedSkills, flags: PrFlags, io: Io): Promise<PullRequestCheck> {
  const { cwd } = io;
  const base = await openBase(cwd, changed.base);
  const { journal } = flags.given;
  const given =
    journal === undefined || isPostgresAddress(journal)
      ? flags.given
      : { ...flags.given, journal: resolve(cwd, journal) };
  const started = process.cwd();
  process.chdir(base.cwd);
  try {
    return await checkSkills(changed, {
      cwd,
      failOn: flags.failOn,
      base,
      async configFor(skill) {
        const config = flags.config ?? nearestConfig(base.cwd, skill);
        const read = await readConfig({ ...flags, given, config, folder: base.cwd }, io);
        const place = journalPlace(read.journal && base.inCheckout(read.journal), cwd);
        return {
          ...configForSkill(read, skill, base.cwd),
          journal: place.journalUrl ?? place.journalDir,
          // the base commit's folder is removed at the end
          out: join(exportFolder(place, cwd), "pr", encodeURIComponent(skill === "." ? "SKILL.md" : skill)),
        };
      },
      compare: (config, baseline, hear) =>
        watched(config, flags.json, io, (hooks) => {
          const onEvent = (event: RunEvent) => hooks.onEvent?.(hear(event));
          return compare({ ...config, baseline, memory: "fades", ...hooks, cwd: base.cwd, onEvent });
        }),
    });
  } finally {
    process.chdir(started);
    await base.close();
  }
}

/** The last line of `--json`, after the events of the comparisons. */
const endLine = ({ base, checks }: PullRequestCheck) => ({
  type: "pr-end",
  base,
  checks: checks.map((check) =>
    check.kind === "not-measured" ? { ...check, error: check.error?.code } : check,
  ),
});

function baseOf({ base }: PrFlags, workflow: Workflow): string {
  const found = base ?? workflow.base;
  if (found !== undefined) return found;
  throw new WhetstoneError("usage", "The base branch is unknown.", {
    hint: "Add --base <git ref>, such as --base main.",
  });
}

/** Posts on the pull request, or on the workflow's page if that's refused. Without a changed skill it starts no comment. */
async function publish(
  text: string,
  { checks }: PullRequestCheck,
  { api, repository, pullRequest, token, summary }: Workflow,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const done =
    api === undefined || repository === undefined || pullRequest === undefined || token === undefined
      ? ({ kind: "refused", why: "the pull request or the token is unknown" } as const)
      : await stickyComment(
          { api, repository, pullRequest, token },
          { mark: commentMark, body: text, signal, isBegun: checks.length > 0 },
        );
  if (done.kind === "none") return;
  if (done.kind !== "refused") return io.warn(`The comment was ${done.kind}. ${done.url}`.trimEnd());
  if (checks.length === 0) return;
  if (summary === undefined) return io.warn(`No comment posted: ${done.why}. The result is printed above.`);
  await appendFile(summary, text);
  io.warn(`No comment posted: ${done.why}. The result is on the workflow's summary page.`);
}

/** `--fail-on` as an exit code; then what went wrong. */
function refuse({ checks }: PullRequestCheck, failOn: FailOn | undefined): void {
  const failing = checks.filter(({ fails }) => fails).map(({ skill }) => skill);
  if (failing.length > 0)
    throw new WhetstoneError("failed", `${failing.join(", ")}: refused, because --fail-on is ${failOn}.`, {
      hint: "The table says why; `whetstone runs show` shows how each task went.",
    });
  for (const check of checks)
    if (check.kind === "not-measured" && check.error !== undefined) throw check.error;
}
