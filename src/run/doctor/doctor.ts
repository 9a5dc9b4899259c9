import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type JournalPlace, openJournal } from "../../adapters/journals/open-journal.ts";
import { journalPlace } from "../../config/journal-place.ts";
import { anotherFolder } from "../../adapters/journals/journal-folder.ts";
import { folderProblem } from "../../adapters/make-folder.ts";
import { refuseAnswers } from "../../config/files/refuse-answers.ts";
import { resolveSkill, resolveTasks } from "../../config/resolve/resolve.ts";
import { defaultSeed } from "../../core/settings.ts";
import { resolveEnvironment } from "../../config/resolve/resolve-environment.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { chatEnvironment } from "../../core/tasks/chat-environment.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { SkillProblem } from "../../core/skill/validate-skill.ts";
import type { Splits } from "../../core/tasks/task.ts";
import { findInterrupted, interruptedSkills } from "../offer/receipts.ts";
import { diagnoseRoles } from "./diagnose-roles.ts";
import { type Finding, failure, look } from "./finding.ts";
import { lintFindings } from "./lint-findings.ts";
import { measureRollouts } from "./measure-rollouts.ts";
import { listRuns } from "../reports/runs.ts";
import { readSidesAt } from "../session/open-if-there.ts";

export interface DoctorOptions {
  readonly cwd: string;
  /** Makes one call per role, with the longest prompt that a run would start with. */
  readonly call: boolean;
  /** Also rolls out two train tasks, so that plans know the size of a rollout. @default false */
  readonly measure?: boolean;
  readonly signal: AbortSignal;
  /** Called before something that may take a while. */
  readonly onWait?: (what: string) => void;
}

/** Checks everything a run needs, one finding after another. A failed check doesn't stop the others. */
export async function* runDoctor(config: Config, options: DoctorOptions): AsyncGenerator<Finding> {
  const { cwd } = options;
  const place = journalPlace(config.journal, cwd);
  yield checkNode();
  let read: Skill | undefined;
  let skillPath: string | undefined;
  let skillProblems: readonly SkillProblem[] = [];
  yield await look("skill", async () => {
    const guesses: string[] = [];
    const { skill, path, problems } = await resolveSkill(config, cwd, guesses);
    read = skill;
    skillPath = path;
    skillProblems = problems;
    const files = Object.keys(skill.files).filter((file) => file !== skill.main);
    const shown = files.slice(0, 5).join(", ") + (files.length > 5 ? ` and ${files.length - 5} more` : "");
    return `${path ?? skill.main}${shown === "" ? "" : `: ${skill.main}, ${shown}`}${guessed(guesses)}`;
  });
  for (const { message, hint } of skillProblems)
    yield { about: "skill", status: "warn", text: message, next: hint };
  if (read !== undefined) yield* lintFindings(read, skillPath);
  let splits: Splits = { train: [], val: [], test: [] };
  yield await look("tasks", async () => {
    const [guesses, notes]: [string[], string[]] = [[], []];
    const { seed = defaultSeed } = config;
    await resolveEnvironment(config.environment, chatEnvironment);
    // an unreadable journal has a finding of its own
    const seen = await readSidesAt(place).catch(() => undefined);
    splits = await resolveTasks(config, { seed, seen }, skillPath, cwd, { guesses, notes });
    const { train, val, test } = splits;
    if (read !== undefined) refuseAnswers(read, splits, config);
    return `${train.length} train, ${val.length} val, ${test.length} test${guessed(guesses)}`;
  });
  const { call, signal, onWait } = options;
  const { journalDir } = place;
  yield* diagnoseRoles(config, { call, signal, onWait, journalDir, skill: read, splits });
  yield await checkJournal(place);
  for (const live of interruptedSkills(place.journalDir))
    for (const { message, hint } of findInterrupted(live, place.journalDir))
      yield { about: "skill", status: "warn", text: message, next: hint };
  yield await checkDisk(place.journalDir);
  if (options.measure === true) yield await look("rollouts", () => measureRollouts(config, { cwd, signal }));
}

const guessed = (guesses: readonly string[]): string => (guesses.length > 0 ? " (guessed)" : "");

function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return { about: "node", status: "ok", text: node };
  return { about: "node", status: "fail", text: `${node} is too old`, next: "Install Node 22.18 or later." };
}

async function checkJournal(place: JournalPlace): Promise<Finding> {
  const where = place.journalUrl === undefined ? place.journalDir : "PostgreSQL";
  try {
    const journal = await openJournal(place, { readOnly: true });
    try {
      return {
        about: "journal",
        status: "ok",
        text: `${countRuns((await listRuns(journal)).length)} in ${where}`,
      };
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-found") {
      const problem = folderProblem(place.journalDir);
      if (problem !== undefined)
        return { about: "journal", status: "fail", text: `none, and ${problem}`, next: anotherFolder };
      return {
        about: "journal",
        status: "ok",
        text: `none yet; the first run creates ${place.journalUrl === undefined ? where : "one there"}`,
      };
    }
    return failure("journal", error);
  }
}

const countRuns = (count: number): string => (count === 1 ? "1 run" : `${count} runs`);

const [fewBytes, tooFewBytes] = [1e9, 5e7];

async function checkDisk(dir: string): Promise<Finding> {
  try {
    // before the first run, the state folder and its parents may not exist
    let there = dir;
    while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
    const { bavail, bsize } = await statfs(there);
    const free = bavail * bsize;
    const text = `${(free / 1e9).toFixed(1)} GB free`;
    if (free >= fewBytes) return { about: "disk", status: "ok", text };
    return {
      about: "disk",
      status: free < tooFewBytes ? "fail" : "warn",
      text,
      next: `Free some space for ${dir}.`,
    };
  } catch (error) {
    return failure("disk", error);
  }
}
