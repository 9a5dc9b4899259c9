import { InfraError, WhetstoneError } from "../../core/errors.ts";

/** One thing that `whetstone doctor` looked at. */
export interface Finding {
  readonly about: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}

/** What was seen, or what kept it from being seen. */
export async function look(about: string, see: () => Promise<string>): Promise<Finding> {
  try {
    return { about, status: "ok", text: await see() };
  } catch (error) {
    return failure(about, error);
  }
}

export function failure(about: string, error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof WhetstoneError || error instanceof InfraError;
  if (isOurs && error.hint !== undefined) return { about, status: "fail", text, next: error.hint };
  const next = error instanceof InfraError ? "Check key, model name and network." : "See the message.";
  return { about, status: "fail", text, next };
}
