import { z } from "zod";
import type { Config } from "../../../config/schema.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import type { SpendCaps } from "../../../core/settings.ts";
import { createLiveCalls } from "../../../report/live-calls.ts";
import { createRunReader } from "../../../report/run-state.ts";
import { plan } from "../../../run/plan.ts";
import type { CallPlan } from "../../../run/verbs/plan-call.ts";
import { train } from "../../../run/verbs/train.ts";
import { progressLine } from "../../../show/progress-lines.ts";
import { nextAfterTraining } from "../../../report/next-step.ts";
import { trainedLines } from "../../../show/print-result.ts";
import { countRange, timeRange, usdRange } from "../../../show/ranges.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { skillPath } from "../arguments.ts";
import { line } from "../printable.ts";
import { type McpCall, defineTool } from "../tool.ts";
import { givenSkill, isFree } from "./plan.ts";

const cap = z.strictObject({
  usd: z.number().positive().max(10_000).optional(),
  tokens: z.int().positive().optional(),
  calls: z.int().positive().optional(),
  minutes: z.number().positive().max(10_000).optional(),
});

export const trainTool = defineTool({
  title: "Train a skill",
  description:
    "Trains this project's skill. THIS SPENDS MONEY or a subscription: up to the cap, which must be in the project's config or in `cap`. A cap here can only be lower than the config's. The person is asked before anything is bought; a client that cannot ask them needs a cap in the config. Plan first. It takes minutes to hours and says how far it is. Cancelling leaves a run that the same call resumes, without paying again for what is done; `cap.minutes` makes a call short. Nothing live changes: what it proposes is adopted in another step.",
  input: z.strictObject({
    skill: skillPath.optional(),
    cap: cap.optional().describe("what all executions of this run may spend together; minutes: this one"),
  }),
  output: z.strictObject({
    run: z.string(),
    verdict: z.string(),
    sentence: z.string(),
    usd: z.number().describe("what it has spent in all"),
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
        await allowSpend(planned, { config, spend, skill }, call);
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

/** What the person wrote holds; the model may stay below it. */
function lowerCaps(written: SpendCaps | undefined, given: SpendCaps): SpendCaps | undefined {
  for (const name of ["usd", "tokens", "calls", "minutes"] as const) {
    const [most, asked] = [written?.[name], given[name]];
    if (most === undefined || asked === undefined || asked <= most) continue;
    throw new WhetstoneError("not-allowed", `The project's cap is ${most} ${name}, and ${asked} is more.`, {
      hint: "Ask for less, or let the person raise `spend` in the config.",
    });
  }
  const caps = { ...written, ...given };
  return Object.keys(caps).length === 0 ? undefined : caps;
}

/** Money goes out under a cap that a person wrote or has just confirmed. */
async function allowSpend(
  planned: CallPlan,
  {
    config,
    spend = {},
    skill,
  }: { readonly config: Config; readonly spend?: SpendCaps; readonly skill?: string },
  call: McpCall,
): Promise<void> {
  if (isFree(planned)) return;
  // without a price a cap in dollars stops nothing
  const needed: readonly (keyof SpendCaps)[] =
    planned.price.high > 0 ? ["usd", "tokens", "calls"] : ["tokens", "calls"];
  const isCapped = (caps: SpendCaps = {}) => needed.some((name) => caps[name] !== undefined);
  const flags = Object.entries(spend).map(([name, most]) => ` --spend-${name} ${most}`);
  const command = `whetstone train${skill === undefined ? "" : ` ${skill}`}${flags.join("")}`;
  if (!isCapped(spend))
    throw new WhetstoneError("usage", "A training through this server needs a cap, and there is none.", {
      hint: `Name one: ${needed.map((name) => `cap.${name}`).join(", ")}; or let the person write \`spend\` into the config.`,
    });
  if (!call.canAsk && isCapped(config.spend)) return;
  const { price, calls, time } = planned;
  const caps = Object.entries(spend).map(([name, most]) => `${most} ${name}`);
  await call.confirm({
    message: `Train ${skill ?? "the skill"} (${planned.skill}): ${usdRange(price)}, ${countRange(calls)} calls, ${timeRange(time)}. It stops at ${caps.join(", ")}. No file of yours changes.`,
    yes: "Start this training and spend up to the cap",
    command,
  });
}

/** Each event moves the read model; what is said of it is the line that a log would have. */
function progressOf(call: McpCall) {
  const [reader, calls] = [createRunReader(), createLiveCalls()];
  return (event: Parameters<typeof reader.add>[0]): void => {
    reader.add(event);
    calls.add(event);
    const state = reader.state();
    if (state !== undefined)
      call.tell(`${state.run.slice(0, 8)}: ${progressLine({ state, calls, now: Date.now() })}`);
  };
}
