import { z } from "zod";
import { WhetstoneError } from "../../../core/errors.ts";
import { plural } from "../../../core/plural.ts";
import { lookAhead } from "../../../sleep/night/look-ahead.ts";
import { performNight } from "../../../sleep/night/perform-night.ts";
import { planAhead } from "../../../sleep/night/plan-night.ts";
import { line } from "../printable.ts";
import { allowSpend, caps, lowerCaps, progressOf } from "../spend.ts";
import { defineTool } from "../tool.ts";

export const nightTool = defineTool({
  title: "Run a night now",
  description:
    "Learns the person's wishes from this project's conversations with agents, tries them, and proposes rules for CLAUDE.md, AGENTS.md and skills. THIS SPENDS MONEY or a subscription: up to the cap, which must be in the project's config or in `cap`. A cap here can only be lower than the config's. The person is asked before anything is bought; a client that can't ask them needs a cap in the config. They must have opted the project in: `whetstone sleep init`. It takes minutes to hours and reports progress. If it's cancelled, the same call resumes it. Live files don't change: its proposals are reviewed and adopted in other steps.",
  input: z.strictObject({ cap: caps.optional().describe("caps of this night; minutes: of this call") }),
  output: z.strictObject({
    night: z.string().nullable().describe("null if nothing new was said"),
    sentence: z.string(),
    proposals: z.array(z.strictObject({ run: z.string(), document: z.string(), rules: z.int() })),
    notes: z.array(z.string()),
    usd: z.number(),
    calls: z.int(),
    next: z.string().nullable(),
  }),
  kind: "works",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  call: ({ cap: given = {} }, call) =>
    call.training(() =>
      call.withConfig({}, async (written) => {
        const { cwd, signal } = call;
        const spend = lowerCaps(written.spend, given);
        const config = { ...written, spend };
        const ahead = await lookAhead({ config, cwd });
        if (ahead.conversations.length === 0 && ahead.tasks === undefined) return nothingNew;
        const planned = await planAhead(ahead, cwd);
        if (typeof planned === "string")
          throw new WhetstoneError("usage", planned, { hint: "`whetstone doctor` finds what is missing." });
        const what = `Run a night over ${plural(ahead.conversations.length, "conversation")}`;
        const purchase = { config: written, spend, what, yes: "Start this night and spend up to the cap" };
        await allowSpend(planned, { ...purchase, command: "whetstone sleep run" }, call);
        const night = await performNight({ config, cwd, signal, onEvent: progressOf(call) });
        const { id, sentence, proposals, notes, took, spent } = night;
        const proposed = proposals.map((one) => ({
          run: one.id,
          document: line(one.document.name),
          rules: one.rules.length,
        }));
        const next = proposed.length === 0 ? null : "review, then adopt what the person accepts";
        return {
          text: [
            sentence,
            `night ${id}: ${took}`,
            ...proposed.map(({ run, document, rules }) => `${run}: ${plural(rules, "rule")} for ${document}`),
            ...notes,
            ...(next === null ? [] : ["", `Next: ${next}`]),
          ].join("\n"),
          data: {
            night: id,
            sentence: line(sentence, 1000),
            proposals: proposed,
            notes: notes.slice(0, 20).map((note) => line(note, 500)),
            usd: spent.nanoUsd / 1e9,
            calls: spent.calls,
            next,
          },
        };
      }),
    ),
});

const nothing = "Nothing new was said in this project, so a night would learn nothing.";
const nothingNew = {
  text: nothing,
  data: { night: null, sentence: nothing, proposals: [], notes: [], usd: 0, calls: 0, next: null },
};
