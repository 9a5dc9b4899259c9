import { join } from "node:path";
import { runWithStrays } from "./escape/strays.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "a rollout stays in its box: files, descriptors, processes, network, key, limits and life end at its walls; no box, no run";

export default async function proveEscape({ log }: ProofOptions): Promise<ProofResult> {
  const worker = join(import.meta.dirname, "escape/escape-worker.ts");
  const { result, heard } = await runWithStrays<ProofResult>(worker, log);
  // the socket's other end is here: the box must not have written to it, and the control must
  const [reached, control] = [heard.includes("planted"), heard.includes("control")];
  if (reached) log("  ESCAPED it wrote to a socket of the host");
  if (!control) log("  in vain  write to a socket of the host");
  return { ...result, ok: result.ok && !reached && control };
}
