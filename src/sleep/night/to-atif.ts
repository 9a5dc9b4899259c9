import type { Digest } from "../../core/ports/conversation.ts";

/** A trajectory of the Agent Trajectory Interchange Format, as far as a digest can fill it. */
export interface AtifTrajectory {
  readonly schema_version: "ATIF-v1.7";
  readonly session_id: string;
  readonly agent: { readonly name: string; readonly version: string };
  readonly steps: readonly AtifStep[];
  /** What the format has no place for. */
  readonly extra: {
    readonly project: string;
    readonly branch?: string;
    readonly commit?: string;
    readonly tools: readonly string[];
    readonly skills: readonly string[];
    readonly files: readonly string[];
  };
}

export interface AtifStep {
  readonly step_id: number;
  readonly timestamp?: string;
  readonly source: "user" | "agent";
  readonly message: string;
}

/**
 * A conversation for other programs: what was typed and answered, redacted. Arguments and outputs of tools are not in it,
 * because a digest does not keep them; the agent's version is not known.
 */
export function toAtif(digest: Digest): AtifTrajectory {
  const said = digest.turns.flatMap(({ prompt, answer }) => [
    { source: "user" as const, message: prompt },
    ...(answer === "" ? [] : [{ source: "agent" as const, message: answer }]),
  ]);
  return {
    schema_version: "ATIF-v1.7",
    session_id: digest.id,
    agent: { name: digest.source, version: "unknown" },
    steps: said.map((step, at) => ({ step_id: at + 1, ...timeAt(digest, at, said.length - 1), ...step })),
    extra: {
      project: digest.project,
      branch: digest.branch,
      commit: digest.commit,
      tools: digest.tools,
      skills: digest.skills,
      files: digest.files,
    },
  };
}

/** Only the beginning and the end are known. */
function timeAt({ startedAt, endedAt }: Digest, at: number, last: number): { readonly timestamp?: string } {
  if (at !== 0 && at !== last) return {};
  // oxlint-disable-next-line no-restricted-globals -- an instant as text; no clock is read
  return { timestamp: new Date(at === 0 ? startedAt : endedAt).toISOString() };
}
