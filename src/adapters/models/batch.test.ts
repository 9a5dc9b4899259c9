import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { hashText } from "../../core/canonical.ts";
import type { Place } from "../../core/place.ts";
import type { InfraError } from "../../core/errors.ts";
import { generateUnit } from "../../core/work/generate-unit.ts";
import { createHandlers } from "../../core/work/handlers.ts";
import type { Model, ModelRequest, Reply } from "../../core/ports/model.ts";
import { createSpend } from "../../core/work/spend.ts";
import { noCost } from "../../core/cost.ts";
import type { Unit } from "../../core/work/unit.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import { type BatchPlan, startBatchServer } from "../../../test/support/batch-server.ts";
import type { ScriptedServer, ScriptedServerOptions } from "../../testing/index.ts";
import { localExecutor } from "../executors/local.ts";
import { sqliteJournal } from "../journals/sqlite/sqlite.ts";
import type { BatchDeskOptions } from "./batch-desk.ts";
import type { BatchRecord } from "./batch-protocol.ts";
import { openBatchRecords } from "./batch-records.ts";
import { batchModels } from "./batch.ts";

const providers = ["openai", "anthropic"] as const;
type Provider = (typeof providers)[number];

const world = {
  reply: ({ messages }: { readonly messages: readonly { readonly content: string }[] }) => ({
    text: `You said ${messages.at(-1)?.content ?? ""}.`,
  }),
};

const start = (batches: BatchPlan = {}, options: Partial<ScriptedServerOptions> = {}) =>
  startBatchServer({ seed: 1, world, batches, ...options });

interface OpenOptions extends BatchDeskOptions {
  /** Of the journal. */
  readonly dir: string;
  readonly run?: string;
}

/** As one process would open it. */
async function open(
  provider: Provider,
  { url }: ScriptedServer,
  { dir, run = "run", ...options }: OpenOptions,
) {
  const journal = await sqliteJournal({ dir });
  onTestFinished(() => journal.close());
  const batches = batchModels({ quietMs: 20, pollMs: 10, longestPollMs: 40, appearMs: 150, ...options });
  const model = await batches.open(`batch/${provider}/m`, {
    env: { OPENAI_API_KEY: "sk-test-secret", ANTHROPIC_API_KEY: "sk-test-secret" },
    providers: { [provider]: { baseURL: `${url}/v1` } },
  });
  await batches.keepIn({ run, journal });
  return { batches, model, journal };
}

/** What the journal holds of batches, first to last. */
async function recorded(dir: string): Promise<readonly (BatchRecord & { readonly run: string })[]> {
  const journal = await sqliteJournal({ dir, readOnly: true });
  const records = [];
  for await (const { run, body } of journal.read({ kinds: ["batch"] }))
    records.push({ ...(body as unknown as BatchRecord), run });
  await journal.close();
  return records;
}

const keyOf = (word: string) => hashText(word);

function ask(model: Model, word: string, stopping?: AbortSignal, block?: string): Promise<Reply> {
  const request: ModelRequest = {
    model: model.id,
    system: "Repeat it.",
    messages: [{ role: "user", content: word }],
    maxTokens: 100,
  };
  return model.generate(request, {
    key: keyOf(word),
    signal: new AbortController().signal,
    block,
    ...(stopping === undefined ? {} : { stopping }),
  });
}

const failureOf = async (reply: Promise<Reply>) =>
  reply.then(
    () => undefined,
    (error: unknown) => error as InfraError,
  );

const times = ({ callsByKey }: ScriptedServer, words: readonly string[]) =>
  words.map((word) => callsByKey.get(keyOf(word)) ?? 0);

