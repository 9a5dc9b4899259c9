import { allTasks, claimedTasks, isShared } from "../tasks/few-tasks.ts";
import type { Context } from "../context.ts";
import { noteMade, noteSides } from "../measure/claim-log.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import { type Sealed, seal } from "../measure/seal.ts";
import { type WeighedOneShot, weighOneShot } from "../measure/weigh-one-shot.ts";
import type { Searched } from "../rules/searched-rules.ts";
import { skillIdentity } from "../skill/hash.ts";
import type { Skill } from "../skill/skill.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { StepAction, StepRecord } from "../step-record.ts";
import type { Splits } from "../tasks/task.ts";
import type { TriggerReport } from "../triggers/trigger-figures.ts";
import { endedSentence } from "../search-words.ts";
import type { Gate, GateDecision, SearchEnd, SecondText, Standing } from "./gate.ts";
import { checkDecision, chooseGate, measureOriginal, unmeasured } from "./gates.ts";
import { askedForMore, isDry, nothingToGain, ranDry } from "./nothing-to-gain.ts";
import { type SearchMemory, type TurnProposal, proposeTurn, startOf, withRejected } from "./propose-turn.ts";
import { type StepOutcome, recordStep, stepOutcome, tellStep } from "./step-outcome.ts";
import { type Turn, countSteps, countTurns, lagIn, turnsByLeg } from "./turns.ts";
import { type Baselines, type Later, tryFirstReplies, workAhead } from "./work-ahead.ts";

export interface TrainPlan {
  readonly skill: Skill;
  readonly splits: Splits;
  /** @default the one that the settings name */
  readonly gate?: Gate | undefined;
  /** Called when a step is finished; the next begins when the promise resolves. Use it to export the step. */
  readonly onStep?: (record: StepOutcome) => Promise<void>;
  /** Whether to start work ahead of time; the results are the same. @default true */
  readonly worksAhead?: boolean | undefined;
}

export interface EpochSummary {
  readonly epoch: number;
  readonly action: StepAction;
  readonly reason: string;
}

export interface TrainResult extends Standing {
  readonly original: Skill;
  /** The original on val; missing with `gate: off`. */
  readonly baseline?: Evaluation;
  readonly baselineScore: number | null;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** The worth of each rule, with the gate `rules`, and the rules in the text. */
  readonly rules?: Searched;
  /** The kept text on val at the search's end; empty if the original stays or that text wasn't rolled out by itself. */
  readonly confirmed: readonly Rolled[];
  /** Missing without a test split. */
  readonly sealed?: Sealed;
  readonly baselines?: Baselines;
  /** The one-shot rewrite compared with the result of the search; missing if it wasn't measured on test. */
  readonly oneShot?: WeighedOneShot;
  /** The lean or the full text, whichever isn't `best`. */
  readonly other?: SecondText;
  /** Only on the description track. */
  readonly triggers?: TriggerReport;
  /** The number of planned steps. */
  readonly planned: number;
  /** Why the search ended before its last step. */
  readonly ended?: string;
  /** Continuing with `more` would end it for the same reason. */
  readonly isOver?: boolean;
}

/**
 * The method: measure the original; for each batch roll out, reflect, aggregate, select, update and gate; seal the
 * claim. Everything that only makes it faster is in work-ahead.ts.
 */
