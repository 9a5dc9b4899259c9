import { readObject } from "../../../core/json.ts";
import type { InstalledSkill } from "../../../core/ports/agent.ts";
import type { AgentReading, CliFailure, EventReader } from "../agent-cli.ts";
import { listAt, recordAt, textAt } from "../event-fields.ts";
import { skillNamedIn } from "../install-skills.ts";
import { createRecord, readingOf } from "../rollout-record.ts";

/**
 * Reads `codex exec --json`. The only sign that a skill was loaded is a successful command that names its SKILL.md.
 * Items of type `error` are warnings; `error` events are retries; `turn.failed` is the failure.
 */
export function codexReader(skills: readonly InstalledSkill[]): EventReader {
  const record = createRecord();
  let ended: AgentReading["ended"];
  let failure: CliFailure | undefined;
  /** The last answer was incomplete and the CLI asks for another. If none comes, the run ended this way. */
  let cut: "length" | "refused" | undefined;

  function readItem(item: unknown, completed: boolean): void {
    const [type, id] = [textAt(item, "type"), textAt(item, "id")];
    if (type === "agent_message" && completed) {
      cut = undefined;
      record.say(textAt(item, "text"));
    }
    if (type === "command_execution") {
      const command = textAt(item, "command");
      if (!completed) return record.call(id, "shell", { command });
      const failed = textAt(item, "status") === "failed" || recordCode(item) !== 0;
      record.result(id, textAt(item, "aggregated_output"), failed);
      const skill = failed ? undefined : skillNamedIn(command, skills);
      if (skill !== undefined) record.load(skill);
    }
    if (type === "file_change" && completed) {
      const changes = listAt(item, "changes").map((change) => ({
        path: textAt(change, "path"),
        kind: textAt(change, "kind"),
      }));
      record.call(id, "apply_patch", { changes });
      record.result(id, textAt(item, "status"), textAt(item, "status") === "failed");
    }
  }

  function readError(message: string): void {
    if (message.includes("reason: max_output_tokens")) cut = "length";
    if (message.includes("reason: content_filter")) cut = "refused";
  }

  function readFailed(message: string): void {
    readError(message);
    if (cut === undefined) failure = { message: said(message), ...statusIn(message) };
    else ended = cut;
  }

  return {
    line(text) {
      const event = readObject(text);
      if (event === undefined) return;
      const type = textAt(event, "type");
      if (type === "item.started") readItem(event["item"], false);
      if (type === "item.completed") readItem(event["item"], true);
      if (type === "error") readError(textAt(event, "message"));
      if (type === "turn.completed") ended = "done";
      if (type === "turn.failed") readFailed(textAt(recordAt(event, "error"), "message"));
    },
    read: () => readingOf(record, { ended: ended ?? cut, failure }),
  };
}

const recordCode = (item: unknown): number => {
  const code = (item as Readonly<Record<string, unknown>>)["exit_code"];
  return typeof code === "number" ? code : 0;
};

/** The provider's own sentence if the message is its JSON body. */
function said(message: string): string {
  return textAt(recordAt(readObject(message), "error"), "message") || message || "The turn failed.";
}

function statusIn(message: string): { readonly status?: number } {
  const status = Number(/\bstatus:? (\d{3})\b/.exec(message)?.[1]);
  if (status >= 400) return { status };
  return textAt(recordAt(readObject(message), "error"), "type") === "invalid_request_error"
    ? { status: 400 }
    : {};
}
