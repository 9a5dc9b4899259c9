import type { Context } from "../context.ts";
import { crossEpoch } from "../epoch/cross-epoch.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { readRegion } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { handled } from "../stages/handled.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import { rollAhead } from "../stages/study.ts";
import type { StepAction, StepRecord } from "../step-record.ts";
import type { Splits } from "../tasks/task.ts";
import { decideCandidates, openCandidates, recall } from "./decide.ts";
import type { GateDecision } from "./decision.ts";
import { nothingToGain } from "./nothing-to-gain.ts";
import { type Candidates, type Proposed, proposeStep } from "./propose-step.ts";
import type { Standing } from "./standing.ts";
import { type StepOutcome, recordStep, stepOutcome, tellStep } from "./step-outcome.ts";
import { type Turn, countSteps } from "./turns.ts";

export interface SearchInput {
  readonly original: Skill;
  readonly splits: Splits;
  readonly turns: readonly Turn[];
  readonly leaks: LeakIndex;
  readonly start: Standing;
  /** The first turn's proposals, when they are under way already. */
  readonly first?: Promise<TurnProposal>;
  readonly onStep: (record: StepOutcome) => Promise<void>;
}

export interface SearchResult {
  readonly standing: Standing;
  readonly steps: readonly StepRecord[];
  /** Gate decisions about guidance at an epoch's end. */
  readonly epochs: readonly EpochSummary[];
  /** Why the search ended before its last step. */
  readonly ended?: string;
}

export interface EpochSummary {
  readonly epoch: number;
  readonly action: StepAction;
  readonly reason: string;
}

/** What proposers remember from turn to turn. */
export interface SearchMemory {
  /** The skill one epoch ago. */
  readonly previous: Skill;
  /** Of this epoch. */
  readonly tried: readonly TriedStep[];
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
}

/** What a turn proposes, and what the next ones remember of it. */
export interface TurnProposal {
  readonly step?: Proposed;
  /** Missing where there is nothing to decide about. */
  readonly candidates?: Candidates;
  readonly memory: SearchMemory;
}

export const startMemory = (original: Skill): SearchMemory => ({ previous: original, tried: [], meta: "" });

/** Whether a turn proposes before the last is measured. Other gates need a verdict: their next candidate is made of it. */
export const isLagging = ({ settings: { gate, lag } }: Context): boolean => gate === "rules" && lag > 0;

/**
 * The loop: each turn proposes, and the gate decides. With a lag of one, a turn's proposals answer the text as it was before the
 * turn before it was measured, and are made meanwhile, its rollouts even while that one proposes; without, each turn waits for the
 * last.
 */
export async function search(input: SearchInput, context: Context): Promise<SearchResult> {
  const { turns, splits } = input;
  const steps: StepRecord[] = [];
  const epochs: EpochSummary[] = [];
  let [standing, memory] = [input.start, startMemory(input.original)];
  let ended: string | undefined;
  const begin = (
    turn: Turn | undefined,
    begun?: Promise<TurnProposal>,
  ): Promise<TurnProposal> | undefined => {
    if (turn === undefined) return undefined;
    ended ??= nothingToGain(standing);
    if (ended !== undefined) return undefined;
    return begun ?? handled(proposeTurn(turn, standing, memory, input, context));
  };
  // rollouts need the text alone, so they begin before the proposals that they are for
  const rollEarly = (turn: Turn | undefined): void => {
    if (turn?.kind !== "step" || !isLagging(context) || nothingToGain(standing) !== undefined) return;
    void handled(rollAhead({ ...turn, incumbent: standing.current.skill }, context));
  };
  let proposing = begin(turns[0], input.first);
  rollEarly(turns[1]);
  for (const [at, turn] of turns.entries()) {
    const proposal = await proposing;
    if (proposal === undefined) break;
    const { candidates, step } = proposal;
    memory = proposal.memory;
    const before = standing;
    let decision: GateDecision | undefined;
    let ahead: Promise<TurnProposal> | undefined;
    if (candidates !== undefined) {
      const opened = { ...candidates, step: turn.step, turn: at, val: splits.val };
      standing = openCandidates({ ...opened, standing }, context);
      ahead = isLagging(context) ? begin(turns[at + 1]) : undefined;
      decision = await decideCandidates({ ...opened, standing }, context);
      standing = decision.standing;
    }
    if (step !== undefined) {
      const outcome = stepOutcome(step, before, decision);
      if (outcome.action === "reject") memory = withRejected(memory, step);
      tellStep(outcome, context);
      steps.push(recordStep(outcome));
      await input.onStep(outcome);
    } else if (decision !== undefined) {
      const { action, reason } = decision;
      epochs.push({ epoch: turn.epoch, action, reason });
      const { score } = standing.current;
      const place = { step: turn.step, epoch: turn.epoch };
      context.emit({ type: "turn-end", turn: "guidance", ...place, action, reason, score });
    }
    proposing = ahead ?? begin(turns[at + 1]);
    rollEarly(turns[at + 2]);
  }
  context.emit({ type: "search-end", kept: hasSomething(standing) });
  return { standing, steps, epochs, ...(ended === undefined ? {} : { ended }) };
}

/** Whether anything is left to confirm or to claim. */
const hasSomething = ({ gate, best }: Standing): boolean =>
  best.step > 0 || (gate.kind === "rules" && gate.search.open.length + gate.search.builtIn.length > 0);

/** What a turn proposes to the gate, as things stand. */
export async function proposeTurn(
  turn: Turn,
  standing: Standing,
  memory: SearchMemory,
  { splits, leaks, turns }: Pick<SearchInput, "splits" | "leaks" | "turns">,
  context: Context,
): Promise<TurnProposal> {
  const { meta } = memory;
  const incumbent = standing.current.skill;
  const tried = recall(memory.tried, standing);
  const on = standing.gate.kind === "rules" ? standing.gate.held : [];
  if (turn.kind === "epoch") {
    const { train } = splits;
    const crossed = await crossEpoch(
      { ...turn, ...memory, current: incumbent, tried, train, leaks },
      context,
    );
    const next = { previous: incumbent, tried: [], meta: crossed.meta };
    return { memory: next, candidates: crossed.guided && guidance(crossed.guided, on) };
  }
  const { step, epoch, budget } = turn;
  const total = countSteps(turns);
  context.emit({ type: "step-start", step, epoch, steps: total, budget });
  const proposed = await proposeStep({ turn, incumbent, on, tried, meta, leaks }, context);
  return {
    step: proposed,
    memory: { ...memory, tried: [...memory.tried, proposed.tried] },
    candidates: proposed.nothing === undefined ? proposed : undefined,
  };
}

const guidance = (guided: Skill, on: readonly number[]): Candidates => ({
  candidate: guided,
  on,
  changes: [
    {
      kind: "text",
      region: "slow-update",
      text: readRegion(mainText(guided), "slow-update") ?? "",
      holds: [],
    },
  ],
});

const withRejected = (memory: SearchMemory, { selected, step }: Proposed): SearchMemory => ({
  ...memory,
  tried: memory.tried.map((one) => (one.step === step ? { ...one, rejected: selected.edits } : one)),
});
