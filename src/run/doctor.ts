import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sqliteJournal } from "../adapters/journals/sqlite.ts";
import { priceOf } from "../adapters/models/prices.ts";
import { readEnv } from "../config/env.ts";
import { openModel, modelId, providersFor } from "../config/resolve-model.ts";
import { chooseModels } from "../config/resolve-models.ts";
import { resolveSettings, resolveSkill, resolveTasks } from "../config/resolve.ts";
import { resolveEnvironment } from "../config/resolve-environment.ts";
import type { Config } from "../config/schema.ts";
import { InfraError, WhetstoneError } from "../core/errors.ts";
import { chatEnvironment } from "../core/tasks/chat-environment.ts";
import type { Model, Role } from "../core/ports/model.ts";
import type { SkillProblem } from "../core/skill/validate-skill.ts";
import { listRuns } from "./runs.ts";

export interface Finding {
  readonly about: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface DoctorOptions {
  readonly cwd: string;
  /** Also makes one small call to each model. */
  readonly call: boolean;
  readonly signal: AbortSignal;
}

/** Looks at everything a run needs, one finding after the other; no finding keeps the others from being made. */
export async function* diagnose(config: Config, options: DoctorOptions): AsyncGenerator<Finding> {
  const { cwd } = options;
  yield checkNode();
  let skillPath: string | undefined;
  let skillProblems: readonly SkillProblem[] = [];
  yield await finding("skill", async () => {
    const guesses: string[] = [];
    const { skill, path, problems } = await resolveSkill(config, cwd, guesses);
    skillPath = path;
    skillProblems = problems;
    const files = Object.keys(skill.files).length;
    return `${path ?? skill.main}${files > 1 ? ` with ${files} files` : ""}${guessed(guesses)}`;
  });
  for (const { message, hint } of skillProblems)
    yield { about: "skill", status: "warn", text: message, next: hint };
  yield await finding("tasks", async () => {
    const guesses: string[] = [];
    const { seed } = await resolveSettings(config);
    await resolveEnvironment(config.environment, chatEnvironment);
    const { train, val, test } = await resolveTasks(config, seed, skillPath, cwd, guesses);
    return `${train.length} train, ${val.length} val, ${test.length} test${guessed(guesses)}`;
  });
  yield* checkModels(config, options);
  const dir = config.journal ?? join(cwd, ".whetstone");
  yield await checkJournalDir(dir);
  yield await checkDisk(dir);
}

const guessed = (guesses: readonly string[]): string => (guesses.length > 0 ? " (guessed)" : "");

function checkNode(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return { about: "node", status: "ok", text: node };
  return { about: "node", status: "fail", text: `${node} is too old`, next: "Install Node 22.18 or later." };
}

async function* checkModels(config: Config, { call, signal }: DoctorOptions): AsyncGenerator<Finding> {
  const guesses: string[] = [];
  const env = readEnv();
  const roles = ["target", "optimizer"] as const satisfies readonly Role[];
  let choices: ReturnType<typeof chooseModels>;
  try {
    choices = chooseModels(config, { env }, guesses);
  } catch (error) {
    yield failure("models", error);
    return;
  }
  for (const role of roles) {
    const id = modelId(choices[role]);
    yield await finding(role, async () => {
      const model = await openModel(choices[role], { env, providers: providersFor(id, config) });
      const answered = call ? `, answered in ${await callOnce(model, signal)} ms` : "";
      return `${id}: ${typeof choices[role] === "string" ? "its key is there or not needed" : "given in code"}${answered}`;
    });
    yield checkPrice(role, id, config);
  }
}

function checkPrice(role: Role, id: string, config: Config): Finding {
  const about = `${role} price`;
  const price = priceOf(id, config.prices);
  if (price !== undefined) {
    return { about, status: "ok", text: `$${price.input} in, $${price.output} out per million tokens` };
  }
  const capped = config.spend !== undefined && config.spend.usd === undefined;
  return {
    about,
    status: capped ? "warn" : "fail",
    text: `the price of ${id} is not known${capped ? "; the run is capped otherwise" : ", so a cap in USD cannot be kept"}`,
    next: `--price ${id}=<in>,<out>, prices in the config, or a cap such as --spend-calls 2000`,
  };
}

/** Milliseconds that one small call took. */
async function callOnce(model: Model, signal: AbortSignal): Promise<number> {
  const started = performance.now();
  const request = {
    model: model.id,
    messages: [{ role: "user", content: "Reply with the word ok." } as const],
    maxTokens: 256,
  };
  const key = `doctor-${process.pid}-${started}`;
  await model.generate(request, { key, signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) });
  return Math.round(performance.now() - started);
}

async function checkJournalDir(dir: string): Promise<Finding> {
  try {
    const journal = await sqliteJournal({ dir, readOnly: true });
    try {
      return { about: "journal", status: "ok", text: `${(await listRuns(journal)).length} runs in ${dir}` };
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof WhetstoneError && error.code === "not-found") {
      return { about: "journal", status: "ok", text: `none yet; the first run makes ${dir}` };
    }
    return failure("journal", error);
  }
}

const [fewBytes, tooFewBytes] = [1e9, 5e7];

async function checkDisk(dir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(dir).catch(() => statfs(dirname(dir)));
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

async function finding(about: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { about, status: "ok", text: await look() };
  } catch (error) {
    return failure(about, error);
  }
}

function failure(about: string, error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof WhetstoneError && error.hint !== undefined)
    return { about, status: "fail", text, next: error.hint };
  const next = error instanceof InfraError ? "Check key, model name and network." : "See the message.";
  return { about, status: "fail", text, next };
}
