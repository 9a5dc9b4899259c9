import { hashJson } from "../../../core/canonical.ts";
import { asJson } from "../../../core/json.ts";
import type { EarlierTurn } from "../../../core/tasks/task.ts";

/** A conversation in Claude Code's own format: `--resume` takes the file's path. */
export function claudeTranscript(turns: readonly EarlierTurn[]): string {
  const sessionId = idOf(turns, 0);
  const messages = turns.flatMap(({ prompt, answer }) => [
    { type: "user", message: { role: "user", content: prompt } },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: answer }] } },
  ]);
  return lines(
    messages.map((message, at) => ({
      ...message,
      parentUuid: at === 0 ? null : idOf(turns, at),
      uuid: idOf(turns, at + 1),
      sessionId,
      timestamp: time,
    })),
  );
}

/** A conversation in Codex's own format: `exec resume` finds it by the id in the file name. */
export function codexTranscript(turns: readonly EarlierTurn[]) {
  const id = idOf(turns, 0);
  const message = (role: string, type: string, text: string) => ({
    timestamp: time,
    type: "response_item",
    payload: { type: "message", role, content: [{ type, text }] },
  });
  const head = {
    id,
    timestamp: time,
    cwd: "/",
    originator: "codex_exec",
    cli_version: "0.0.0",
    source: "exec",
  };
  const text = lines([
    { timestamp: time, type: "session_meta", payload: head },
    ...turns.flatMap(({ prompt, answer }) => [
      message("user", "input_text", prompt),
      message("assistant", "output_text", answer),
    ]),
  ]);
  return { id, name: `rollout-2000-01-01T00-00-00-${id}.jsonl`, text };
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** The same turns give the same file, so that their rollouts have the same key. */
const time = "2000-01-01T00:00:00.000Z";

/** A UUID derived from the turns and a number. */
function idOf(turns: readonly EarlierTurn[], nth: number): string {
  const hex = hashJson([asJson(turns), nth]);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
