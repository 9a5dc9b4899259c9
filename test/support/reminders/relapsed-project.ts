import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Wish } from "../../../src/sleep/wishes/wish.ts";
import { day, firstDay, saidOn, wishOf } from "../wishes.ts";
import { type Habit, drawCalls } from "./corpus.ts";

/**
 * Claude Code's conversations of a project: one a day, with twenty calls. In every second the agent relapses, and the person says
 * so; of a habit with a command that must run, the agent changes a file in every conversation. Returns the wish as nights know it, adopted on the third day.
 */
export function writeRelapses(
  { home, project }: { readonly home: string; readonly project: string },
  habit: Habit,
  relapses: number,
): Wish {
  const drawn = drawCalls(habit, { relapses, others: relapses * 40 }, 1, { agent: "claude-code", project });
  const folder = join(home, ".claude/projects/x");
  mkdirSync(folder, { recursive: true });
  for (let nth = 1; nth <= relapses * 2; nth += 1) {
    const isRelapse = nth % 2 === 1;
    const own = drawn.others.slice(nth * 20 - 20, nth * 20);
    const id = `00000000-0000-4000-8000-0000000000${String(nth).padStart(2, "0")}`;
    let at = firstDay + (nth - 1) * day - 60_000;
    const record = (type: string, content: unknown) =>
      JSON.stringify({
        type,
        message: { role: type, content },
        uuid: `${id}-${(at += 100)}`,
        timestamp: new Date(at).toISOString(),
        cwd: project,
        sessionId: id,
        version: "2.1.325",
        isSidechain: false,
      });
    const done = (calls: typeof own) =>
      calls.map(({ tool: name, input }, index) =>
        record("assistant", [{ type: "tool_use", id: `t${index}`, name, input }]),
      );
    const ran = habit.command === undefined ? [] : [{ tool: "Bash", input: { command: habit.command } }];
    const changed =
      isRelapse || habit.command !== undefined ? [drawn.relapses[Math.floor((nth - 1) / 2)]] : [];
    const lines = [
      record("user", "Get the totals right, please."),
      ...done(own.slice(0, 9)),
      ...done([...changed.filter((one) => one !== undefined), ...(isRelapse ? [] : ran)]),
      record("assistant", [{ type: "text", text: "Done." }]),
      record("user", isRelapse ? habit.said : "Thanks, now the dates."),
      ...done([...own.slice(9), ...(isRelapse ? ran : [])]),
      record("assistant", [{ type: "text", text: "Done." }]),
    ];
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`);
  }
  const said = Array.from({ length: relapses }, (_, at) => saidOn(at * 2 + 1, habit.said));
  return wishOf(habit.rule, {
    said,
    state: { kind: "adopted", at: firstDay + 2.5 * day, reason: "You adopted it." },
  });
}
