import { z } from "zod";
import type { Json } from "../json.ts";
import { createScorer, quote } from "./scorer.ts";
import { own } from "../own.ts";

const count = z.int().min(0);
const json: z.ZodType<Json> = z.json();
const valueSchema = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name, input: undefined, atLeast: undefined, atMost: undefined })),
  z.strictObject({
    name: z.string().min(1),
    input: json.optional(),
    atLeast: count.optional(),
    atMost: count.optional(),
  }),
]);

/**
 * The agent called this tool, as its events say and not its text. `input` holds what the call's input must hold;
 * `atLeast` is 1 unless `atMost` stands alone.
 */
export const toolCalled = createScorer(
  valueSchema,
  "the value of a tool-called check must be a tool's name, or { name, input?, atLeast?, atMost? }",
  ({ name, input, atLeast, atMost }, { toolCalls }) => {
    const calls = toolCalls.filter(
      (call) => call.name === name && (input === undefined || holds(call.input, input)),
    );
    const least = atLeast ?? (atMost === undefined ? 1 : 0);
    const most = atMost ?? Number.POSITIVE_INFINITY;
    const times = [
      ...(least > 0 ? [`at least ${least}`] : []),
      ...(atMost === undefined ? [] : [`at most ${atMost}`]),
    ].join(" and ");
    const given = input === undefined ? "" : ` with ${quote(JSON.stringify(input))}`;
    return {
      pass: calls.length >= least && calls.length <= most,
      expected: `to come with ${times} calls of the tool ${name}${given} (there were ${calls.length})`,
    };
  },
);

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
