import { z } from "zod";
import { readPatterned } from "./pattern.ts";
import { type Scorer, unread } from "./scorer.ts";
import { type WantedCall, findCalls, nameCall, wantedCallSchema } from "./tool-calls.ts";

interface Order {
  readonly before: WantedCall;
  readonly after: WantedCall;
}

/** Both tools were called, and the first call of one came before the first of the other. */
export const toolOrder: Scorer<Order> = {
  read: readPatterned(
    z.strictObject({ before: wantedCallSchema, after: wantedCallSchema }),
    "the value of a tool-order check must be { before, after }, each a tool's name or { name, matches? }",
    ({ before, after }) => [before.matches, after.matches],
  ),
  async score({ before, after }, { toolCalls }, { tools }) {
    const expected = `to call ${nameCall(before)} before ${nameCall(after)}`;
    const earlier = await findCalls(before, toolCalls, tools.aside);
    const later = await findCalls(after, toolCalls, tools.aside);
    if (earlier === undefined || later === undefined) return unread(expected);
    const [first] = earlier;
    const [second] = later;
    if (first === undefined) return { pass: false, expected: `${expected} (${before.name} was not called)` };
    if (second === undefined) return { pass: false, expected: `${expected} (${after.name} was not called)` };
    return { pass: first < second, expected };
  },
};
