/**
 * Before a tool call: if one of the project's reminders matches it, the agent gets the person's words and the call isn't made.
 * Before the agent ends its turn: if it didn't run a command that a reminder asks for, it gets the person's words, once per
 * conversation. It's a reminder, not a wall: if anything fails or takes more than 50 ms, the call is made and the turn ends.
 */
import { join } from "node:path";
import { actsOf, changesFiles, findReminder, isMissed, readReminders } from "./reminder.mjs";
import { foldersAbove, readSmall } from "./state.mjs";

// in steps, so that a busy machine doesn't end it before it has read the event
let steps = 5;
setInterval(() => (steps -= 1) > 0 || process.exit(), 10).unref();
try {
  let event = "";
  for await (const part of process.stdin) event += part;
  const given = JSON.parse(event);
  for (const { folder, state } of foldersAbove(given.cwd)) {
    const reminders = readReminders(readSmall(join(state, "sleep/reminders.md"), 65_536));
    if (reminders.length === 0) continue;
    const { tool_name: tool, tool_input: input } = given;
    const found =
      given.hook_event_name === "Stop"
        ? findMissed(reminders, folder, given)
        : findReminder(reminders, actsOf(tool, input, folder));
    if (found) stop(found, given.hook_event_name);
    if (found) break;
  }
} catch {}

/** The first reminder whose command never ran in this conversation, as Claude Code recorded it. */
function findMissed(
  /** @type {readonly Record<string, string>[]} */ reminders,
  /** @type {string} */ folder,
  /** @type {{ transcript_path: string, stop_hook_active?: boolean }} */ {
    transcript_path: path,
    stop_hook_active,
  },
) {
  const all = reminders.filter(({ act }) => act === "finishing without");
  // the agent is already going on because a hook asked it to
  if (stop_hook_active === true || all.length === 0) return;
  const began = performance.now();
  const text = readSmall(path, 67_108_864);
  const asked = all.filter((one) => !text.includes(JSON.stringify(whatOf(one)).slice(1, -1)));
  const names = asked.map(({ pattern = "" }) => pattern.split(/[ *]/, 1)[0] ?? "");
  const acts = [];
  let isChanged = false;
  for (const line of asked.length === 0 ? [] : text.split("\n")) {
    // timers don't fire in this loop
    if (performance.now() - began > 50) return;
    if (!line.includes('"tool_use"')) continue;
    // once a file was changed, only the command matters
    if (isChanged && !names.some((name) => line.includes(name))) continue;
    const { content } = JSON.parse(line).message ?? {};
    for (const part of Array.isArray(content) ? content : []) {
      const own = part.type === "tool_use" ? actsOf(part.name, part.input, folder) : [];
      isChanged ||= changesFiles(own);
      acts.push(...own);
    }
  }
  return asked.find((one) => isMissed(one, acts));
}

function stop(/** @type {Record<string, string>} */ reminder, /** @type {string} */ event) {
  const what = whatOf(reminder);
  const systemMessage = `${what} \`whetstone undo\` takes it back.`;
  const reason = `${reminder.message}\n\n${what} The person adopted it.`;
  const deny = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: `${reason} If they ask for this very call, they make it themselves.`,
  };
  const reply =
    event === "Stop"
      ? { decision: "block", reason: `${reason} Run it, or say why it isn't needed.` }
      : { hookSpecificOutput: deny };
  console.log(JSON.stringify({ systemMessage, ...reply }));
}

function whatOf(/** @type {Record<string, string>} */ { act, pattern }) {
  return `Whetstone stopped this before ${act} \`${pattern}\`: a reminder, not a wall.`;
}
