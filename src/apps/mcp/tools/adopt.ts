import { dirname } from "node:path";
import { existsSync } from "node:fs";
import { z } from "zod";
import { WhetstoneError } from "../../../core/errors.ts";
import { verdictWords } from "../../../core/verdict-words.ts";
import { alsoForLines } from "../../../run/offer/adopt.ts";
import { adopt, adoptConfirmed, diff } from "../../../run/offer/proposals.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { isInside, idArgument } from "../arguments.ts";
import { line } from "../printable.ts";
import { defineTool } from "../tool.ts";
import { choiceInput } from "./diff.ts";

export const adoptTool = defineTool({
  title: "Adopt a proposal",
  description:
    "Writes a training's or a night's proposal into the live file. Use it only when the person asked for it. The client, not you, shows them the change and asks. A client that can't ask them can't adopt; the answer then has the command for them to type. Unproven changes, new powers and changed files are refused: those need a terminal.",
  input: z.strictObject({ run: idArgument, ...choiceInput }),
  output: z.strictObject({
    run: z.string(),
    outcome: z.enum(["adopted", "already-adopted", "nothing-to-adopt"]),
    file: z.string(),
    undo: z.string().nullable().describe("the command that a person types to undo it"),
  }),
  kind: "writes",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async call({ run: name, accept, drop }, call) {
    const project = await call.project();
    const { proposal, live, diff: change } = await diff({ ...project, run: name, accept, drop });
    const { run, verdict, proven, reason, files, main } = proposal;
    const file = shownFrom(call.cwd)(live.path);
    const choice = `${run}${flag("accept", accept)}${flag("drop", drop)}`;
    const [command, look] = [`whetstone adopt ${choice}`, `whetstone diff ${choice}`];
    refuseOutside(live.path, call.cwd, command);
    // write exactly the text that the person is about to see, whatever happens in between
    const shown = files.find(({ path }) => path === main)?.proposed ?? undefined;
    const chosen = { ...project, run, accept, drop, shown };
    const checked = await adopt({ ...chosen, check: true });
    if (checked.kind === "adoptable")
      await call.confirm({
        message: [
          `Write this into ${file}?`,
          `${verdictWords[verdict].word}${proven ? "" : " (not proven)"}: ${reason}`,
          "",
          change.trimEnd(),
          "",
          `\`whetstone undo ${run}\` undoes it.`,
        ].join("\n"),
        yes: `Write it into ${file}`,
        command,
        look,
      });
    const adopted = checked.kind === "adoptable" ? await adoptConfirmed(chosen) : checked;
    const { kind } = adopted;
    const outcomes = ["adopted", "already-adopted"] as const;
    return {
      text: [...adopted.lines, ...alsoForLines(adopted)].join("\n"),
      data: {
        run,
        outcome: outcomes.find((one) => one === kind) ?? ("nothing-to-adopt" as const),
        file: line(file, 1000),
        undo: kind === "adopted" ? `whetstone undo ${run}` : null,
      },
    };
  },
});

const flag = (name: string, rules: readonly string[] | undefined): string =>
  rules === undefined ? "" : ` --${name} ${rules.join(",")}`;

/** A proposal may be for the person's own file elsewhere, outside this project. */
function refuseOutside(path: string, cwd: string, command: string): void {
  if (isInside(existsSync(path) ? path : dirname(path), cwd)) return;
  throw new WhetstoneError("not-allowed", `${path} isn't in this project.`, {
    hint: `In a terminal the person can type: ${command}`,
  });
}
