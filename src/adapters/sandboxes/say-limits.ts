import type { KernelLimit, Sandbox } from "../../core/ports/sandbox.ts";

/** Which limits the kernel enforces, and which we can only observe being exceeded. */
export async function sayLimits(sandbox: Sandbox): Promise<string> {
  const held = (await sandbox.heldByKernel?.()) ?? [];
  const watched = all.filter((limit) => !held.includes(limit));
  return [
    ...(held.length === 0 ? [] : [`enforced by the kernel: ${held.join(", ")}`]),
    ...(watched.length === 0 ? [] : [`only watched: ${watched.join(", ")}`]),
  ].join("; ");
}

const all: readonly KernelLimit[] = ["memory", "processes", "disk"];
