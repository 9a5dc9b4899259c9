import type { Context } from "../context.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import type { OddsFacts, SearchOdds } from "../rules/search-odds.ts";
import type { Searched } from "../rules/searched-rules.ts";
import type { Change } from "../rules/search-rule.ts";
import type { Skill } from "../skill/skill.ts";
import type { TriedStep } from "../stages/optimizer-text.ts";
import type { Rolled } from "../stages/rollout.ts";
import type { GateEvidence, StepAction } from "../step-record.ts";
import type { Splits, Task } from "../tasks/task.ts";

/**
 * Decides about candidates. A gate that omits a member doesn't do that thing. `Known` is its knowledge from step to
 * step: a gate keeps no other state, and acts only through its context.
 */
export interface Gate<Known = unknown> {
  readonly name: string;
  /** Change it if the gate decides differently. Both are in the run's identity, so a resume never mixes two gates. */
  readonly version: string;
  /** Its knowledge of the original, once val is measured. Without it, val isn't measured. */
  start?(original: MeasuredOriginal, context: Context): Known;
  /** Accepts candidates before they are measured. Without it, the next step waits for the decision, whatever the lag. */
  open?(input: GateInput<Known>, context: Context): Known;
  /** Measures a step's candidates and decides. Every change to the skill goes through it. */
  decide(input: GateInput<Known>, context: Context): Promise<GateDecision<Known>>;
  /** The text for a step's attempts and proposers, with everything under test. Without it, they use the incumbent. */
  whole?(standing: Standing<Known>, context: Context): Standing<Known>["current"];
  /** The earlier steps that proposers see; `tried` has edits that never got to the gate. Without it: these and rejected ones. */
  recall?(tried: readonly TriedStep[], standing: Standing<Known>): readonly TriedStep[];
  /** The result of the search. Without it, the best candidate so far. */
  end?(input: EndInput<Known>, context: Context): Promise<SearchEnd<Known>>;
  /** Its odds before a run, from simulations. Without it, no simulation exists. */
  odds?(facts: OddsFacts): SearchOdds;
  /** Continues a finished search for this many more turns. Without it, `more` is refused. */
  goOn?(
    end: Standing<Known>,
    counts: Pick<MeasuredOriginal, "turns" | "proposals">,
    context: Context,
  ): Standing<Known>;
}

/** The current state of the search: the incumbent, the best skill on val so far, and what the gate knows about them. */
export interface Standing<Known = unknown> {
  /** With the numbers of its rules, if the gate numbers them. */
  readonly current: MeasuredSkill & { readonly rules?: readonly number[] };
  readonly best: MeasuredSkill & { readonly step: number };
  readonly known: Known;
  /** Something was accepted that only the gate's `end` decides about. @default false */
  readonly isOpen?: boolean;
  /** Why nothing can beat the incumbent. */
  readonly ended?: string;
}

export interface MeasuredSkill {
  readonly skill: Skill;
  /** The gate's score; null if nothing was measured (`gate: off`). */
  readonly score: number | null;
}

/** The original on val. */
export interface MeasuredOriginal {
  readonly skill: Skill;
  /** The val tasks that decide about candidates: those whose prompts fit the model. */
  readonly val: readonly Task[];
  readonly baseline: Evaluation;
  readonly score: number;
  /** The number of turns in the search, and how many of them can propose something. */
  readonly turns: number;
  readonly proposals: number;
  /** The optimizer sees these tasks too, so the result is only a hypothesis. @default false */
  readonly isShared?: boolean;
}

/** The input of a gate. */
export interface Candidates {
  /** The incumbent with all changes applied. */
  readonly candidate: Skill;
  /** The same changes, one by one. */
  readonly changes: readonly Change[];
  /** This many of the first changes are within the edit budget; the rest are surplus. @default all of them */
  readonly within?: number;
  /** Numbers of the rules in that incumbent. */
  readonly on: readonly number[];
}

export interface GateInput<Known = unknown> extends Candidates {
  readonly step: number;
  /** The turn's position among those that can propose something, from 0. */
  readonly turn: number;
  readonly standing: Standing<Known>;
  readonly val: readonly Task[];
}

export interface GateDecision<Known = unknown> {
  readonly action: StepAction;
  /** An explanation for people. */
  readonly reason: string;
  /** The candidate's score according to the gate. */
  readonly score?: number;
  readonly standing: Standing<Known>;
  /** The text shown in a step's record. @default the step's candidate */
  readonly candidate?: Skill | undefined;
  /** The rollouts behind the decision. */
  readonly evaluation?: Evaluation;
  /** Figures of the decision: p, estimate, wins and losses, rollouts. */
  readonly evidence?: GateEvidence;
}

export interface EndInput<Known = unknown> {
  readonly standing: Standing<Known>;
  readonly splits: Splits;
  /** The tasks that decided about candidates. */
  readonly val: readonly Task[];
  /** The number of the last step. */
  readonly step: number;
}

export interface SearchEnd<Known = unknown> {
  readonly standing: Standing<Known>;
  /** The worth of each rule, if the gate measures rules, and the ones that stay. */
  readonly rules?: Searched;
  /** The kept text on val, next to the original; none if the original stays or that text wasn't rolled out by itself. */
  readonly confirmed?: readonly Rolled[];
  /** The lean or the full text, whichever isn't the result. */
  readonly other?: SecondText;
  /** A summary for people. */
  readonly sentence?: string;
}

/** An alternative result of a search. */
export interface SecondText {
  /** `lean`: only rules whose help is shown. `full`: the best expectation. */
  readonly name: "lean" | "full";
  readonly skill: Skill;
  /** The expected score on val. */
  readonly score: number;
  readonly rules: number;
  /** Tokens that its rules add to every prompt. */
  readonly tokens: number;
  /** A comparison with the offered text, for people. */
  readonly sentence: string;
}
