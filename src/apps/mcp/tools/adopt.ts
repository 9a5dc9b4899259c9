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
    "Writes what a training or a night proposes into the live file. Only when the person asked for it. They are shown the change and asked, by the client and not by you; a client that cannot ask them cannot adopt, and the answer has the command for them to type. What is unproven, brings new powers or meets a changed file is refused: that is for a terminal.",
  input: z.strictObject({ run: idArgument, ...choiceInput }),
  output: z.strictObject({
    run: z.string(),
    outcome: z.enum(["adopted", "already-adopted", "nothing-to-adopt"]),
    file: z.string(),
    undo: z.string().nullable().describe("what a person types to take it back"),
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
    // what the person is about to see is what is written, whatever happens meanwhile
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
          `\`whetstone undo ${run}\` takes it back.`,
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

/** A proposal may be about a person's own file elsewhere, which is not this project's. */
function refuseOutside(path: string, cwd: string, command: string): void {
  if (isInside(existsSync(path) ? path : dirname(path), cwd)) return;
  throw new WhetstoneError("not-allowed", `${path} is not in this project.`, {
    hint: `In a terminal the person can type: ${command}`,
  });
}
