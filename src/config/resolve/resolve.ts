import { allTasks } from "../../core/tasks/few-tasks.ts";
import { basename } from "node:path";
import { isThere, readProjectText } from "../../adapters/project-file.ts";
import { exportFolder, journalPlace } from "../journal-place.ts";
import { commandRunner } from "../../adapters/sandboxes/command-runner.ts";
import type { Checkouts } from "../../adapters/workspaces/git-checkout.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import { meant } from "../../core/nearest-word.ts";
import type { Role } from "../../core/ports/model.ts";
import { analystError } from "../../core/prompts/analyst-error.ts";
import { analystSuccess } from "../../core/prompts/analyst-success.ts";
import { anchorRepair } from "../../core/prompts/anchor-repair.ts";
import { mergeFailure, mergeFinal, mergeSuccess } from "../../core/prompts/merge.ts";
import { contrastive } from "../../core/prompts/contrastive.ts";
import { metaSkillPrompt } from "../../core/prompts/meta-skill.ts";
import { mine } from "../../core/prompts/mine.ts";
import { oneShot } from "../../core/prompts/one-shot.ts";
import { ranking } from "../../core/prompts/ranking.ts";
import { editor } from "../../core/prompts/editor.ts";
import { slowUpdatePrompt } from "../../core/prompts/slow-update.ts";
import { type TaskFacts, defaultGateNotes, taskFacts } from "../../core/gate/default-gate.ts";
import { relatedJudgeSentence } from "../../core/judge/judge-family.ts";
import { usesBox, usesJudge } from "../../core/scorers/uses-kind.ts";
import { defaultOf, fillSettings } from "../../core/setting.ts";
import {
  type TrainSettings,
  defaultSeed,
  gateSettings,
  limitSettings,
  measureSettings,
  ownSettings,
  searchSettings,
  studySettings,
} from "../../core/settings.ts";
import { findFullSkill } from "../../core/skill/full-skill.ts";
import type { Skill } from "../../core/skill/skill.ts";
import type { SkillProblem } from "../../core/skill/validate-skill.ts";
import type { Sides, SplitRatio } from "../../core/tasks/split.ts";
import { askedHash } from "../../core/tasks/asked-hash.ts";
import { agentEnvironment } from "../../core/tasks/agent-environment.ts";
import { chatEnvironment } from "../../core/tasks/chat-environment.ts";
import type { Splits, Task } from "../../core/tasks/task.ts";
import { leftAsideOf } from "../../core/tasks/left-aside.ts";
import { readDescription } from "../../core/triggers/description.ts";
import { checkTrack } from "../../core/triggers/trigger-task.ts";
import { triggerEnvironment } from "../../core/triggers/trigger-environment.ts";
import { guessSkill, guessTasks, shownPath } from "../guess.ts";
import { isPath } from "../load.ts";
import type { SkillList } from "../files/list-skill-files.ts";
import { checkSkill, readSkill, refuseProjectFolder } from "../files/read-skill.ts";
import { readTasks, taskFiles } from "../files/read-tasks.ts";
import { projectCheckouts, refuseUnknownCommits } from "./resolve-checkouts.ts";
import { refuseAnswers } from "../files/refuse-answers.ts";
import { resolveEnvironment } from "./resolve-environment.ts";
import { readFleetSecret } from "../trust/fleet-secret.ts";
import { fleetSettings } from "../fleet-settings.ts";
import { resolveLeaveOut, resolveWaive } from "./resolve-leave-out.ts";
import { resolveNeighbours } from "./resolve-neighbours.ts";
import { hashScorers, loadCustomScorers } from "../files/load-custom-scorers.ts";
import { readCalibration } from "../files/read-calibration.ts";
import { agentNameOf } from "./agent-name.ts";
import { agentOpener } from "./resolve-agents.ts";
import { handoffFolder, modelId } from "./resolve-model.ts";
import { foreignHost } from "../trust/find-destinations.ts";
import { withUsualVariables } from "./usual-variables.ts";
import { type ModelChoices, type OnMissing, bodyTakers, chooseModels, openModels } from "./resolve-models.ts";
import type { Resolved } from "./resolved.ts";
import { type Config, effortSettings, runSettings } from "../schema.ts";