export async function trainSkill(plan: TrainPlan, context: Context): Promise<TrainResult> {
  const { skill, splits, worksAhead = true } = plan;
  const gate = chooseGate(context.settings, plan.gate);
  const legs = turnsByLeg(splits, context.settings, gate);
  const [search = []] = legs;
  const turns = legs.flat();
  const planned = countSteps(turns);
  // with a lag of 1 a turn proposes before the last turn is decided, so the two overlap
  const lag = gate.open === undefined ? 0 : lagIn(countSteps(search), context.settings);
  const course = { skill, splits, turns, measuresVal: gate.start !== undefined, worksAhead };
  await tryFirstReplies(course, context);
  await noteSides(splits, context);
  const ahead = workAhead(course, context);

  let standing = unmeasured(skill);
  let memory: SearchMemory = { previous: skill, tried: [], dry: 0, meta: "" };
  let ended: string | undefined;
  /** rollout → reflect → aggregate → select → update, from the text as it is now */
  const begin = (turn: Turn): Later<TurnProposal> => {
    const from = { ...course, leaks: ahead.leaks, ...startOf(turn, gate, standing, memory, context) };
    return ahead.begin(() => proposeTurn(from, context));
  };
  const next = (turn: Turn | undefined, begun?: Later<TurnProposal>): Later<TurnProposal> | undefined => {
    if (turn !== undefined) ended ??= nothingToGain(standing) ?? ranDry(memory);
    return turn === undefined || ended !== undefined ? undefined : (begun ?? begin(turn));
  };

  // measure
  const first = lag > 0 && turns[0] !== undefined ? begin(turns[0]) : undefined;
  const size = { ...countTurns(search), isShared: isShared(splits) };
  const start = await measureOriginal(gate, skill, splits.val, size, context);
  const { val, baseline } = start;
  standing = start.standing;

  const steps: StepRecord[] = [];
  const epochs: EpochSummary[] = [];
  let end: SearchEnd = { standing };
  let searched = standing;
  for (const [nth, leg] of legs.entries()) {
    if (nth > 0) [ended, memory] = askedForMore(ended, memory);
    if (nth > 0 && ended !== undefined) break;
    if (nth > 0 && gate.goOn !== undefined) standing = gate.goOn(end.standing, countTurns(leg), context);
    let proposing = next(leg[0], nth === 0 ? first : undefined);
    for (const [at, turn] of leg.entries()) {
      const proposal = await proposing?.();
      if (proposal === undefined) break;
      const { candidates, step } = proposal;
      memory = proposal.memory;
      const before = standing;
      let decision: GateDecision | undefined;
      let lagging: Later<TurnProposal> | undefined;
      if (candidates !== undefined) {
        // gate
        const input = { ...candidates, step: turn.step, turn: at, val };
        const known = gate.open?.({ ...input, standing }, context) ?? standing.known;
        standing = { ...standing, known };
        if (lag > 0) lagging = next(leg[at + 1]);
        decision = checkDecision(gate, await gate.decide({ ...input, standing }, context));
        standing = decision.standing;
      }
      if (decision?.action === "reject" && gate.recall === undefined)
        memory = withRejected(proposal, turn, decision.reason);
      if (step !== undefined) {
        // a step ends
        const outcome = stepOutcome(step, before, decision);
        tellStep(outcome, context);
        steps.push(recordStep(outcome));
        ahead.ended(outcome);
        await plan.onStep?.(outcome);
      } else if (decision !== undefined) {
        // an epoch ends
        const { action, reason } = decision;
        epochs.push({ epoch: turn.epoch, action, reason });
        const place = { step: turn.step, epoch: turn.epoch, score: standing.current.score };
        context.emit({ type: "turn-end", turn: "guidance", ...place, action, reason });
      }
      proposing = lagging ?? next(leg[at + 1]);
    }
    if (nth === legs.length - 1 || (ended !== undefined && !isDry(memory)))
      context.emit({ type: "search-end", kept: standing.best.step > 0 || standing.isOpen === true });
    // a search that ended at once didn't wait for it, but it's paid for
    await first?.();
    searched = standing;
    end = (await gate.end?.({ standing, splits, val, step: steps.length }, context)) ?? { standing };
  }
  tellEnd({ steps, planned, ended }, searched, end, context);

  // seal
  const best = end.standing.best.skill;
  const bridge = baseline && (() => ahead.bridge(baseline));
  // if there are few tasks and all served the search, they're rolled once more, and the claim is about them alone
  const test = claimedTasks(splits);
  const seen = splits.test.length > 0 ? [] : test.map(({ id }) => id);
  const claim = { original: skill, best, test, file: allTasks(splits), seen, bridge };
  const sealed = context.settings.evalTest && test.length > 0 ? await seal(claim, context) : undefined;
  // if the original stays, nothing was made
  if (end.standing.best.step > 0)
    await noteMade(best, { from: skill, tasks: [...splits.train, ...splits.val] }, context);
  const baselines = await ahead.baselines();
  const rewrite = baselines?.oneShot;
  const weighed = { original: skill, best, splits, leaks: await ahead.leaks() };
  const oneShot = sealed && rewrite && (await weighOneShot({ ...weighed, rewrite, sealed }, context));
  return {
    ...end.standing,
    original: skill,
    baseline,
    baselineScore: start.standing.current.score,
    steps,
    epochs,
    planned,
    ended,
    isOver: ended !== undefined && !isDry(memory),
    rules: end.rules,
    confirmed: end.confirmed ?? [],
    sealed,
    baselines,
    oneShot,
    other: end.other,
  };
}

/** Reports why the search ended, and the resulting skill. */
function tellEnd(
  { steps, planned, ended }: Pick<TrainResult, "steps" | "planned" | "ended">,
  searched: Standing,
  { standing: { current }, sentence }: SearchEnd,
  { emit }: Context,
): void {
  const reason = [endedSentence({ steps: steps.length, planned, ended }), sentence ?? []].flat().join(" ");
  const { step = 0, epoch = 0 } = steps.at(-1) ?? {};
  const isSame = skillIdentity(searched.current.skill) === skillIdentity(current.skill);
  const now = { step, epoch, action: isSame ? "skip" : "accept", score: current.score } as const;
  emit({ type: "turn-end", turn: "end", ...now, reason });
}
