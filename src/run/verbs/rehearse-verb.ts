import { priceOf } from "../../adapters/models/prices.ts";
import type { Resolved } from "../../config/resolve/resolved.ts";
import { controlAnswers } from "../../core/judge/controls.ts";
import type { Cost } from "../../core/cost.ts";
import type { Context } from "../../core/context.ts";
import type { Entry, Journal, ReadFilter } from "../../core/ports/journal.ts";
import type { Role } from "../../core/ports/model.ts";
import { type MeasuredModels, nothingMeasured } from "../../core/rehearse/measured-models.ts";
import { type Rehearsal, type RehearsalBasis, rehearse } from "../../core/rehearse/rehearse.ts";
import { guessedFinds } from "../../core/prompts/prompt.ts";
import { mainText } from "../../core/skill/skill.ts";
import { bytesPerToken } from "../../core/work/estimate-tokens.ts";
import { readMeasured } from "../session/measured-models.ts";
import { withTimed } from "../session/timed-replies.ts";
import { prepare } from "./prepare.ts";
import type { Rehearsable } from "./verb.ts";

export interface OpenRehearsal {
  readonly measured: MeasuredModels;
  /** Runs the verb with drawn results; the same number gives the same rehearsal. Pauses in `onStep` after the first step. */
  readonly rehearse: (nth: number, onStep?: (needed: Cost) => Promise<void>) => Promise<Rehearsal>;
}

/** Gets ready to rehearse a verb. Results in the journal needn't be bought, and make the draws better. */
export async function openRehearsal(
  verb: Rehearsable,
  journal: Journal | undefined,
  signal?: AbortSignal,
): Promise<OpenRehearsal> {
  const { resolved, hints = {} } = verb;
  const { models } = resolved;
  const read = journal === undefined ? undefined : await readMeasured(journal, models);
  const measured = withTimed(read?.measured ?? nothingMeasured, resolved);
  const basis: RehearsalBasis = {
    ...basisOf(verb.id, resolved),
    turn: () =>
      new Promise((resolve, reject) => {
        setImmediate(() => (signal?.aborted === true ? reject(signal.reason as Error) : resolve()));
      }),
    seed: hints.seed ?? verb.id,
    measured,
    fromTalks: verb.command === "sleep",
    adopted: hints.adopted,
    finds: hints.finds ?? guessedFinds,
    known: journal && read && { keys: read.keys, journal: remembering(journal) },
  };
  const quiet = { ...resolved, environment: { ...resolved.environment, setup: undefined } };
  const run = async (context: Context) => {
    // trying checks makes no calls
    await prepare({ ...verb, resolved: quiet, claims: [] }, context);
    return verb.run(context, async () => {});
  };
  return { measured, rehearse: (nth, onStep) => rehearse(run, basis, nth, onStep) };
}

function basisOf(
  run: string,
  resolved: Resolved,
): Omit<RehearsalBasis, "seed" | "measured" | "known" | "finds" | "turn"> {
  const { settings, models, environment, customScorers, prices, splits, spend, calibration = [] } = resolved;
  const price = (role: Role) => priceOf(models[role], prices) ?? { input: 0, output: 0 };
  const agent = resolved.agents?.get(models.target);
  const answers = Object.values(splits)
    .flat()
    .flatMap(({ answers: accepted = [] }) => accepted.slice(0, 1));
  const letters = answers.reduce((sum, { length }) => sum + length, 0);
  return {
    run,
    settings,
    models,
    takesBody: resolved.takesBody,
    environment,
    agent: resolved.isAgent === true ? { id: models.target, version: agent?.version ?? "" } : undefined,
    customScorers: customScorers ?? new Map(),
    signal: new AbortController().signal,
    leftOut: new Set(resolved.leaveOut),
    skill: mainText(resolved.skill),
    expected: answers.length === 0 ? undefined : letters / answers.length / bytesPerToken,
    prices: {
      target: price("target"),
      optimizer: price("optimizer"),
      judge: price("judge"),
      miner: price("miner"),
    },
    concurrency: resolved.concurrency,
    near: resolved.near ?? new Set(),
    isCapped: spend.usd !== undefined || spend.tokens !== undefined,
    agentsAtATime: agent?.parallel ?? usualAgents,
    good: [...controlAnswers, ...calibration.filter(({ good }) => good).map(({ answer }) => answer)],
  };
}

/** How many agents run at a time if that hasn't been measured on this machine. */
const usualAgents = 4;

/** A journal's content doesn't change between rehearsals. */
function remembering(journal: Journal): Pick<Journal, "get" | "read"> {
  const lists = new Map<string, Promise<readonly Entry[]>>();
  const list = async (filter: ReadFilter | undefined) => {
    const entries: Entry[] = [];
    for await (const entry of journal.read(filter)) entries.push(entry);
    return entries;
  };
  return {
    get: (key) => journal.get(key),
    async *read(filter) {
      const name = JSON.stringify(filter ?? {});
      const entries = lists.get(name) ?? list(filter);
      lists.set(name, entries);
      yield* await entries;
    },
  };
}
