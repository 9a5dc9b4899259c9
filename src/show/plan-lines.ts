import { plural, table, remarkLines, wrap, colors } from "./format.ts";
import { type Role, nearCalls } from "../core/ports/model.ts";
import { usualCall } from "../core/rehearse/imagine.ts";
import { fewestTasks } from "../core/gate/claim/claim-p.ts";
import type { PlannedClaim } from "../core/gate/claim/plan-claim.ts";
import { blocksClaim, describeDegenerate, listedAdvice } from "../core/scorers/try-degenerate.ts";
import { labelFields, labelModel } from "../core/describe-models.ts";
import { nth } from "../core/asked-words.ts";
import type { Stage } from "../core/place.ts";
import {
  chanceText,
  leastGain,
  neverProofSentence,
  noTestSentence,
  nothingLeftSentence,
  notReadSentence,
  onTheseAlone,
} from "../core/plan-words.ts";
import { verdictWords } from "../core/verdict-words.ts";
import type { CallPlan, TrainingPower } from "../run/verbs/plan-call.ts";
import type { Io } from "./io.ts";
import { countRange, timeRange, tokenRange, usdRange } from "./ranges.ts";

/** The plan so far, before its last rehearsal. */
export const soFarLine = ({
  price,
  time,
  calls,
  rehearsals,
}: Pick<CallPlan, "price" | "time" | "calls" | "rehearsals">): string =>
  colors.dim(
    `so far ${price.high === 0 ? "" : `${usdRange(price)}, `}${timeRange(time)}, ${countRange(calls)} calls, from ${plural(rehearsals, "rehearsal")}`,
  );

/** The whole plan, except why it would be refused. */
export function planLines(
  planned: CallPlan,
  { columns, lineLimit }: Pick<Io, "columns" | "lineLimit">,
): readonly string[] {
  const { guesses, notes, power, provable, odds } = planned;
  return [
    ...guesses.flatMap((guess) => remarkLines("guess", guess, lineLimit)),
    ...notes.flatMap((note) => remarkLines("note", note, lineLimit)),
    ...priceLines(planned, columns),
    ...(power === undefined && provable !== undefined ? ["", ...wrap(provable, columns)] : []),
    ...(odds === undefined ? [] : ["", ...wrap(odds.sentence, columns)]),
    ...(power === undefined
      ? []
      : ["", ...powerLines(power, planned, columns), ...checkLines(power, columns)]),
  ];
}

/** Checks that degenerate answers pass. Some of them block a claim, the others are good to know. */
function checkLines({ checks: { degenerate, slow } }: TrainingPower, columns: number): readonly string[] {
  const lines = degenerate.flatMap((found) => {
    const text = describeDegenerate(found);
    if (blocksClaim(found)) {
      const refused = `No claim will be made: ${text}. Fix the checks, or waive this: --waive "${found.check}".`;
      return wrap(refused, columns).map(colors.yellow);
    }
    const advice = found.knows === "checks" ? ` ${listedAdvice}` : "";
    return wrap(found.waived ? `Waived: ${text}.` : `${text}.${advice}`, columns).map(colors.dim);
  });
  const slowText = `Checks of ${plural(slow.length, "task")} take over a second on some answers, which then fail: ${slow.slice(0, 5).join(", ")}.`;
  const all = [...lines, ...(slow.length === 0 ? [] : wrap(slowText, columns).map(colors.yellow))];
  return all.length === 0 ? [] : ["", ...all];
}

function priceLines(plan: CallPlan, columns: number): readonly string[] {
  const { price, calls, rollouts, tokens, time, steps, stages, unpriced, models, logins } = plan;
  const roles = rolesOf(plan);
  const isFree =
    price.high === 0 ||
    roles.every((role) => unpriced.includes(models[role]) || logins.includes(models[role]));
  const money = isFree ? "" : `${usdRange(price)}, `;
  const rows = stages.map(({ stage, role, calls: count, nanoUsd }) => [
    `  ${stageName(stage, plan)}`,
    role,
    countRange(count),
    usdRange(nanoUsd),
  ]);
  const say = (text: string) => wrap(text, columns, "  ");
  const what = steps.planned === 0 ? plan.command : plural(steps.planned, "step");
  const head = `${colors.bold(`${money}${timeRange(time)}, ${countRange(calls)} calls`)} for ${what}`;
  if (calls.high === 0) return [head, ...say(`the skill: ${plan.skill}`), ...say(nothingLeftSentence)];
  return [
    head,
    `  ${countRange(rollouts)} rollouts, ${tokenRange(tokens)} tokens`,
    ...say(`the skill: ${plan.skill}`),
    ...say(capText(plan)),
    ...basisLines(plan, columns),
    ...unpriced.flatMap((id) => say(`The price of ${id} isn't known, so it counts as free here.`)),
    ...logins.flatMap((id) =>
      say(`No key is set for ${id}, so your login pays: its use counts in calls and tokens.`),
    ),
    "",
    ...table(
      roles.map((role) => [
        `  ${role}`,
        `${labelModel(models[role], plan.hosts)}${labelFields(plan.extraBody?.[role])}`,
        usdRange(price.byRole[role]),
      ]),
    ),
    "",
    ...table([["  stage", "role", "calls", "price"].map(colors.dim), ...rows]),
  ];
}

