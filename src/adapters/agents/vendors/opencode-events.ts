import { type Json, isObject, readObject } from "../../../core/json.ts";
import type { AgentReading, CliFailure, EventReader } from "../agent-cli.ts";
import { recordAt, textAt } from "../event-fields.ts";
import { createRecord, readingOf } from "../rollout-record.ts";

/** Reads `opencode run --format json`. No event marks the end: the last step's reason does. */
export function opencodeReader(): EventReader {
  const record = createRecord();
  let ended: AgentReading["ended"];
  let failure: CliFailure | undefined;

  function readTool(part: unknown): void {
    const state = recordAt(part, "state");
    const [id, input] = [textAt(part, "callID"), recordAt(state, "input")];
    // a tool that doesn't exist arrives as the tool "invalid"
    const isInvalid = textAt(part, "tool") === "invalid";
    const name = isInvalid ? textAt(input, "tool") : textAt(part, "tool");
    const error = textAt(state, "error");
    const failed = isInvalid || textAt(state, "status") === "error" || exitCode(state) !== 0;
    record.call(id, name, input as Json);
    record.result(id, error || textAt(state, "output"), failed);
    if (name === "skill" && !failed) {
      record.load(textAt(recordAt(state, "metadata"), "name") || textAt(input, "name"));
    }
    // it would download the program, but the box doesn't have network access
    if (error.includes("ripgrep execution failed")) {
      failure = { message: noRipgrep, isLasting: true };
    }
  }

  function readError(error: unknown): void {
    const name = textAt(error, "name");
    if (name === "ContentFilterError") ended = "refused";
    else if (name === "MessageOutputLengthError" || name === "ContextOverflowError") ended = "length";
    else {
      const { statusCode } = recordAt(error, "data");
      failure = {
        message: textAt(recordAt(error, "data"), "message") || name || "opencode ended with an error.",
        ...(typeof statusCode === "number" ? { status: statusCode } : {}),
      };
    }
  }

  return {
    line(text) {
      const event = readObject(text);
      if (event === undefined) return;
      const part = recordAt(event, "part");
      switch (event["type"]) {
        case "text":
          return record.say(textAt(part, "text"));
        case "tool_use":
          return readTool(part);
        case "step_start":
          ended = undefined;
          return;
        case "step_finish":
          ended = endings.get(textAt(part, "reason"));
          return;
        case "error":
          return readError(event["error"]);
      }
    },
    read: () => readingOf(record, failure === undefined ? { ended } : { failure }),
  };
}

const noRipgrep =
  "its skill and search tools need ripgrep, which isn't installed: apt-get install ripgrep, or brew install ripgrep";

const endings: ReadonlyMap<string, NonNullable<AgentReading["ended"]>> = new Map([
  ["stop", "done"],
  ["length", "length"],
  ["content-filter", "refused"],
]);

function exitCode(state: unknown): number {
  const metadata = recordAt(state, "metadata");
  return isObject(metadata) && typeof metadata["exit"] === "number" ? metadata["exit"] : 0;
}