for (const provider of providers) {
  test(`${provider}: calls of one moment are one batch, and each gets its own answer`, async () => {
    await using server = await start({ delayMs: 50 });
    const { model } = await open(provider, server, { dir: await tempDir() });
    const replies = await Promise.all(["one", "two", "three"].map((word) => ask(model, word)));
    expect(replies).toEqual(
      ["one", "two", "three"].map((word) => ({
        text: `You said ${word}.`,
        finish: "stop",
        usage: expect.objectContaining({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) }),
        model: "m",
        host: "127.0.0.1",
      })),
    );
    expect(server.batches.map(({ keys }) => keys)).toEqual([["one", "two", "three"].map(keyOf)]);
    expect(model).toMatchObject({ id: `batch/${provider}/m`, isBatch: true });
  });

  test(`${provider}: a batch holds no more than it may`, async () => {
    await using server = await start();
    const { model } = await open(provider, server, { dir: await tempDir(), maxRequests: 2 });
    await Promise.all(["1", "2", "3", "4", "5"].map((word) => ask(model, word)));
    expect(server.batches.map(({ keys }) => keys.length).toSorted((a, b) => a - b)).toEqual([1, 2, 2]);
  });

  test(`${provider}: a batch is never cut inside a block, which units bring from where they belong`, async () => {
    await using server = await start();
    const { model, journal } = await open(provider, server, { dir: await tempDir(), maxRequests: 5 });
    const never = new AbortController().signal;
    const executor = localExecutor({
      run: "run",
      journal,
      handlers: createHandlers([
        generateUnit({ models: new Map([[model.id, model]]), priceOf: () => undefined }),
      ]),
      spend: createSpend({ caps: {}, already: noCost, elapsedMs: () => 0 }),
      clock: systemClock,
      emit() {},
      signal: never,
      hardSignal: never,
      stop() {},
    });
    const execute = (word: string, block?: string) => {
      const input = { model: model.id, messages: [{ role: "user", content: word }], maxTokens: 10 };
      const unit: Unit = { kind: "generate", version: 1, input, draw: { purpose: "compare", trial: 0 } };
      const place = { role: "target", step: 0, stage: "compare", ...(block === undefined ? {} : { block }) };
      return executor.execute({ unit, key: keyOf(word), place: place as Place });
    };
    const blocks = ["p", "q", "r", "s", "t"];
    // the last half comes apart from its partner
    await Promise.all([
      execute("alone"),
      ...blocks.slice(0, 4).flatMap((name) => [execute(`${name}1`, name), execute(`${name}2`, name)]),
      execute("t1", "t"),
      execute("between"),
      execute("t2", "t"),
    ]);
    const filesOf = (word: string) =>
      server.batches.flatMap(({ keys, nth }) => (keys.includes(keyOf(word)) ? nth : []));
    for (const name of blocks) expect([name, filesOf(`${name}1`)]).toEqual([name, filesOf(`${name}2`)]);
    expect(server.batches.map(({ keys }) => keys.length).toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
  });

  test(`${provider}: a block that no batch can hold is cut all the same`, async () => {
    await using server = await start();
    const { model } = await open(provider, server, { dir: await tempDir(), maxRequests: 1 });
    await Promise.all(["one", "two"].map((word) => ask(model, word, undefined, "block")));
    expect(server.batches.map(({ keys }) => keys.length)).toEqual([1, 1]);
  });

  test(`${provider}: what a stopped process asked is gone on with by the next`, async () => {
    await using server = await start({ delayMs: 150 });
    const dir = await tempDir();
    const first = await open(provider, server, { dir });
    const stopping = new AbortController();
    const asked = ["one", "two"].map((word) => ask(first.model, word, stopping.signal));
    const ends = Promise.allSettled(asked);
    await expect.poll(() => server.batches.length).toBe(1);
    await expect.poll(() => first.batches.underWay()).toEqual([server.batches[0]?.id]);
    stopping.abort(new Error("stop"));
    expect(await ends).toMatchObject([
      { status: "rejected", reason: { message: "stop" } },
      { status: "rejected", reason: { message: "stop" } },
    ]);

    const { model } = await open(provider, server, { dir });
    const replies = await Promise.all(["two", "one", "three"].map((word) => ask(model, word)));
    expect(replies.map(({ text }) => text)).toEqual(["You said two.", "You said one.", "You said three."]);
    expect(times(server, ["one", "two", "three"])).toEqual([1, 1, 1]);
  });

  test(`${provider}: a submission whose answer was lost is found again, not repeated`, async () => {
    await using server = await start({ delayMs: 100, losesAnswer: ({ nth }) => nth === 2 });
    const { model } = await open(provider, server, { dir: await tempDir() });
    await ask(model, "before");
    const replies = await Promise.all(["one", "two"].map((word) => ask(model, word)));
    expect(replies.map(({ text }) => text)).toEqual(["You said one.", "You said two."]);
    expect(times(server, ["one", "two"])).toEqual([1, 1]);
    expect(server.batches.length).toBe(2);
  });

  test(`${provider}: one that a process died over before it heard of it is found by the next`, async () => {
    const dir = await tempDir();
    const stopping = new AbortController();
    await using server = await start({
      delayMs: 100,
      losesAnswer: ({ nth }) => nth === 1,
      onSubmit: () => stopping.abort(new Error("dead")),
    });
    const first = await open(provider, server, { dir });
    await failureOf(ask(first.model, "one", stopping.signal));
    expect(server.batches.length).toBe(1);
    const { model } = await open(provider, server, { dir });
    expect((await ask(model, "one")).text).toBe("You said one.");
    expect(times(server, ["one"])).toEqual([1]);
  });

  test(`${provider}: one that never arrived is submitted`, async () => {
    const dir = await tempDir();
    await using server = await start();
    const seen = await open(provider, server, { dir });
    await ask(seen.model, "zero");
    const record = {
      v: 1,
      name: "lost",
      base: `${server.url}/v1`,
      path: provider === "openai" ? "/chat/completions" : "/messages",
      keys: [keyOf("one")],
      size: 1,
      at: Date.now(),
    } as const;
    await (await openBatchRecords({ run: "run", journal: seen.journal }, Date.now())).put(record);
    const { model } = await open(provider, server, { dir });
    expect((await ask(model, "one")).text).toBe("You said one.");
    expect(times(server, ["one"])).toEqual([1]);
    expect((await recorded(dir)).filter(({ name }) => name === "lost")).toMatchObject([
      { keys: [keyOf("one")] },
      { keys: [] },
    ]);
  });

  test(`${provider}: the journal knows of a batch before its provider, and its id before an answer`, async () => {
    const dir = await tempDir();
    const seen: unknown[] = [];
    let reading: Promise<unknown> | undefined;
    await using server = await start({
      delayMs: 100,
      onSubmit: () => {
        reading = recorded(dir).then((records) => seen.push(...records));
      },
    });
    const { model } = await open(provider, server, { dir });
    await Promise.all(["one", "two"].map((word) => ask(model, word)));
    await reading;
    const keys = ["one", "two"].map(keyOf);
    expect(seen[0]).toMatchObject({ run: "run", keys, size: 2 });
    expect(seen[0]).not.toHaveProperty("id");
    expect((await recorded(dir)).map(({ id }) => id)).toEqual([undefined, server.batches[0]?.id]);
  });

  test(`${provider}: one that is stopped hears of its batch first, and another run finds it`, async () => {
    const dir = await tempDir();
    const stopping = new AbortController();
    await using server = await start({ delayMs: 100, onSubmit: () => stopping.abort(new Error("stop")) });
    const first = await open(provider, server, { dir, run: "first" });
    await failureOf(ask(first.model, "one", stopping.signal));
    await first.journal.close();
    expect((await recorded(dir)).at(-1)).toMatchObject({ run: "first", id: server.batches[0]?.id });
    const { model } = await open(provider, server, { dir, run: "second" });
    expect((await ask(model, "one")).text).toBe("You said one.");
    expect(times(server, ["one"])).toEqual([1]);
  });

  test(`${provider}: nothing is submitted that everybody left while it was written down`, async () => {
    const dir = await tempDir();
    await using server = await start();
    const { model, journal } = await open(provider, server, { dir });
    const stopping = new AbortController();
    const plain = { ...journal };
    journal.write = async (entry) => {
      const written = await plain.write(entry);
      stopping.abort(new Error("stop"));
      return written;
    };
    await failureOf(ask(model, "one", stopping.signal));
    expect(server.batches.length).toBe(0);
    expect((await recorded(dir)).map(({ keys }) => keys.length)).toEqual([1, 0]);
  });

  test(`${provider}: an expired request is a failure that nobody charged, and may be asked again`, async () => {
    const outcome = (key: string, nth: number) =>
      nth === 1 && key === keyOf("late") ? ("expired" as const) : undefined;
    await using server = await start({ outcome });
    const { model } = await open(provider, server, { dir: await tempDir() });
    const [good, late] = await Promise.all([ask(model, "good"), failureOf(ask(model, "late"))]);
    expect(good.text).toBe("You said good.");
    expect(late).toMatchObject({
      class: "transport",
      billed: "no",
      message: expect.stringContaining("expired"),
    });
    expect((await ask(model, "late")).text).toBe("You said late.");
    expect(times(server, ["good", "late"])).toEqual([1, 1]);
  });

  test(`${provider}: an error of one request is that of the same call by itself`, async () => {
    await using server = await start(
      {},
      { faults: (key, attempt) => (key === keyOf("bad") && attempt === 1 ? "429" : undefined) },
    );
    const { model } = await open(provider, server, { dir: await tempDir() });
    const [good, bad] = await Promise.all([ask(model, "good"), failureOf(ask(model, "bad"))]);
    expect(good.finish).toBe("stop");
    expect(bad).toMatchObject({ class: "throttle", billed: "no", status: 429 });
    expect((await ask(model, "bad")).text).toBe("You said bad.");
  });

  test(`${provider}: an outage while the batch is under way is sat out`, async () => {
    await using server = await start({
      delayMs: 50,
      onSubmit: () => setTimeout(() => server.setOutage("503"), 5),
    });
    const { model } = await open(provider, server, { dir: await tempDir() });
    setTimeout(() => server.setOutage(undefined), 250);
    expect((await ask(model, "one")).text).toBe("You said one.");
    expect(times(server, ["one"])).toEqual([1]);
  });

  test(`${provider}: a refused key stops at the submission, and is not shown`, async () => {
    await using server = await start({}, { authorization: "Bearer somebody else" });
    const { model } = await open(provider, server, { dir: await tempDir() });
    const failure = await failureOf(ask(model, "one"));
    expect(failure).toMatchObject({ class: "refused", billed: "no", status: 401 });
    expect(String(failure)).not.toContain("sk-test-secret");
    expect(server.callCount).toBe(0);
  });
}

