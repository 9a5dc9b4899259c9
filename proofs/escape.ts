import { join } from "node:path";
import { runWithStrays } from "./escape/strays.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";

export const claim =
  "A rollout stays in its sandbox: files, descriptors, processes, network, keys, limits and lifetime end at its walls. Without a sandbox nothing runs.";

export default async function proveEscape({ log }: ProofOptions): Promise<ProofResult> {
  const worker = join(import.meta.dirname, "escape/escape-worker.ts");
  const { result, heard } = await runWithStrays<ProofResult>(worker, log);
  // the socket's other end is here: the box must not have written to it, and the control must
  const [reached, control] = [heard.includes("planted"), heard.includes("control")];
  if (reached) log("  ESCAPED: it wrote to a host socket");
  if (!control) log("  blocked: writing to a host socket");
  return { ...result, ok: result.ok && !reached && control };
}