export interface ResolveOptions {
  /** The folder to guess from and to put the journal in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The roles that will be called. @default target and optimizer */
  readonly roles?: readonly Role[];
  /** The command only asks the skill. @default false */
  readonly withoutTasks?: boolean;
  /** The command trains, so a gate chosen from the tasks is noted. @default false */
  readonly trains?: boolean;
  /** Working copies for tasks with `checkout`; the caller closes them. @default of the repository containing `cwd` */
  readonly checkouts?: Checkouts;
  /** The splits that earlier runs in the journal put tasks in. */
  readonly seen?: Sides;
  /** Only prices and caps are needed: no keys, programs or sandbox. @default false */
  readonly withoutCalls?: boolean;
  /** Addresses belong to another machine, so this one's variables don't apply. @default false */
  readonly fromCoordinator?: boolean;
  /** Called with models and agents that can't be opened here, which are then left out. @default it is thrown */
  readonly onMissing?: OnMissing;
}

/** Answers every open question in a config: reads files, finds models, applies defaults, checks tasks can be scored. */
export async function resolveConfig(written: Config, options: ResolveOptions): Promise<Resolved> {
  const { cwd, env, withoutCalls = false } = options;
  const guesses: string[] = [];
  const notes: string[] = [];
  const { seed = defaultSeed } = written;
  const { skill, path, list, problems } = await resolveSkill(written, cwd, guesses);
  const told = problems.filter(({ level }) => level !== "advice");
  notes.push(...told.map(({ message, hint }) => `skill: ${message} ${hint}`));
  const splits =
    options.withoutTasks === true
      ? { train: [], val: [], test: [] }
      : await resolveTasks(written, { seed, seen: options.seen }, path, cwd, { guesses, notes });
  refuseAnswers(skill, splits, written);
  const facts = taskFacts(splits);
  const settings = await resolveSettings(written, facts);
  if (options.trains === true && written.gate === undefined) notes.push(...defaultGateNotes(facts));
  const neighbours = await resolveNeighbours(written, skill, notes);
  const tasks = allTasks(splits);
  const waive = resolveWaive(written.waive ?? [], tasks);
  const leaveOut = resolveLeaveOut(written.leaveOut ?? [], splits);
  const roles = rolesFor(tasks, options.roles);
  const choices = chooseModels(written, { env, roles }, guesses);
  const ids = roles.map((role) => modelId(choices[role]));
  const config = options.fromCoordinator === true ? written : withUsualVariables(written, ids, env, guesses);
  const takesBody = bodyTakers(config, choices);
  const models = {
    target: modelId(choices.target),
    optimizer: modelId(choices.optimizer),
    judge: modelId(choices.judge),
    miner: modelId(choices.miner),
  };
  const related = usesJudge(tasks) ? relatedJudgeSentence(models) : undefined;
  if (options.trains === true && related !== undefined) notes.push(`judge: ${related}`);
  const { offline, concurrency, callSeconds, executor, redis, insecureRedis, out, snapshots, telemetry } =
    fillSettings(runSettings, config);
  const checkouts = options.checkouts ?? (await projectCheckouts(tasks, config, { cwd, env }));
  const opener = agentOpener(config, env, checkouts);
  const isAgentRole = (role: Role) => agentNameOf(modelId(choices[role]), config) !== undefined;
  const isAgent = isAgentRole("target");
  // an agent's version is in every key, so we ask for it even if nothing is called
  const called = offline ? roles.filter((role) => role === "target" && isAgent) : roles;
  const handoff = handoffFolder(config, cwd);
  const opened = await openModels(
    config,
    choices,
    { env, roles: called, handoff, withoutCalls, onMissing: options.onMissing },
    opener,
    { guesses, notes },
  );
  if (isAgent && skill.main === "SKILL.md") readDescription(skill);
  const environment =
    settings.track === "description"
      ? triggerEnvironment(neighbours)
      : await resolveEnvironment(
          config.environment,
          isAgent ? agentEnvironment(neighbours) : chatEnvironment,
        );
  if (neighbours.length > 0 && !isAgent && settings.track === "body")
    notes.push("neighbours: no effect, because a chat model is given the skill and doesn't choose one");
  const isBoxed = usesBox(tasks) || called.some((role) => isAgentRole(role));
  if (config.sandbox === "none" && isBoxed)
    notes.push("sandbox: none, so agents and graders can read, change and send anything you can");
  // checked now, before we pay for the first rollout
  if (!offline && !withoutCalls && usesBox(tasks)) await opener.sandbox();
  if (!offline && !withoutCalls && checkouts !== undefined) await refuseUnknownCommits(tasks, checkouts);
  const customScorers = await loadCustomScorers(tasks, cwd, config.scorers);
  const place = journalPlace(config.journal, cwd);
  return {
    settings,
    ...(typeof config.gate === "object" ? { gate: config.gate } : {}),
    skill,
    skillPath: path ?? "",
    skillList: list,
    mayHoldAnswers: config.mayHoldAnswers,
    splits,
    neighbours,
    environment,
    waive,
    ...(options.withoutTasks === true ? {} : { leaveOut }),
    models,
    ...hostsOf(choices, config),
    takesBody,
    ...opened,
    isAgent,
    runCommand: async (request, signal) =>
      commandRunner(await opener.sandbox(), { checkouts })(request, signal),
    ...(options.checkouts !== undefined || checkouts === undefined ? {} : { close: () => checkouts.close() }),
    customScorers,
    scorerHashes: await hashScorers(tasks, cwd, config.scorers),
    calibration: await readCalibration(config.calibration, tasks),
    concurrency,
    callSeconds,
    ...place,
    exportDir: exportFolder(place, cwd),
    ...(executor !== "bullmq" || offline
      ? {}
      : {
          fleet: {
            redis,
            insecureRedis,
            settings: fleetSettings(config, {
              choices,
              roles,
              skill,
              environment,
              agents: opened.agents,
              scorers: [...customScorers.keys()],
              hasCheckouts: checkouts !== undefined,
              hasCommands: usesBox(tasks),
              place,
              cwd,
            }),
            // without calls nothing needs signing
            secret: withoutCalls ? "" : readFleetSecret(env),
          },
        }),
    offline,
    out,
    snapshots,
    telemetry,
    guesses,
    notes,
  };
}

