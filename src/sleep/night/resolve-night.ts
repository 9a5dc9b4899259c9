import { redactingModel } from "../../adapters/redaction/redacting-model.ts";
import { findRemoteModels } from "../../config/trust/find-remote-models.ts";
import { resolveConfig } from "../../config/resolve/resolve.ts";
import { openProjectCheckouts } from "../../config/resolve/resolve-checkouts.ts";
import type { SleepSettings } from "../../config/schema.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import type { Verb } from "../../run/verbs/verb.ts";
import type { Consent } from "../consent.ts";
import type { SleepPlace } from "../place.ts";
import type { NightOptions } from "./night-summary.ts";

export interface ResolveNightInput {
  readonly place: SleepPlace;
  readonly consent: Consent;
  readonly redactor: Redactor;
  /** Commits that tasks may start from. */
  readonly commits: readonly string[];
}

/** A night's models, agents and settings. Everything that leaves the machine is redacted. */
export async function resolveNight(
  { place, consent, redactor, commits }: ResolveNightInput,
  { cwd, onGuess, onNote }: Pick<NightOptions, "cwd" | "onGuess" | "onNote">,
): Promise<Resolved> {
  const { config, settings, env, project } = place;
  const { attempts, trials, editBudget } = settings;
  const {
    tasks: _tasks,
    environment: _environment,
    calibration: _calibration,
    fresh: _fresh,
    leaveOut: _leaveOut,
    ...rest
  } = config;
  const checkouts =
    commits.length === 0 ? undefined : await openProjectCheckouts(config, { cwd: project, env });
  const resolved = await resolveConfig(
    {
      ...rest,
      ...(consent.localOnly ? { telemetry: false } : {}),
      skill: { main: "night.md", files: { "night.md": "" } },
      track: "body",
      attempts,
      trials,
      editBudget,
      minEditBudget: editBudget,
      stopEarly: false,
      slowUpdate: false,
      metaSkill: false,
      baselines: false,
      evalTest: false,
    },
    { cwd, env, roles: ["miner", "target", "optimizer", "judge"], withoutTasks: true, checkouts },
  );
  for (const guess of resolved.guesses) onGuess?.(guess);
  for (const note of resolved.notes) onNote?.(note);
  if (config.executor === "bullmq") onNote?.("executor: local, because a night runs only in this process");
  if (consent.localOnly && config.telemetry === true)
    onNote?.("telemetry: off, because nothing of this project may leave the machine");
  const remote = consent.localOnly ? findRemoteModels(resolved.models, config, env) : [];
  if (remote.length > 0)
    throw new WhetstoneError(
      "config-invalid",
      `Nothing of this project may leave the machine, but ${remote.join(" and ")} ${remote.length > 1 ? "aren't" : "isn't"} on it.`,
      {
        hint: "Name models on this machine, such as ollama/…, or allow others: `whetstone sleep init` without --local-only.",
      },
    );
  const modelObjects = new Map(
    [...resolved.modelObjects].map(([id, model]) => [id, redactingModel(model, redactor)]),
  );
  return {
    ...resolved,
    modelObjects,
    ...(checkouts === undefined ? {} : { close: () => checkouts.close() }),
  };
}

/** For the first event, because a night doesn't have its own skill or tasks. */
export const nightStart = (
  name: string,
  settings: SleepSettings,
): NonNullable<Verb<never, never>["start"]> => ({
  skill: name,
  skillName: name,
  skillSize: undefined,
  settings,
});
