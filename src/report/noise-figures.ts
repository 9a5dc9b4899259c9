import type { PlannedClaim } from "../core/gate/claim/plan-claim.ts";
import type { RunReport } from "./model.ts";

/** What a run of `noise` found: how much a skill's scores differ by chance alone. */
export interface NoiseFigures {
  readonly tasks: number;
  /** Per task and arm. */
  readonly trials: number;
  /** Results that are missing. */
  readonly pending: number;
  /** The skill's mean score over all trials. */
  readonly score: number;
  /** How often two trials of one task differ. */
  readonly flipRate: number;
  /** How often two neutral rewordings of one task differ, where they were tried. */
  readonly variants?: number;
  /** The share of tasks on which any two trials differed. */
  readonly unsteady: number;
  /** p of "the skill is better than itself" and of "worse", by the exact test. */
  readonly p: number;
  readonly pWorse: number;
  /** What a claim on these tasks could find with this noise. */
  readonly claim: PlannedClaim;
}

/** Missing before such a run has ended, and of any other. */
export const noiseFigures = ({ overview, summary }: RunReport): NoiseFigures | undefined =>
  overview.command === "noise" && overview.status === "done"
    ? (summary as unknown as NoiseFigures | undefined)
    : undefined;