/** A model made in code doesn't give its address. */
function hostsOf(choices: ModelChoices, config: Config): Pick<Resolved, "hosts"> {
  const hosts = Object.values(choices).flatMap((choice) => {
    const host = typeof choice === "string" ? foreignHost(choice, config) : undefined;
    return host === undefined ? [] : [[modelId(choice), host] as const];
  });
  return hosts.length === 0 ? {} : { hosts: Object.fromEntries(hosts) };
}

/** A rubric needs a judge. */
const rolesFor = (
  tasks: readonly Task[],
  roles: readonly Role[] = ["target", "optimizer"],
): readonly Role[] => (usesJudge(tasks) && roles.includes("target") ? [...roles, "judge"] : roles);

/** Every setting that can change a decision, with defaults. Some depend on the number of tasks. */
export async function resolveSettings(
  config: Config,
  tasks: Partial<TaskFacts> = {},
): Promise<TrainSettings> {
  const facts = { ...fillSettings(effortSettings, config), ...tasks, byHand: asksByHand(config) };
  const search = fillSettings(searchSettings, config, facts);
  const { editBudget, minEditBudget, track } = search;
  if (minEditBudget > editBudget) {
    throw new WhetstoneError(
      "config-invalid",
      `"minEditBudget" is ${minEditBudget}; it must be at most "editBudget", ${editBudget}.`,
      { hint: 'Lower "minEditBudget" or raise "editBudget".' },
    );
  }
  const { gate: given, ...others } = config;
  const own = typeof given === "object" ? given : undefined;
  const named = typeof given === "object" ? others : { ...others, gate: given };
  const { gate, trials, ...claims } = fillSettings(gateSettings, named, facts);
  return {
    ...search,
    gate: own === undefined ? gate : `${own.name}@${own.version}`,
    trials,
    claimTrials: config.trials ?? "auto",
    ...claims,
    ...fillSettings(studySettings, config, { ...facts, track }),
    ...fillSettings(measureSettings, config),
    ...fillSettings(limitSettings, config),
    ...fillSettings(ownSettings, config),
    prompts: readPrompts(config.prompts ?? {}),
  };
}

const asksByHand = ({ target, optimizer, judge, miner }: Config): boolean =>
  [target, optimizer, judge, miner].some((choice) => choice !== undefined && isHandoff(modelId(choice)));

const promptNames = [
  analystError,
  analystSuccess,
  mergeFailure,
  mergeSuccess,
  mergeFinal,
  ranking,
  anchorRepair,
  contrastive,
  editor,
  oneShot,
  slowUpdatePrompt,
  metaSkillPrompt,
  mine,
].map(({ name }) => name);

function readPrompts(prompts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, given] of Object.entries(prompts)) {
    if (!promptNames.includes(name))
      throw new WhetstoneError("config-invalid", `"prompts.${name}" isn't an optimizer prompt.`, {
        hint: meant(name, promptNames, `Known prompts: ${promptNames.join(", ")}.`),
      });
    texts[name] = isPath(given) ? readPrompt(name, given) : given;
  }
  return texts;
}