/** In the order in which people name them. */
const rolesOf = ({ stages }: CallPlan): readonly Role[] =>
  (["miner", "target", "optimizer", "judge"] as const).filter((one) =>
    stages.some(({ role }) => role === one),
  );

const stageWords: Readonly<Record<string, string>> = {
  preflight: "connection check",
  calibrate: "judge calibration",
  draft: "draft",
  mine: "mine",
  baseline: "measure the original",
  rollout: "rollouts on train",
  reflect: "reflect",
  aggregate: "merge",
  select: "select",
  update: "update",
  evaluate: "gate, on val",
  regression: "re-run of lost tasks",
  epoch: "end of epochs",
  confirm: "end of the search",
  test: "sealed test, baselines",
};

/** If no claim can be made, the stage contains only the baselines. */
const stageName = (stage: Stage, { command, power }: CallPlan): string =>
  stage === "test" && command === "train" && power?.sealed?.limits.possible !== true
    ? "baselines"
    : (stageWords[stage] ?? stage);

function capText({ steps, spend }: CallPlan): string {
  const caps = [
    ...(spend.usd === undefined ? [] : [`$${spend.usd}`]),
    ...(spend.tokens === undefined ? [] : [`${spend.tokens} tokens`]),
    ...(spend.calls === undefined ? [] : [`${spend.calls} calls`]),
    ...(spend.minutes === undefined ? [] : [`${spend.minutes} minutes (not included here)`]),
  ].join(", ");
  const { affordable, planned } = steps;
  if (affordable === null) return caps === "" ? "No cap is set." : `The cap is ${caps}.`;
  if (planned > 0 && affordable.low >= planned) return `The cap of ${caps} covers all steps.`;
  const count = countRange(affordable);
  const missing = "The run stops there; raise the cap to resume it.";
  return affordable.high >= planned
    ? `The cap of ${caps} may stop it: it covers ${count} of ${planned} steps. ${missing}`
    : `The cap of ${caps} covers only ${count} of ${planned} steps. ${missing}`;
}

/** The basis of the ranges. */
function basisLines(plan: CallPlan, columns: number): readonly string[] {
  const { measuredReplies, models, rollout, guessed } = plan;
  const talking = rolesOf(plan).filter((role) => role !== "target" || rollout === undefined);
  const unheard = talking.filter((role) => guessed.lengths.includes(models[role]));
  const measured = talking
    .filter((role) => measuredReplies[role] > 0)
    .map((role) => `${measuredReplies[role]} from the ${role}`);
  const text = [
    ...(rollout === undefined ? [] : [rolloutText(plan, rollout)]),
    ...(measured.length > 0 ? [`Reply lengths in the journal: ${measured.join(" and ")}.`] : []),
    ...(unheard.length > 0
      ? [
          `Reply length is a guess until a model's first reply: ${[...new Set(unheard.map((role) => models[role]))].join(", ")}.`,
          ...(unheard.includes("target") ? ["`whetstone doctor` asks for one."] : []),
        ]
      : []),
    ...(guessed.times.length > 0
      ? [
          `Not timed yet: ${guessed.times.join(", ")}. This assumes ${usualCall.ms / 1000} s per call plus ${usualCall.tokenMs} ms per output token, within a factor of 2. \`whetstone doctor\` measures it.`,
        ]
      : []),
    ...(guessed.slots.length > 0
      ? [
          `This assumes that a server on this machine handles ${nearCalls} calls at a time: ${guessed.slots.join(", ")}. \`whetstone doctor\` measures it.`,
        ]
      : []),
    `Ranges come from ${plan.rehearsals} rehearsals with simulated replies; results already in the journal aren't paid for again.`,
    ...(plan.steps.planned > 0 ? ["It costs less if the original leaves nothing to learn."] : []),
  ];
  return wrap(text.join(" "), columns, "  ").map(colors.dim);
}

/** An agent's work in one rollout isn't known until it has done one. */
function rolloutText(
  { measuredReplies, models }: CallPlan,
  { calls, tokens }: NonNullable<CallPlan["rollout"]>,
): string {
  const size = `${countRange(calls)} model ${calls.high === 1 ? "call" : "calls"} and ${countRange(tokens)} tokens`;
  return measuredReplies.target === 0
    ? `This assumes ${size} per rollout of ${models.target}, which is a guess: \`whetstone doctor --measure\` measures it.`
    : `This assumes ${size} per rollout of ${models.target}, from ${measuredReplies.target} in the journal.`;
}

