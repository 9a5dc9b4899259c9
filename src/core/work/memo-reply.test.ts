import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { JsonObject } from "../json.ts";
import type { Place } from "../place.ts";
import { type ReplyLook, memoReply } from "./memo-reply.ts";
import { generateKind } from "./unit-kinds.ts";
import { unitKey } from "./unit.ts";

const request = { model: "a/b", messages: [{ role: "user" as const, content: "?" }], maxTokens: 9 };
const unit = generateKind.unit(request, { purpose: "train", trial: 0 });

/** Starts of one run on one journal. Each asks for the same repair; what was bought is recorded as an executor does. */
async function openStarts(
  place: Place = { role: "judge", step: 3, stage: "evaluate" },
  look: Partial<ReplyLook> = {},
) {
  const scripted = await scriptedContext(() => "");
  const { journal, run } = scripted;
  let isGood = false;
  let bought: string[] = [];
  const context = {
    ...scripted,
    executor: {
      async execute({ key }: { readonly key: string }) {
        bought.push(key);
        const output = {
          text: isGood ? "good" : "",
          finish: "stop",
          usage: { inputTokens: 1, outputTokens: 1 },
        };
        const cost = { nanoUsd: 0, tokens: 2, calls: 1 };
        await journal.write({ kind: "result", run, key, name: "", body: { output, cost, ms: 1 } });
        return { output, cost, ms: 1, tries: 1 };
      },
    },
  };
  const isUsable = ({ output }: { readonly output: unknown }) => (output as { text: string }).text === "good";
  const ask = async () => {
    bought = [];
    const memoized = await memoReply(unit, place, context, { isUsable, tries: 2, ...look });
    return { bought: bought.length, isUsable: isUsable(memoized) };
  };
  const tell = (name: string, body: JsonObject) => journal.write({ kind: "event", run, key: "", name, body });
  return {
    ask,
    tell,
    stop: (code: string) => tell("run-end", { status: "stopped", code }),
    mend: () => (isGood = true),
    keys: () => bought,
  };
}

test("the first reply has the key that it always had", async () => {
  const { ask, keys } = await openStarts();
  await ask();
  expect(keys()[0]).toEqual(unitKey(unit));
});

test("a question that a repair follows is asked once", async () => {
  const { ask, stop } = await openStarts(undefined, { tries: 1 });
  expect(await ask()).toEqual({ bought: 1, isUsable: false });
  await stop("replies-unusable");
  expect(await ask()).toEqual({ bought: 0, isUsable: false });
});

test("where the last try stands, no later start asks again", async () => {
  const { ask, stop } = await openStarts(undefined, { tries: 3, isFinal: true });
  expect(await ask()).toEqual({ bought: 3, isUsable: false });
  await stop("too-many-pending");
  expect(await ask()).toEqual({ bought: 0, isUsable: false });
});

test("a useless repair stands within its start, however often it is asked for", async () => {
  const { ask } = await openStarts();
  expect(await ask()).toEqual({ bought: 2, isUsable: false });
  expect(await ask()).toEqual({ bought: 0, isUsable: false });
});

test.each(["too-many-pending", "replies-unusable", "judge-uncalibrated"])(
  "after %s there is one more try, and a usable one is final",
  async (code) => {
    const { ask, stop, mend } = await openStarts();
    await ask();
    await stop(code);
    expect(await ask()).toEqual({ bought: 1, isUsable: false });
    expect(await ask()).toEqual({ bought: 0, isUsable: false });
    await stop(code);
    mend();
    expect(await ask()).toEqual({ bought: 1, isUsable: true });
    await stop(code);
    expect(await ask()).toEqual({ bought: 0, isUsable: true });
  },
);

test("a start that was killed, interrupted, capped or finished is resumed with the replies that it had", async () => {
  const { ask, stop, tell } = await openStarts();
  await ask();
  for (const code of ["interrupted", "spend-cap", "handoff-pending"]) await stop(code);
  await tell("run-end", { status: "done" });
  expect(await ask()).toEqual({ bought: 0, isUsable: false });
});

test.each([
  { role: "optimizer", step: 3, stage: "reflect" },
  { role: "judge", step: 3, stage: "evaluate" },
] as const)(
  "a step that ended without the $role's reply stands; one that had not ended is asked again",
  async (place) => {
    const ended = await openStarts(place);
    await ended.ask();
    await ended.tell("step-end", { step: 3 });
    await ended.stop("too-many-pending");
    expect(await ended.ask()).toEqual({ bought: 0, isUsable: false });

    const open = await openStarts(place);
    await open.ask();
    await open.tell("step-end", { step: 2 });
    await open.stop("replies-unusable");
    open.mend();
    expect(await open.ask()).toEqual({ bought: 1, isUsable: true });
    // the step goes on from the new reply, also once it has ended
    await open.tell("step-end", { step: 3 });
    await open.stop("too-many-pending");
    expect(await open.ask()).toEqual({ bought: 0, isUsable: true });
  },
);

test("a run that finished and named what it missed asks for verdicts again, outside of its steps", async () => {
  const asked = async (place: Place) => {
    const { ask, tell } = await openStarts(place);
    await ask();
    await tell("step-end", { step: 3 });
    await tell("turn-end", { turn: "end" });
    await tell("run-end", { status: "done", summary: { missing: ["a task"] } });
    return (await ask()).bought;
  };
  expect(await asked({ role: "judge", step: 0, stage: "test" })).toBe(1);
  expect(await asked({ role: "judge", step: 3, stage: "confirm" })).toBe(0);
  expect(await asked({ role: "judge", step: 3, stage: "evaluate" })).toBe(0);
  expect(await asked({ role: "judge", step: 0, stage: "calibrate" })).toBe(0);
  expect(await asked({ role: "optimizer", step: 0, stage: "test" })).toBe(0);
});
