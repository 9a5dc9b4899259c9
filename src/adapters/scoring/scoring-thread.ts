import { parentPort } from "node:worker_threads";
import { scoreTextHere } from "../../core/scorers/score-text.ts";
import type { TextCheck, CheckResult } from "../../core/scorers/checked.ts";
import { invalid } from "../../core/scorers/scorer.ts";

/** A request to a thread, which answers with a verdict. */
export interface ThreadQuestion {
  readonly check: TextCheck;
  readonly text: string;
}

// reports that it is running, so that its start doesn't count toward a deadline
parentPort?.postMessage("ready");
parentPort?.on("message", ({ check, text }: ThreadQuestion) => {
  parentPort?.postMessage(answer(check, text));
});

function answer(check: TextCheck, text: string): CheckResult {
  try {
    return scoreTextHere(check, text);
  } catch (error) {
    return invalid(`scoring failed: ${String(error)}`);
  }
}