function powerLines(power: TrainingPower, { tasks }: CallPlan, columns: number): readonly string[] {
  const { sealed, scoreMeasured } = power;
  const assumed = scoreMeasured
    ? "The score comes from the last `whetstone eval`; how often two trials differ is assumed."
    : "This assumes a flip rate of 30% and a score of 50%; `whetstone eval` measures the score.";
  return [
    ...(sealed === undefined
      ? wrap(
          power.isShared === true && tasks.test === 0
            ? onTheseAlone
            : tasks.test > 0
              ? notReadSentence
              : `${noTestSentence} Give at least 3 tasks, or a test split.`,
          columns,
        )
      : [...claimLines("The sealed test", sealed, columns), ...readLines(sealed, columns)]),
    ...fewLines(tasks, power, columns),
    ...wrap(assumed, columns, "  ").map(colors.dim),
  ];
}

function readLines(
  { read, alpha }: NonNullable<TrainingPower["sealed"]>,
  columns: number,
): readonly string[] {
  return wrap(
    `A new text would be the ${nth(read)} text compared on these tasks, so the threshold is p ≤ ${alpha.toPrecision(2)}.`,
    columns,
    "  ",
  );
}

/** If there are too few tasks for a proof, this offers to draft more. */
function fewLines(
  { train, val, test }: CallPlan["tasks"],
  { sealed }: TrainingPower,
  columns: number,
): readonly string[] {
  const all = train + val + test;
  if (all < 12 || all > 19 || sealed === undefined) return [];
  return wrap(
    `A proof is hardly possible with ${all} tasks. \`whetstone draft --count 12\` drafts more; the ones you keep also count as test tasks.`,
    columns,
    "  ",
  );
}

/** The gains a claim can detect, and the tasks and trials needed to detect more. */
export function claimLines(
  what: string,
  claim: PlannedClaim & { readonly of?: number },
  columns: number,
): readonly string[] {
  const { of, limits, tasks, trials, alpha, power, needed } = claim;
  const units = of === undefined || of === tasks ? plural(tasks, "task") : `${of} tasks in ${tasks} groups`;
  const size = `${units}, ${plural(trials, "trial")} per task and arm, α = ${alpha.toFixed(3)}`;
  if (!limits.possible) {
    const orTrials = limits.trialsNeeded === null ? "" : ` or ${limits.trialsNeeded} trials`;
    const text = `No claim is possible with ${size}: even a perfect result has p = ${limits.bestP.toPrecision(2)}. ${limits.tasksNeeded} tasks${orTrials} would be enough.`;
    return wrap(text, columns).map(colors.yellow);
  }
  const effects = power[0]?.chances.map(({ effect }) => `+${Math.round(100 * effect)}`) ?? [];
  const rows = power.map((row) => [
    `  ${row.trials}${row.trials === trials ? " *" : ""}`,
    ...row.chances.map((chance) => chanceText(chance)),
  ]);
  return [
    ...wrap(
      claim.detectable === null
        ? `${what} can't find even the largest gain with 80% power`
        : `${what} has 80% power to find a gain of ${leastGain(claim)}`,
      columns,
    ).map(colors.bold),
    colors.dim(`  ${size}`),
    "",
    ...table([
      ["  trials", ...effects.slice(0, -1), `${effects.at(-1) ?? ""} points`].map(colors.dim),
      ...rows,
    ]),
    ...wrap(
      "The lower chance is for a gain on some topics only, the higher for an equal gain on all tasks.",
      columns,
      "  ",
    ).map(colors.dim),
    ...(tasks < fewestTasks ? wrap(proofText(claim), columns, "  ") : []),
    ...needed.flatMap((one) => wrap(neededText(one, claim), columns, "  ")),
  ];
}

/** With fewer than twelve tasks, most findings hold only for these tasks. */
function proofText({ proof, limits }: PlannedClaim): string {
  if (!limits.proof) return neverProofSentence;
  const chances = proof.flatMap((chance) =>
    chance.power === null ? [] : [`+${Math.round(100 * chance.effect)} in ${chanceText(chance)}`],
  );
  return `Most gains would be found as "${verdictWords.higher.word}". Chances of "${verdictWords.better.word}": ${chances.join(", ")}.`;
}

function neededText({ effect, tasks, trials }: PlannedClaim["needed"][number], claim: PlannedClaim): string {
  const more = tasks === null ? "more than 1000 tasks" : `${tasks} tasks`;
  const orTrials = trials === null ? "10 trials aren't enough" : `${trials} trials`;
  const gain = `+${Math.round(100 * effect)} points`;
  return `Finding ${gain} on all tasks alike takes ${more} with ${plural(claim.trials, "trial")}; with ${claim.tasks === 1 ? "this one" : `these ${claim.tasks}`}, ${orTrials}.`;
}
