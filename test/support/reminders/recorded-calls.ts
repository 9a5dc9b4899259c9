import type { RecordedCall } from "../../../src/core/ports/conversation.ts";

/** A call after so many prompts that runs a command, writes a file, or does neither. */
export const ran = (prompts: number, ...words: readonly string[]): RecordedCall => ({
  prompts,
  acts: [{ kind: "running", words }],
});
export const wrote = (prompts: number, path: string): RecordedCall => ({
  prompts,
  acts: [{ kind: "writing", path }],
});
export const looked = (prompts: number): RecordedCall => ({ prompts, acts: [] });
