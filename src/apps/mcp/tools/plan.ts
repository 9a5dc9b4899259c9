import { z } from "zod";
import type { Config } from "../../../config/schema.ts";
import { plan } from "../../../run/plan.ts";
import { planLines } from "../../../show/plan-lines.ts";
import { insideProject, skillPath } from "../arguments.ts";
import { line } from "../printable.ts";
import { isFree } from "../spend.ts";
import { type McpCall, defineTool, reads } from "../tool.ts";

const range = z.strictObject({ low: z.number(), high: z.number() });

export const planTool = defineTool({
  title: "Plan a training",
  description:
    "Estimates what a training of this project's skill would cost in money, calls and time, and what its sealed test could show. Calls no model and writes nothing. It loads the project's config, so a person must have allowed that once: `whetstone trust`.",
  input: z.strictObject({ skill: skillPath.optional() }),
  output: z.strictObject({
    usd: range,
    calls: range,
    minutes: range,
    steps: z.int(),
    tasks: z.strictObject({ train: z.int(), val: z.int(), test: z.int() }),
    free: z.boolean().describe("whether all calls are free"),
    refusal: z.string().nullable().describe("why a training would be refused now; null if it wouldn't"),
  }),
  kind: "works",
  annotations: reads,
  call: ({ skill }, call) =>
    call.withConfig(givenSkill(skill, call), async (config) => {
      const planned = await plan({ ...config, cwd: call.cwd, signal: call.signal });
      const { price, calls, time, steps, tasks, refusal } = planned;
      const refused = refusal === undefined ? [] : ["", `A training would be refused: ${refusal.message}`];
      return {
        text: [...planLines(planned, { columns: 100, lineLimit: Number.POSITIVE_INFINITY }), ...refused].join(
          "\n",
        ),
        data: {
          usd: { low: price.low / 1e9, high: price.high / 1e9 },
          calls: { low: calls.low, high: calls.high },
          minutes: { low: time.low / 60_000, high: time.high / 60_000 },
          steps: steps.planned,
          tasks: { train: tasks.train, val: tasks.val, test: tasks.test },
          free: isFree(planned),
          refusal: refusal === undefined ? null : line(refusal.message, 1000),
        },
      };
    }),
});

export const givenSkill = (skill: string | undefined, { cwd }: McpCall): Config =>
  skill === undefined ? {} : { skill: insideProject(skill, cwd) };