test("calls wait for others of the run that are still being answered", async () => {
  await using server = await start();
  const { model } = await open("openai", server, { dir: await tempDir() });
  let isIdle = false;
  const reply = model.generate(
    { model: model.id, messages: [{ role: "user", content: "one" }], maxTokens: 10 },
    { key: keyOf("one"), signal: new AbortController().signal, isIdle: () => isIdle },
  );
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(server.batches.length).toBe(0);
  isIdle = true;
  await reply;
  expect(server.batches.length).toBe(1);
});

test("a provider without batches is refused, with the way out", async () => {
  const batches = batchModels();
  await expect(batches.open("batch/google/gemini-2.5-flash", { env: {} })).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining("google/gemini-2.5-flash"),
  });
});

test("a batch that no provider has any more is asked for again", async () => {
  const dir = await tempDir();
  await using server = await start();
  const { journal } = await open("openai", server, { dir });
  const at = Date.now() - 31 * 86_400_000;
  const old = {
    v: 1,
    name: "old",
    base: `${server.url}/v1`,
    path: "/chat/completions",
    size: 1,
    at,
  } as const;
  await (await openBatchRecords({ run: "run", journal }, at)).put({
    ...old,
    keys: [keyOf("one")],
    id: "old",
  });
  const { model } = await open("openai", server, { dir });
  expect((await ask(model, "one")).text).toBe("You said one.");
});

test("OpenAI's own models are asked as its package asks them, also in batches", async () => {
  await using server = await start();
  const batches = batchModels({ quietMs: 20, pollMs: 10 });
  const model = await batches.open("batch/openai/gpt-5-nano", {
    env: { OPENAI_API_KEY: "sk-test-secret" },
    fetch: (input, init) => fetch((input as string).replace("https://api.openai.com", server.url), init),
  });
  const journal = await sqliteJournal({ dir: await tempDir() });
  onTestFinished(() => journal.close());
  await batches.keepIn({ run: "run", journal });
  expect((await ask(model, "one")).text).toBe("You said one.");
  expect(server.calls.map(({ request }) => request.protocol)).toEqual(["openai-responses"]);
});
