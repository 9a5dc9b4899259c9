import { expandConfig, findConfigFile } from "../../../config/load.ts";
import { isOnThisMachine } from "../../../config/resolve/model-place.ts";
import { findWork } from "../../../config/resolve/find-work.ts";
import { readEnv } from "../../../config/env.ts";
import type { Config } from "../../../config/schema.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { runDoctor } from "../../../run/doctor/doctor.ts";
import { type Initialised, chooseWork, configOf, writeConfig } from "../../../run/init.ts";
import { plan } from "../../../run/plan.ts";
import type { CallPlan } from "../../../run/verbs/plan-call.ts";
import { colors, wrap } from "../../../show/format.ts";
import type { Io, Prompter } from "../../../show/io.ts";
import { countRange, timeRange, usdRange } from "../../../show/ranges.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { readConfig } from "../read-config.ts";
import { findingLines } from "./doctor-command.ts";
import { initCommand } from "./init-command.ts";
import { trainCommand } from "./train-command.ts";

/** `whetstone start`, and `whetstone` alone: from an unknown folder to a result, with at most two questions before the price. */
export async function startCommand(io: Io): Promise<void> {
  const { prompt } = io;
  if (prompt === undefined)
    throw new WhetstoneError(
      "usage",
      "`whetstone start` asks before it reads or spends, so it needs a terminal.",
      {
        hint: "In a script: `whetstone init`, `whetstone plan`, then `whetstone train`.",
      },
    );
  const file = findConfigFile(io.cwd);
  // look at file names only, until a person agrees that this folder may be read
  const chosen = file === undefined ? await chooseByName(prompt, io) : undefined;
  if (file !== undefined) {
    io.print(`Found ${shownFrom(io.cwd)(file)}.`);
    await goOn(
      prompt,
      "Press Enter to read it and the files it names, and to time a model on this machine. Ctrl-C to stop. ",
      io,
    );
  }
  if (chosen !== undefined && chosen.tasks === undefined) return draftFirst(chosen, prompt, io);
  const config =
    chosen === undefined
      ? await readConfig({ given: {} }, io)
      : await expandConfig(configOf(chosen), io.cwd, "The config");
  await lookAndTime(config, io);
  const { given, planned, fits } = await planWhatFits(config, io);
  io.print(["", ...offerLines(planned, fits, io.columns)].join("\n"));
  if (planned.refusal !== undefined) throw planned.refusal;
  await goOn(prompt, "Press Enter to start, Ctrl-C to stop. ", io);
  if (chosen !== undefined) writeConfig(chosen);
  await trainCommand({ given, json: false }, io);
}

/** Finds the work by file names. Asks for the skill if there are several, and for the model if no key or program settles it. */
async function chooseByName(prompt: Prompter, io: Io): Promise<Initialised> {
  const { skills } = findWork(io.cwd, readEnv());
  const skill = skills.length > 1 ? await askWhich(prompt, skills, io) : undefined;
  const found = chooseWork({ folder: io.cwd, skill });
  const models = found.target === undefined ? await askModel(prompt, io) : undefined;
  const chosen = models === undefined ? found : chooseWork({ folder: io.cwd, skill, models });
  io.print(
    [
      "Found by name:",
      `  skill      ${chosen.skill}`,
      `  tasks      ${chosen.tasks ?? "none"}`,
      `  target     ${chosen.target}`,
      `  optimizer  ${chosen.optimizer}`,
    ].join("\n"),
  );
  await goOn(
    prompt,
    "Press Enter to read these files, and to time a model on this machine. Ctrl-C to stop. ",
    io,
  );
  return chosen;
}

async function askWhich(prompt: Prompter, skills: readonly string[], io: Io): Promise<string> {
  io.print(skills.map((path, at) => `  ${at + 1}  ${path}`).join("\n"));
  for (;;) {
    const said = await answerTo(prompt, "Which skill? [1] ", io);
    const skill = skills[Number(said === "" ? "1" : said) - 1] ?? skills.find((path) => path === said);
    if (skill !== undefined) return skill;
  }
}

async function askModel(
  prompt: Prompter,
  io: Io,
): Promise<NonNullable<Parameters<typeof chooseWork>[0]["models"]>> {
  io.print(
    wrap(
      "No key is set and no agent is installed. Enter a model as provider/model, such as `ollama/llama3.2`. For a server of your own, add its address: house/small http://127.0.0.1:8000/v1",
      io.columns,
    ).join("\n"),
  );
  for (;;) {
    const [target = "", baseURL] = (await answerTo(prompt, "Which model? ", io)).split(/\s+/);
    if (/^[^/\s]+\/\S+$/.test(target)) return { target, ...(baseURL === undefined ? {} : { baseURL }) };
  }
}

