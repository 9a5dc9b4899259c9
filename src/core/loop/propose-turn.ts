import type { Context } from "../context.ts";
import { crossEpoch } from "../epoch/cross-epoch.ts";
import type { LeakIndex } from "../guard/leak-index.ts";
import { editKey } from "../skill/edit.ts";
import { readRegion } from "../skill/regions.ts";
import { type Skill, mainText } from "../skill/skill.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import type { Candidates, Standing } from "./gate.ts";
import { type Proposed, proposeStep } from "./propose-step.ts";
import { type Turn, countSteps } from "./turns.ts";
import type { TrainCourse } from "./work-ahead.ts";

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

export interface TurnInput extends Pick<TrainCourse, "splits" | "turns" | "measuresVal"> {
  readonly turn: Turn;
  readonly incumbent: Standing["current"];
  /** What the gate recalls of earlier steps. */
  readonly tried: readonly TriedStep[];
  readonly memory: SearchMemory;
  readonly leaks: () => Promise<LeakIndex>;
}

/** What a turn proposes to the gate: a step's edits, or guidance at an epoch's end. */
export async function proposeTurn(input: TurnInput, context: Context): Promise<TurnProposal> {
  const { turn, memory, tried } = input;
  const leaks = await input.leaks();
  const { skill: incumbent, rules: on = [] } = input.incumbent;
  if (turn.kind === "epoch") {
    const crossed = await crossEpoch(
      { ...turn, ...memory, current: incumbent, tried, train: input.splits.train, leaks },
      context,
    );
    const next = { previous: incumbent, tried: [], meta: crossed.meta };
    return { memory: next, candidates: crossed.guided && guidance(crossed.guided, on) };
  }
  const { step, epoch, budget } = turn;
  context.emit({ type: "step-start", step, epoch, steps: countSteps(input.turns), budget });
  const more = { meta: memory.meta, leaks, checksReplies: !input.measuresVal };
  const proposed = await proposeStep({ turn, incumbent, on, tried, ...more }, context);
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

/** A rejected step's edits are remembered with the reason, so that proposers hear of them. */
export function withRejected(
  memory: SearchMemory,
  { step, selected }: Proposed,
  reason: string,
): SearchMemory {
  const tried = memory.tried.map((one) => {
    if (one.step !== step) return one;
    const lost = new Set(one.edits.map(editKey));
    const rejected = selected.edits.filter((edit) => !lost.has(editKey(edit)));
    const fate = `rejected${rejected.length > 1 ? " with the others of its step" : ""}: ${reason}`;
    return { ...one, edits: [...rejected.map((edit) => ({ ...edit, fate })), ...one.edits] };
  });
  return { ...memory, tried };
}
