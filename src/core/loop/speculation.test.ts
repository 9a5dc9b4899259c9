import { expect, test } from "vitest";
import { scriptedContext } from "../../../test/support/scripted-context.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { EventBody } from "../events.ts";
import { memo } from "../work/memo.ts";
import type { Dispatch, Executed } from "../ports/executor.ts";
import type { Role } from "../ports/model.ts";
import { createSpeculation } from "./speculation.ts";

/** A context whose calls end when the test says so; each costs 100 billionths of a dollar. */
async function open(share: number) {
  const events: EventBody[] = [];
  const calls = new Map<string, { readonly dispatch: Dispatch; readonly end: () => void }>();
  const base = await scriptedContext(() => "");
  const speculation = createSpeculation(share);
  const context: Context = {
    ...base,
    speculation,
    account: (_, role, cost) => speculation.count(role, cost),
    emit: (event) => events.push(event),
    executor: {
      execute: (dispatch) =>
        new Promise<Executed>((resolve, reject) => {
          const { key, unit, place, signal } = dispatch;
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          const cost = { nanoUsd: 100, tokens: 1, calls: 1 };
          const body = { output: unit.input, cost, ms: 1, tries: 1 };
          calls.set(name(unit.input), {
            dispatch,
            end: () =>
              void base.journal
                .write({ kind: "result", run: "test", key, name: "", body })
                .then(() => resolve({ output: place.role, cost, ms: 1, tries: 1 })),
          });
        }),
    },
  };
  const ask = (word: string, at: Context = context, role: Role = "target") =>
    memo({ kind: "test", version: 1, input: word, draw: { purpose: "train", trial: 0 } }, place(role), at);
  /** As a run uses results. */
  const buy = async (words: readonly string[], role: Role = "target") => {
    const asked = words.map((word) => ask(word, context, role));
    await settle();
    for (const word of words) calls.get(word)?.end();
    await Promise.all(asked);
  };
  return { context, speculation, calls, events, ask, buy };
}

const name = (input: unknown) => input as string;
const place = (role: Role): Place => ({ role, step: 1, stage: role === "target" ? "rollout" : "reflect" });
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const words = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

test("what may be wasted stays below its share of the spend, and use makes room again", async () => {
  const { context, speculation, calls, ask, buy } = await open(0.3);
  await buy(words(10, "needed "));
  speculation.begin("spare", context, (ahead) => Promise.all(words(20, "ahead ").map((w) => ask(w, ahead))));
  await settle();
  const begun = [...calls.keys()].filter((key) => key.startsWith("ahead"));
  // at 10 needed results 3 may be at risk
  expect(begun).toEqual(words(3, "ahead "));
  for (const word of begun) calls.get(word)?.end();
  await settle();
  await buy(["ahead 0", "ahead 1"]);
  speculation.begin("spare", context, (ahead) => Promise.all(words(9, "more ").map((w) => ask(w, ahead))));
  await settle();
  expect([...calls.keys()].filter((key) => key.startsWith("more"))).toEqual(words(2, "more "));
});

test("a call that is needed waits for the one that began ahead, and is not made twice", async () => {
  const { context, speculation, calls, events, ask, buy } = await open(0.5);
  await buy(words(4, "needed "));
  speculation.begin("spare", context, (ahead) => ask("same", ahead));
  await settle();
  expect(calls.get("same")?.dispatch.place.ahead).toBe("spare");
  const needed = ask("same");
  calls.get("same")?.end();
  expect((await needed).output).toBe("same");
  const ends = events.filter((event) => event.type === "unit-end").slice(4);
  expect(ends).toMatchObject([{ from: "provider", ahead: true }, { from: "ahead" }]);
});

test("what nobody wants any more is dropped, and bought once it is needed after all", async () => {
  const { context, speculation, calls, ask, buy } = await open(0.5);
  await buy(words(4, "needed "));
  const branch = speculation.begin("spare", context, (ahead) => ask("word", ahead));
  await settle();
  const needed = ask("word");
  branch.abandon();
  await settle();
  expect(calls.get("word")?.dispatch.place.ahead).toBeUndefined();
  calls.get("word")?.end();
  expect((await needed).output).toBe("target");
});

test("a branch that has stopped begins nothing, and what it began is still wanted", async () => {
  const { context, speculation, calls, ask, buy } = await open(0.5);
  await buy(words(6, "needed "));
  const branch = speculation.begin("spare", context, async (ahead) => {
    await ask("first", ahead);
    await ask("second", ahead);
  });
  await settle();
  branch.stop();
  expect(calls.get("first")?.dispatch.signal.aborted).toBe(false);
  calls.get("first")?.end();
  await speculation.idle();
  await settle();
  expect(calls.has("second")).toBe(false);
});

test("once most of the allowance is used, the optimizer is asked for the likelier branch alone", async () => {
  const { context, speculation, calls, ask, buy } = await open(0.2);
  await buy(words(10, "needed "));
  await buy(words(10, "asked "), "optimizer");
  const begin = (prefix: string) =>
    speculation.begin("at-once", context, (ahead) =>
      Promise.all(words(2, prefix).map((word) => ask(word, ahead, "optimizer"))),
    );
  const [unlikely, likely] = [begin("unlikely "), begin("likely ")];
  await settle();
  const begun = () => [...calls.keys()].filter((key) => key.includes("likely"));
  expect(begun()).toEqual(["unlikely 0", "unlikely 1"]);
  likely.favour();
  await settle();
  expect(begun()).toEqual(["unlikely 0", "unlikely 1", "likely 0", "likely 1"]);
  unlikely.abandon();
});
