import { z } from "zod";
import type { Json } from "../json.ts";
import { own } from "../own.ts";
import { type Pattern, patternSchema, readPatterned } from "./pattern.ts";
import { type Scorer, quote, unread } from "./scorer.ts";
import type { ToolCall } from "../ports/agent.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import { scoreText } from "./score-text.ts";

/** Calls of one tool, perhaps only those whose input, written as JSON, matches a pattern. */
interface WantedCall {
  readonly name: string;
  readonly matches?: Pattern | undefined;
}

interface Called extends WantedCall {
  readonly input?: Json | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

const name = z.string().min(1);
const nameAlone = name.transform((name) => ({ name }));
const wanted = { name, matches: patternSchema.optional() };
const count = z.int().min(0);
const json: z.ZodType<Json> = z.json();

/** A tool's name, or `{ name, matches? }`. */
const wantedCallSchema: z.ZodType<WantedCall> = z.union([nameAlone, z.strictObject(wanted)]);

const calledSchema: z.ZodType<Called> = z.union([
  nameAlone,
  z.strictObject({
    ...wanted,
    input: json.optional(),
    atLeast: count.optional(),
    atMost: count.optional(),
  }),
]);

/**
 * The agent called this tool (`*` for any), according to its events, not its text. `input` lists values that the call's input must
 * contain, and `matches` is a pattern that the input as JSON must match. `atLeast` is 1 unless only `atMost` is given.
 */
export const toolCalled: Scorer<Called> = {
  read: readPatterned(
    calledSchema,
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

/** Objects may contain more than expected; everything else must be equal. */
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

interface Order {
  readonly before: WantedCall;
  readonly after: WantedCall;
}

/** Both tools were called, and the first call of `before` came before the first call of `after`. */
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

/** The positions of matching calls, in order; undefined if an input was too long or too odd for the pattern. */
async function findCalls(
  { name, matches }: WantedCall,
  calls: readonly ToolCall[],
  aside?: ScoreAside,
): Promise<readonly number[] | undefined> {
  const found: number[] = [];
  for (const [at, call] of calls.entries()) {
    if (name !== "*" && call.name !== name) continue;
    const isMatch = matches === undefined || (await matchInput(matches, call, aside));
    if (isMatch === undefined) return undefined;
    if (isMatch) found.push(at);
  }
  return found;
}

async function matchInput(
  { pattern, flags }: Pattern,
  { input }: ToolCall,
  aside?: ScoreAside,
): Promise<boolean | undefined> {
  const text = JSON.stringify(input);
  const verdict = await scoreText({ kind: "regex", value: { pattern, flags } }, text, aside);
  return "kind" in verdict || verdict.unread === true ? undefined : verdict.pass;
}

/** For the feedback. */
const nameCall = ({ name, matches }: WantedCall): string =>
  matches === undefined ? name : `${name} with an input that matches ${quote(matches.pattern)}`;
