/**
 * Before a tool call: if a reminder of this project is about it, the agent gets the person's words and the call isn't made. It is
 * a reminder, not a wall: if anything fails or takes more than 50 ms, the call is made.
 */
import { join } from "node:path";
import { actsOf, findReminder, readReminders } from "./reminder.mjs";
import { foldersAbove, readSmall } from "./state.mjs";

// in steps, so that a busy machine doesn't end it before the event was looked for
let steps = 5;
setInterval(() => (steps -= 1) > 0 || process.exit(), 10).unref();
try {
  let event = "";
  for await (const part of process.stdin) event += part;
  const { cwd, tool_name: tool, tool_input: input } = JSON.parse(event);
  for (const { folder, state } of foldersAbove(cwd)) {
    const reminders = readReminders(readSmall(join(state, "sleep/reminders.md"), 65_536));
    const found = reminders.length > 0 && findReminder(reminders, actsOf(tool, input, folder));
    if (found) stop(found);
    if (found) break;
  }
} catch {}

function stop(/** @type {Record<string, string>} */ { act, pattern, message }) {
  const what = `Whetstone stopped this before ${act} \`${pattern}\`: a reminder, not a wall.`;
  console.log(
    JSON.stringify({
      systemMessage: `${what} \`whetstone undo\` takes it back.`,
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: `${message}\n\n${what} The person adopted it. If they ask for this very call, they make it themselves.`,
      },
    }),
  );
}
