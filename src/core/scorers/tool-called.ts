import { z } from "zod";
import type { Json } from "../json.ts";
import { own } from "../own.ts";
import { type Pattern, patternSchema, readPatterned } from "./pattern.ts";
import { type Scorer, quote, unread } from "./scorer.ts";
import { findCalls, nameCall } from "./tool-calls.ts";

interface Called {
  readonly name: string;
  readonly input?: Json | undefined;
  readonly matches?: Pattern | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

const count = z.int().min(0);
const json: z.ZodType<Json> = z.json();
const valueSchema: z.ZodType<Called> = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name })),
  z.strictObject({
    name: z.string().min(1),
    input: json.optional(),
    matches: patternSchema.optional(),
    atLeast: count.optional(),
    atMost: count.optional(),
  }),
]);

/**
 * The agent called this tool, as its events say and not its text. `input` holds what the call's input must hold, and
 * `matches` is a pattern that the input, written as JSON, must match; `atLeast` is 1 unless `atMost` stands alone.
 */
export const toolCalled: Scorer<Called> = {
  read: readPatterned(
    valueSchema,
    "the value of a tool-called check must be a tool's name, or { name, input?, matches?, atLeast?, atMost? }",
    ({ matches }) => [matches],
  ),
  async score({ input, atLeast, atMost, ...wanted }, { toolCalls }, { tools }) {
    const alike = toolCalls.filter((call) => input === undefined || holds(call.input, input));
    const calls = await findCalls(wanted, alike, tools.aside);
    const least = atLeast ?? (atMost === undefined ? 1 : 0);
    const most = atMost ?? Number.POSITIVE_INFINITY;
    const times = [
      ...(least > 0 ? [`at least ${least}`] : []),
      ...(atMost === undefined ? [] : [`at most ${atMost}`]),
    ].join(" and ");
    const given = input === undefined ? "" : ` with ${quote(JSON.stringify(input))}`;
    const expected = `to come with ${times} calls of the tool ${nameCall(wanted)}${given}`;
    if (calls === undefined) return unread(expected);
    return {
      pass: calls.length >= least && calls.length <= most,
      expected: `${expected} (there were ${calls.length})`,
    };
  },
};

/** Objects may hold more than is wanted; everything else must be equal. */
function holds(came: Json, wanted: Json): boolean {
  if (wanted === null || typeof wanted !== "object") return came === wanted;
  if (came === null || typeof came !== "object" || Array.isArray(came) !== Array.isArray(wanted))
    return false;
  if (Array.isArray(wanted) && (came as readonly Json[]).length !== wanted.length) return false;
  const members = came as { readonly [key: string]: Json };
  return Object.entries(wanted).every(([key, value]: [string, Json]) => {
    const member = own(members, key);
    return member !== undefined && holds(member, value);
  });
}
