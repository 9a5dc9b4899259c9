import type { Context } from "../context.ts";
import { crossEpoch } from "../epoch/cross-epoch.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { editKey } from "../skill/edit.ts";
import { readRegion } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import { wordsOfRule } from "../rules/search-rule.ts";
import type { TriedEdit, TriedStep } from "../stages/optimizer-text.ts";
import type { Candidates, Gate, Standing } from "./gate.ts";
import { type Proposed, proposeStep } from "./propose-step.ts";
import { type Turn, countSteps } from "./turns.ts";
import type { TrainCourse } from "./work-ahead.ts";

/** The memory of proposers from turn to turn. */
export interface SearchMemory {
  /** The skill one epoch ago. */
  readonly previous: Skill;
  /** Of earlier epochs, only what was rejected. */
  readonly tried: readonly TriedStep[];
  /** Consecutive steps in which no proposed edit could be applied. */
  readonly dry: number;
  /** The optimizer's notes from earlier epochs. */
  readonly meta: string;
}

/** A turn's proposals, and what later turns remember of them. */
export interface TurnProposal {
  readonly step?: Proposed;
  /** Missing if there's nothing to decide about. */
  readonly candidates?: Candidates;
  readonly memory: SearchMemory;
}

export interface TurnInput extends Pick<TrainCourse, "splits" | "turns" | "measuresVal"> {
  readonly turn: Turn;
  readonly incumbent: Standing["current"];
  /** The gate's record of earlier steps. */
  readonly tried: readonly TriedStep[];
  readonly memory: SearchMemory;
  readonly leaks: () => Promise<LeakIndex>;
}

/** A step starts from the text with everything under test; an epoch's end starts from the incumbent. */
export function startOf(
  turn: Turn,
  gate: Gate,
  standing: Standing,
  memory: SearchMemory,
  context: Context,
): Pick<TurnInput, "turn" | "memory" | "incumbent" | "tried"> {
  const { current } = standing;
  // the first step may begin before the original is measured
  if (turn.kind === "step" && turn.step === 1) return { turn, memory, incumbent: current, tried: [] };
  const incumbent = (turn.kind === "step" ? gate.whole?.(standing, context) : undefined) ?? current;
  const tried = gate.recall?.(memory.tried, { ...standing, current: incumbent }) ?? memory.tried;
  return { turn, memory, incumbent, tried };
}

/** A turn's proposal to the gate: a step's edits, or guidance at an epoch's end. */
export async function proposeTurn(input: TurnInput, context: Context): Promise<TurnProposal> {
  const { turn, memory, tried } = input;
  const leaks = await input.leaks();
  const { skill: incumbent, rules: on = [] } = input.incumbent;
  if (turn.kind === "epoch") {
    const crossed = await crossEpoch(
      { ...turn, ...memory, current: incumbent, tried, train: input.splits.train, leaks },
      context,
    );
    const lost = memory.tried.filter(({ edits }) => edits.length > 0);
    const kept = lost.map((one) => ({ ...one, patterns: [] }));
    return {
      memory: { ...memory, previous: incumbent, tried: kept, meta: crossed.meta },
      candidates: crossed.guided && guidance(crossed.guided, on),
    };
  }
  const { step, epoch, budget } = turn;
  context.emit({ type: "step-start", step, epoch, steps: countSteps(input.turns), budget });
  const more = { meta: memory.meta, dry: memory.dry, leaks, checksReplies: !input.measuresVal };
  const proposed = await proposeStep({ turn, incumbent, on, tried, ...more }, context);
  return {
    step: proposed,
    memory: { ...memory, tried: [...memory.tried, proposed.tried], dry: proposed.dry },
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

/** Remembers rejected edits and guidance with the reason, so that proposers learn about them. */
export function withRejected(
  { memory, step: proposed, candidates }: TurnProposal,
  { step }: Turn,
  reason: string,
): SearchMemory {
  const own = memory.tried.find((one) => one.step === step) ?? { step, patterns: [], edits: [] };
  const lost = new Set(own.edits.map(editKey));
  const rejected = proposed?.selected.edits.filter((edit) => !lost.has(editKey(edit))) ?? [];
  const fate = `rejected${rejected.length > 1 ? " with the others of its step" : ""}: ${reason}`;
  const edits: readonly TriedEdit[] =
    proposed === undefined
      ? wordsOf(candidates).map((content) => ({
          op: "append",
          content,
          evidence: [],
          fate: `guidance, ${fate}`,
        }))
      : rejected.map((edit) => ({ ...edit, fate }));
  const others = memory.tried.filter((one) => one !== own);
  return { ...memory, tried: [...others, { ...own, edits: [...edits, ...own.edits] }] };
}

const wordsOf = (candidates?: Candidates): readonly string[] =>
  (candidates?.changes ?? []).map((change) => wordsOfRule({ change }));
