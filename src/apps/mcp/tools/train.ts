import { z } from "zod";
import { plan } from "../../../run/plan.ts";
import { train } from "../../../run/verbs/train.ts";
import { nextAfterTraining } from "../../../report/next-step.ts";
import { trainedLines } from "../../../show/print-result.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { skillPath } from "../arguments.ts";
import { line } from "../printable.ts";
import { allowSpend, caps, lowerCaps, progressOf } from "../spend.ts";
import { defineTool } from "../tool.ts";
import { givenSkill } from "./plan.ts";

export const trainTool = defineTool({
  title: "Train a skill",
  description:
    "Trains this project's skill. THIS SPENDS MONEY or a subscription: up to the cap, which must be in the project's config or in `cap`. A cap here can only be lower than the config's. The person is asked before anything is bought; a client that can't ask them needs a cap in the config. Plan first. It takes minutes to hours and reports progress. If it's cancelled, the same call resumes it without paying again for finished work; `cap.minutes` makes a call short. Live files don't change: its proposal is adopted in another step.",
  input: z.strictObject({
    skill: skillPath.optional(),
    cap: caps.optional().describe("caps of all executions of this run together; minutes: of this call"),
  }),
  output: z.strictObject({
    run: z.string(),
    verdict: z.string(),
    sentence: z.string(),
    usd: z.number().describe("the total spent so far"),
    calls: z.int(),
    next: z.string(),
  }),
  kind: "works",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  call: ({ skill, cap: given = {} }, call) =>
    call.training(() =>
      call.withConfig(givenSkill(skill, call), async (config) => {
        const spend = lowerCaps(config.spend, given);
        const planned = await plan({ ...config, spend, cwd: call.cwd, signal: call.signal });
        if (planned.refusal !== undefined) throw planned.refusal;
        await allowSpend(
          planned,
          {
            config,
            spend,
            what: `Train ${skill ?? "the skill"} (${planned.skill})`,
            yes: "Start this training and spend up to the cap",
            command: `whetstone train${skill === undefined ? "" : ` ${skill}`}`,
          },
          call,
        );
        const run = await train({
          ...config,
          spend,
          cwd: call.cwd,
          signal: call.signal,
          onEvent: progressOf(call),
        });
        const { id, verdict, summary, spent } = run;
        const lines = trainedLines(run, {
          shown: shownFrom(call.cwd),
          columns: Number.POSITIVE_INFINITY,
          rows: Number.POSITIVE_INFINITY,
        });
        return {
          text: lines.join("\n"),
          data: {
            run: id,
            verdict,
            sentence: line(summary.sentence, 1000),
            usd: spent.nanoUsd / 1e9,
            calls: spent.calls,
            next: line(nextAfterTraining(summary)),
          },
        };
      }),
    ),
});