function readPrompt(name: string, path: string): string {
  if (isThere(path)) return readProjectText(path);
  throw new WhetstoneError("not-found", `"prompts.${name}": can't read ${path}.`, {
    hint: "Correct the path.",
  });
}

/** Reads the skill, with notes for the user. `path` is undefined if the skill was given in code. */
export async function resolveSkill(
  config: Config,
  cwd: string,
  guesses: string[],
): Promise<{
  readonly skill: Skill;
  readonly path: string | undefined;
  readonly list: SkillList;
  readonly problems: readonly SkillProblem[];
}> {
  const given =
    config.skill ??
    guess(
      "skill",
      guessSkill(cwd),
      cwd,
      guesses,
      "Put a SKILL.md here, or name one after the command, such as ./skills/mine.",
    );
  const path = typeof given === "string" ? given : undefined;
  const tasks = config.tasks ?? guessTasks(cwd, path);
  const problems: SkillProblem[] = [];
  const list: SkillList = { more: config.skillFiles, except: await taskFiles(tasks, cwd) };
  const onLeftOut = (problem: SkillProblem) => problems.push(problem);
  const skill: Skill = typeof given === "string" ? await readSkill(given, { ...list, onLeftOut }) : given;
  if (path !== undefined && basename(path) !== skill.main)
    refuseProjectFolder(path, journalPlace(config.journal, cwd).journalDir);
  if (!Object.hasOwn(skill.files, skill.main)) {
    throw new WhetstoneError("skill-invalid", `The skill's main file ${skill.main} isn't among its files.`, {
      hint: "Give { main, files }, where `main` is a key of `files`.",
    });
  }
  const unknown = (config.mayHoldAnswers ?? []).find((file) => !Object.hasOwn(skill.files, file));
  if (path !== undefined && unknown !== undefined) {
    throw new WhetstoneError(
      "config-invalid",
      `"mayHoldAnswers" names ${unknown}, which isn't a file of the skill.`,
      { hint: `Name one of ${Object.keys(skill.files).slice(0, 8).join(", ")}.` },
    );
  }
  problems.push(...checkSkill(skill, path), ...findFullSkill(skill, fillSettings(limitSettings, config)));
  return { skill, path, list, problems };
}

/** Reads the tasks, divides them, and checks that they can be scored. */
export async function resolveTasks(
  config: Config,
  { seed, seen }: { readonly seed: number; readonly seen?: Sides | undefined },
  skillPath: string | undefined,
  cwd: string,
  { guesses, notes }: { readonly guesses: string[]; readonly notes: string[] },
): Promise<Splits> {
  const way = "Put a tasks.jsonl next to the skill, or name one with --tasks <path>.";
  const tasks = config.tasks ?? guess("tasks", guessTasks(cwd, skillPath), cwd, guesses, way);
  const needsScoring = config.environment === undefined;
  const { split, splitNames, skipInvalid, drop } = config;
  const ratio = split === undefined ? undefined : parseRatio(split);
  const splits = await readTasks(tasks, {
    seed,
    ratio,
    seen,
    splitNames,
    needsScoring,
    skipInvalid,
    drop,
    onSkip: (sentence) => notes.push(`tasks: ${sentence}`),
  });
  const leftAside = leftAsideOf(allTasks(splits));
  if (leftAside.length > 0) notes.push(`tasks: asserts left out: ${leftAside.join(", ")}`);
  if (needsScoring) checkTrack(splits, config.track ?? defaultOf(searchSettings.track));
  const isSeen = (task: Task) => seen?.has(askedHash(task)) === true;
  if (ratio !== undefined && allTasks(splits).some(isSeen))
    notes.push("split: tasks already in the journal keep their split; the ratio applies to new ones");
  return splits;
}

function guess(
  what: "skill" | "tasks",
  found: string | undefined,
  cwd: string,
  guesses: string[],
  way: string,
): string {
  if (found === undefined) {
    throw new WhetstoneError("not-found", `No ${what} given, and none found in ${cwd}.`, {
      hint: way,
    });
  }
  guesses.push(`${what}: ${shownPath(found, cwd)}`);
  return found;
}

function parseRatio(ratio: NonNullable<Config["split"]>): SplitRatio {
  const [train = 0, val = 0, test = 0] = typeof ratio === "string" ? ratio.split(":").map(Number) : ratio;
  return [train, val, test];
}
