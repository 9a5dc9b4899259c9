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

/** The plan before its last rehearsal. */
export const soFarLine = ({
  price,
  time,
  calls,
  rehearsals,
}: Pick<CallPlan, "price" | "time" | "calls" | "rehearsals">): string =>
  colors.dim(
    `so far ${price.high === 0 ? "" : `${usdRange(price)}, `}${timeRange(time)}, ${countRange(calls)} calls, by ${plural(rehearsals, "rehearsal")}`,
  );

/** All that a plan says, but why it would be refused. */
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

/** What degenerate answers pass: a claim will be refused for the one, the other is good to know. */
function checkLines({ checks: { degenerate, slow } }: TrainingPower, columns: number): readonly string[] {
  const lines = degenerate.flatMap((found) => {
    const text = describeDegenerate(found);
    if (blocksClaim(found)) {
      const refused = `No claim will be made: ${text}. Mend the checks, or waive it: --waive "${found.check}".`;
      return wrap(refused, columns).map(colors.yellow);
    }
    const advice = found.knows === "checks" ? ` ${listedAdvice}` : "";
    return wrap(found.waived ? `Waived: ${text}.` : `${text}.${advice}`, columns).map(colors.dim);
  });
  const slowText = `Checks of ${plural(slow.length, "task")} take more than a second on some answers, and fail them: ${slow.slice(0, 5).join(", ")}.`;
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
    ...unpriced.flatMap((id) => say(`The price of ${id} is not known; it counts as free here.`)),
    ...logins.flatMap((id) =>
      say(`No key is set for ${id}, so a login pays: what it takes counts in calls and tokens.`),
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

/** In the order in which a person names them. */
const rolesOf = ({ stages }: CallPlan): readonly Role[] =>
  (["miner", "target", "optimizer", "judge"] as const).filter((one) =>
    stages.some(({ role }) => role === one),
  );

const stageWords: Readonly<Record<string, string>> = {
  preflight: "connection check",
  calibrate: "the judge's trial",
  draft: "draft",
  mine: "mine",
  baseline: "measure the original",
  rollout: "rollouts on train",
  reflect: "reflect",
  aggregate: "merge",
  select: "select",
  update: "update",
  evaluate: "gate, on val",
  regression: "tasks that were lost, again",
  epoch: "end of epochs",
  confirm: "end of the search",
  test: "sealed test, baselines",
};

/** Where no claim can be made, the stage holds the baselines alone. */
const stageName = (stage: Stage, { command, power }: CallPlan): string =>
  stage === "test" && command === "train" && power?.sealed?.limits.possible !== true
    ? "baselines"
    : (stageWords[stage] ?? stage);

function capText({ steps, spend }: CallPlan): string {
  const caps = [
    ...(spend.usd === undefined ? [] : [`$${spend.usd}`]),
    ...(spend.tokens === undefined ? [] : [`${spend.tokens} tokens`]),
    ...(spend.calls === undefined ? [] : [`${spend.calls} calls`]),
    ...(spend.minutes === undefined ? [] : [`${spend.minutes} minutes (not reckoned with)`]),
  ].join(", ");
  const { affordable, planned } = steps;
  if (affordable === null) return caps === "" ? "There is no cap." : `The cap is ${caps}.`;
  if (planned > 0 && affordable.low >= planned) return `The cap of ${caps} is enough for all of them.`;
  const count = countRange(affordable);
  const missing = "The run stops there, resumable; a raised cap goes on.";
  return affordable.high >= planned
    ? `The cap of ${caps} may stop it: it is enough for ${count} of ${planned} steps. ${missing}`
    : `The cap of ${caps} is enough for ${count} of ${planned} steps only. ${missing}`;
}

/** A range is worth as much as what it rests on. */
function basisLines(plan: CallPlan, columns: number): readonly string[] {
  const { measuredReplies, models, rollout, guessed } = plan;
  const talking = rolesOf(plan).filter((role) => role !== "target" || rollout === undefined);
  const unheard = talking.filter((role) => guessed.lengths.includes(models[role]));
  const measured = talking
    .filter((role) => measuredReplies[role] > 0)
    .map((role) => `${measuredReplies[role]} of the ${role}`);
  const text = [
    ...(rollout === undefined ? [] : [rolloutText(plan, rollout)]),
    ...(measured.length > 0 ? [`Lengths of replies: from ${measured.join(" and ")} in the journal.`] : []),
    ...(unheard.length > 0
      ? [
          `How much a model writes is a guess before its first reply: ${[...new Set(unheard.map((role) => models[role]))].join(", ")}.`,
          ...(unheard.includes("target") ? ["`whetstone doctor` asks for one."] : []),
        ]
      : []),
    ...(guessed.times.length > 0
      ? [
          `Nobody has timed a call of ${guessed.times.join(", ")}: this assumes ${usualCall.ms / 1000} s and ${usualCall.tokenMs} ms for each token written, half of that or twice. \`whetstone doctor\` times it.`,
        ]
      : []),
    ...(guessed.slots.length > 0
      ? [
          `This assumes that a server on this machine works on ${nearCalls} calls at a time: ${guessed.slots.join(", ")}. \`whetstone doctor\` finds out.`,
        ]
      : []),
    `The spread of ${plan.rehearsals} rehearsals with drawn replies; what the journal holds already is not paid again.`,
    ...(plan.steps.planned > 0 ? ["Less when the original turns out to leave nothing to learn."] : []),
  ];
  return wrap(text.join(" "), columns, "  ").map(colors.dim);
}

/** What an agent does in one rollout, nobody knows before it has done it. */
function rolloutText(
  { measuredReplies, models }: CallPlan,
  { calls, tokens }: NonNullable<CallPlan["rollout"]>,
): string {
  const size = `${countRange(calls)} model ${calls.high === 1 ? "call" : "calls"} and ${countRange(tokens)} tokens`;
  return measuredReplies.target === 0
    ? `One rollout of ${models.target} is taken for ${size}, which is a guess: \`whetstone doctor --measure\` measures it.`
    : `One rollout of ${models.target} is taken for ${size}, from ${measuredReplies.target} in the journal.`;
}

function powerLines(power: TrainingPower, { tasks }: CallPlan, columns: number): readonly string[] {
  const { sealed, scoreMeasured } = power;
  const assumed = scoreMeasured
    ? "The score is that of the last `whetstone eval`; how often two trials differ is assumed."
    : "A flip rate of 30 % and a score of 50 % are assumed; `whetstone eval` measures the score.";
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
    `A new text would be the ${nth(read)} text compared on these tasks: the threshold is p ≤ ${alpha.toPrecision(2)}.`,
    columns,
    "  ",
  );
}

/** Where a proof is out of reach for want of tasks, more of them are an offer away. */
function fewLines(
  { train, val, test }: CallPlan["tasks"],
  { sealed }: TrainingPower,
  columns: number,
): readonly string[] {
  const all = train + val + test;
  if (all < 12 || all > 19 || sealed === undefined) return [];
  return wrap(
    `With ${all} tasks a proof is hardly possible. \`whetstone draft --count 12\` drafts more; those that you keep count as test tasks too.`,
    columns,
    "  ",
  );
}

/** What a claim can find, and what more it would take. */
export function claimLines(
  what: string,
  claim: PlannedClaim & { readonly of?: number },
  columns: number,
): readonly string[] {
  const { of, limits, tasks, trials, alpha, power, needed } = claim;
  const units = of === undefined || of === tasks ? plural(tasks, "task") : `${of} tasks in ${tasks} groups`;
  const size = `${units}, ${plural(trials, "trial")} each and arm, α = ${alpha.toFixed(3)}`;
  if (!limits.possible) {
    const orTrials = limits.trialsNeeded === null ? "" : ` or ${limits.trialsNeeded} trials`;
    const text = `No claim is possible with ${size}: even a perfect result has p = ${limits.bestP.toPrecision(2)}. ${limits.tasksNeeded} tasks${orTrials} would do.`;
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
        ? `${what} cannot find even the largest gain in 80 of 100 cases`
        : `${what} finds a gain in 80 of 100 cases if it is ${leastGain(claim)}`,
      columns,
    ).map(colors.bold),
    colors.dim(`  ${size}`),
    "",
    ...table([
      ["  trials", ...effects.slice(0, -1), `${effects.at(-1) ?? ""} points`].map(colors.dim),
      ...rows,
    ]),
    ...wrap(
      "The lower chance is for a gain on some topics only, the higher for one on all tasks alike.",
      columns,
      "  ",
    ).map(colors.dim),
    ...(tasks < fewestTasks ? wrap(proofText(claim), columns, "  ") : []),
    ...needed.flatMap((one) => wrap(neededText(one, claim), columns, "  ")),
  ];
}

/** Below twelve tasks most of what is found speaks of these tasks alone. */
function proofText({ proof, limits }: PlannedClaim): string {
  if (!limits.proof) return neverProofSentence;
  const chances = proof.flatMap((chance) =>
    chance.power === null ? [] : [`+${Math.round(100 * chance.effect)} in ${chanceText(chance)}`],
  );
  return `Most of it as "${verdictWords.higher.word}"; as "${verdictWords.better.word}": ${chances.join(", ")}.`;
}

function neededText({ effect, tasks, trials }: PlannedClaim["needed"][number], claim: PlannedClaim): string {
  const more = tasks === null ? "more than 1000 tasks" : `${tasks} tasks`;
  const orTrials = trials === null ? "10 trials are not enough" : `${trials} trials`;
  const gain = `+${Math.round(100 * effect)} points`;
  return `For ${gain} on all tasks alike it takes ${more} with ${plural(claim.trials, "trial")}; with ${claim.tasks === 1 ? "this one" : `these ${claim.tasks}`}, ${orTrials}.`;
}