async function answerTo(prompt: Prompter, question: string, io: Io): Promise<string> {
  const said = await prompt.ask(question);
  if (said !== undefined && !io.signal.aborted) return said.trim();
  throw new WhetstoneError("interrupted", "Stopped as you asked. Nothing was written.", {
    hint: "`whetstone demo` shows a training that needs no key and none of your files.",
  });
}

async function goOn(prompt: Prompter, question: string, io: Io): Promise<void> {
  await answerTo(prompt, question, io);
}

/** Nothing can be trained or measured without tasks, so the optimizer drafts some and the person keeps or drops each. */
async function draftFirst(chosen: Initialised, prompt: Prompter, io: Io): Promise<void> {
  const config = await expandConfig(configOf(chosen), io.cwd, "The config");
  const { price, time } = await plan({ ...config, verb: "draft", count: draftedTasks, cwd: io.cwd });
  const cost = price.high === 0 ? timeRange(time) : `${usdRange(price)}, ${timeRange(time)}`;
  const offer = `You don't have any tasks yet. The optimizer can draft ${draftedTasks} from the skill (${cost}), and you keep or drop each with one key.`;
  io.print(["", ...wrap(offer, io.columns)].join("\n"));
  await goOn(prompt, "Press Enter to draft them, Ctrl-C to stop. ", io);
  const { target, optimizer, baseURL: baseUrl } = chosen;
  const models = { ...(target && { target }), ...(optimizer && { optimizer }), ...(baseUrl && { baseUrl }) };
  await initCommand({ force: false, json: false, draft: draftedTasks, ...models }, io);
}

const draftedTasks = 8;

/** Times a server on this machine, which is free and stays local. For other servers, the table of earlier replies has the times. */
async function lookAndTime(config: Config, io: Io): Promise<void> {
  const isHere = [config.target, config.optimizer ?? config.target].every(
    (model) => typeof model === "string" && isOnThisMachine(model, config),
  );
  const onWait = (what: string) => io.show([colors.dim(`timing ${what} …`)]);
  let failed = 0;
  const looked = runDoctor(config, { cwd: io.cwd, call: isHere, signal: io.signal, onWait });
  for await (const found of looked) {
    io.show([]);
    if (found.status === "fail") failed += 1;
    const isTold = found.status !== "ok" || found.about.endsWith(" server");
    if (isTold) io.print(findingLines(found, io.lineLimit).join("\n"));
  }
  if (failed > 0)
    throw new WhetstoneError("failed", "This can't start yet.", {
      hint: "Fix the problems listed above, then type `whetstone` again. A server's address goes after the model's name.",
    });
}

interface Fitting {
  readonly given: Config;
  readonly planned: CallPlan;
  readonly fits: boolean;
}

/** The most thorough of these trainings that takes at most ten minutes and a dollar; else the smallest. */
async function planWhatFits(config: Config, io: Io): Promise<Fitting> {
  let last: Fitting | undefined;
  for (const given of trainings) {
    const onSoFar = () => io.show([colors.dim("estimating what fits in ten minutes …")]);
    const planned = await plan({ ...config, ...given, cwd: io.cwd, signal: io.signal, onSoFar });
    io.show([]);
    const fits = planned.time.high <= mostMs && planned.price.high <= mostNanoUsd;
    last = { given, planned, fits };
    if (fits) break;
  }
  return last as Fitting;
}

const trainings: readonly Config[] = [{ effort: "quick" }, { effort: "quick", epochs: 1, baselines: false }];
const [mostMs, mostNanoUsd] = [600_000, 1e9];

function offerLines(planned: CallPlan, fits: boolean, columns: number): readonly string[] {
  const { price, time, calls, tasks, models, power } = planned;
  const cost = price.high === 0 ? "no cost" : usdRange(price);
  const size = `${timeRange(time)}, ${cost}, ${countRange(calls)} calls`;
  const count = tasks.train + tasks.val + tasks.test;
  const what =
    power?.isShared === true
      ? `It trains and measures on your ${tasks.train} tasks, so the result only holds for these tasks.`
      : `It trains on ${tasks.train} of ${count} tasks, chooses on ${tasks.val} and tests the result on ${tasks.test}.`;
  const sent = `Your skill and tasks go to ${[...new Set([models.target, models.optimizer])].join(" and ")}.`;
  return [
    colors.bold(fits ? `This fits in ten minutes: ${size}` : `The smallest training: ${size}`),
    ...wrap(`${what} ${sent}`, columns, "  "),
  ];
}
