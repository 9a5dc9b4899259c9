import type { ProofOptions } from "../proof.ts";
export async function expiredLogin(_seed: number, _log: ProofOptions["log"]): Promise<{ readonly code: number | null; readonly calls: number; readonly problems: readonly string[] } | undefined> {
  return undefined;
}
