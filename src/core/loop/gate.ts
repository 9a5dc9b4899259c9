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
 * What decides about candidates. A member that a gate leaves out is a thing it doesn't do. `Known` is what it knows from step to
 * step; a gate keeps nothing anywhere else, and has no effect but through its context.
 */
export interface Gate<Known = unknown> {
  readonly name: string;
  /** Change it when the gate decides differently: name and version are in the run's identity, so a resume never mixes two gates. */
  readonly version: string;
  /** What it knows of the original, once that was measured on val. Left out: val isn't measured. */
  start?(original: MeasuredOriginal, context: Context): Known;
  /** Takes candidates in before they are measured. Left out: the next step waits for the decision, whatever the lag is. */
  open?(input: GateInput<Known>, context: Context): Known;
  /** Measures a step's candidates and decides. Every change to the skill passes here. */
  decide(input: GateInput<Known>, context: Context): Promise<GateDecision<Known>>;
  /** The text that a step's attempts carry and its proposers work on, with all that is under test. Left out: the incumbent. */
  whole?(standing: Standing<Known>, context: Context): Standing<Known>["current"];
  /** What proposers hear of earlier steps; `tried` has the edits that never got to the gate. Left out: these and the rejected ones. */
  recall?(tried: readonly TriedStep[], standing: Standing<Known>): readonly TriedStep[];
  /** What the search ends with. Left out: the best candidate so far. */
  end?(input: EndInput<Known>, context: Context): Promise<SearchEnd<Known>>;
  /** Its odds before a run, by simulations. Left out: nobody simulated it. */
  odds?(facts: OddsFacts): SearchOdds;
  /** The standing of a search that goes on after its end, for so many turns. Left out: `more` is refused. */
  goOn?(
    end: Standing<Known>,
    counts: Pick<MeasuredOriginal, "turns" | "proposals">,
    context: Context,
  ): Standing<Known>;
}

/** Where the search stands: the incumbent, the val winner so far, and what the gate knows of them. */
export interface Standing<Known = unknown> {
  /** With the numbers of the rules in it, where the gate numbers them. */
  readonly current: MeasuredSkill & { readonly rules?: readonly number[] };
  readonly best: MeasuredSkill & { readonly step: number };
  readonly known: Known;
  /** Something was taken in that only the gate's `end` decides about. @default false */
  readonly isOpen?: boolean;
  /** Why nothing can do better than the incumbent. */
  readonly ended?: string;
}

export interface MeasuredSkill {
  readonly skill: Skill;
  /** The gate's score; null when nothing was measured (`gate: off`). */
  readonly score: number | null;
}

/** The original on val. */
export interface MeasuredOriginal {
  readonly skill: Skill;
  /** The tasks that decide about candidates: those of val whose prompts the model takes. */
  readonly val: readonly Task[];
  readonly baseline: Evaluation;
  readonly score: number;
  /** How many turns the search has, and how many of them can propose something. */
  readonly turns: number;
  readonly proposals: number;
  /** The optimizer sees these tasks too, so what is found is a hypothesis. @default false */
  readonly isShared?: boolean;
}

/** What goes to the gate. */
export interface Candidates {
  /** The incumbent with all changes in it. */
  readonly candidate: Skill;
  /** The same, one by one. */
  readonly changes: readonly Change[];
  /** The first so many are within the edit budget, and the others are surplus. @default all of them */
  readonly within?: number;
  /** Numbers of the rules in that incumbent. */
  readonly on: readonly number[];
}

export interface GateInput<Known = unknown> extends Candidates {
  readonly step: number;
  /** The turn's place among those that can propose something, from 0. */
  readonly turn: number;
  readonly standing: Standing<Known>;
  readonly val: readonly Task[];
}

export interface GateDecision<Known = unknown> {
  readonly action: StepAction;
  /** In words, for a person. */
  readonly reason: string;
  /** The candidate's score as the gate saw it. */
  readonly score?: number;
  readonly standing: Standing<Known>;
  /** The text that a step's record shows. @default the step's candidate */
  readonly candidate?: Skill | undefined;
  /** What was rolled out to decide. */
  readonly evaluation?: Evaluation;
  /** Figures of the decision: p, estimate, wins and losses, rollouts. */
  readonly evidence?: GateEvidence;
}

export interface EndInput<Known = unknown> {
  readonly standing: Standing<Known>;
  readonly splits: Splits;
  /** The tasks that decided about candidates. */
  readonly val: readonly Task[];
  /** The last one. */
  readonly step: number;
}

export interface SearchEnd<Known = unknown> {
  readonly standing: Standing<Known>;
  /** What each rule is worth, where the gate measures rules, and those that stay. */
  readonly rules?: Searched;
  /** The kept text on val, next to the original; none where the original stays or that text was not rolled by itself. */
  readonly confirmed?: readonly Rolled[];
  /** The lean or the full text, whichever isn't the end's own. */
  readonly other?: SecondText;
  /** What the end came to, for a person. */
  readonly sentence?: string;
}

/** A text that a search could have ended with. */
export interface SecondText {
  /** `lean`: only rules whose help is shown. `full`: the best expectation. */
  readonly name: "lean" | "full";
  readonly skill: Skill;
  /** The expected score on val. */
  readonly score: number;
  readonly rules: number;
  /** Tokens that they add to every prompt. */
  readonly tokens: number;
  /** All of this next to the offered text, for a person. */
  readonly sentence: string;
}
