import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Diagnostics } from "./night-types.ts";
import { answerHandoff, answerSheet } from "../../../test/support/answer-handoff.ts";
import { handoffModels } from "../../adapters/models/handoff.ts";
import { type ChatWorld, type FaultPlan, startScriptedServer } from "../../testing/index.ts";
import { systemClock } from "../../run/session/system-clock.ts";
import {
  type SleepProjectOptions,
  decisionsOf,
  makeSleepProject,
  memoryBefore,
  remembered,
} from "../../../test/support/commit-project.ts";
import {
  type SleepRole,
  type SleepWorldOptions,
  commitRequests,
  roleOf,
  servedWorld,
  ticketRule,
} from "../../../test/support/commit-world.ts";
import { readConsent, writeConsent } from "../consent.ts";
import { previewNight } from "../preview.ts";
import { sleepStatus } from "../status.ts";
import { chooseRules, rejectProposal } from "../../run/offer/choose.ts";
import { diffOffer } from "../../run/offer/diff-proposal.ts";
import { nightRun, openReview } from "../../run/offer/offers.ts";
import { lookAhead } from "./look-ahead.ts";
import { performNight } from "./perform-night.ts";

/** Back-offs and probes of minutes pass in a moment. */
const hurried: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / 300, signal),
};

interface Shop extends SleepWorldOptions, Partial<Pick<SleepProjectOptions, "skill" | "says">> {
  readonly conversations: number;
  readonly config?: Config;
  /** What one role says instead. */
  readonly instead?: Partial<Record<SleepRole, string>>;
}

/** A project with conversations, and models behind a real server that read and answer. */
async function openShop({ conversations, config = {}, instead = {}, skill, says, ...world }: Shop) {
  const usual = servedWorld(world);
  const answering: ChatWorld = {
    reply(request) {
      const prompt = request.messages.map(({ content }) => content).join("\n\n");
      const said = instead[roleOf({ system: request.system, prompt })];
      return said === undefined ? usual.reply(request) : { text: said };
    },
  };
  const server = await startScriptedServer({ seed: world.seed, world: answering });
  onTestFinished(() => server.close());
  const project = await makeSleepProject({
    folder: await tempDir(),
    conversations,
    ...(skill === undefined ? {} : { skill }),
    ...(says === undefined ? {} : { says }),
    config: {
      target: "scripted/small",
      optimizer: "scripted/large",
      judge: "scripted/judge",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: Object.fromEntries(
        ["small", "large", "judge"].map((name) => [`scripted/${name}`, { input: 0.2, output: 1 }]),
      ),
      seed: world.seed,
      ...config,
    },
  });
  const { path, home } = project;
  const night = (more: Config = {}, clock: Clock = hurried) =>
    performNight({ config: { ...project.config, ...more }, cwd: path, home, env: {}, clock });
  const read = (name: string) => readFileSync(join(project.journalDir, "sleep", name), "utf8");
  const preview = async () => {
    const texts = await previewNight(await lookAhead({ config: project.config, cwd: path, home, env: {} }));
    return texts.map(({ text }) => text).join("\n");
  };
  return { project, server, night, read, preview };
}

/** A person typed it into a conversation. */
function typeSecret(home: string): string {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
  const folder = join(home, ".claude/projects/-home-shop");
  const file = join(folder, readdirSync(folder)[0] ?? "");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace("You left out where", `GITHUB_TOKEN=${token} is what you push with. You left out where`),
  );
  return token;
}

test("a conversation in which the miner sees a secret is set aside, and named", async () => {
  const secret = "where it was asked for";
  const { night, read } = await openShop({
    seed: 1,
    conversations: 1,
    instead: { miner: JSON.stringify({ tasks: [], secret }) },
  });
  expect((await night()).notes).toEqual([
    expect.stringMatching(
      /^claude-code:\w+ was set aside, because the miner saw a password or key in it\. .*\.env/,
    ),
  ]);
  expect(read("nights/0001/report.md")).toContain("so it was set aside.");
});

/** A val task under the document as it is: what an improvement is measured against. */
const isBaseline = (val: readonly string[]) => (system: string, prompt: string) =>
  roleOf({ system, prompt }) === "target" &&
  !system.includes(ticketRule) &&
  val.some((request) => prompt.includes(request));

const failWhere =
  (meets: (system: string, prompt: string) => boolean): FaultPlan =>
  (_, __, { system, messages }) =>
    meets(system, messages.map(({ content }) => content).join("\n\n")) ? "503" : undefined;

test("fault 3: an outage of the baseline ends the night, stages nothing and counts nothing as read; afterwards it ends as it would have", async () => {
  const shop = { seed: 1, conversations: 12 };
  const undisturbed = await openShop(shop);
  expect(await undisturbed.night()).toMatchObject({
    sentence: expect.stringMatching(/works on your tasks|proven/),
  });
  const expected = remembered(undisturbed.project);
  const val = (expected.state?.archive ?? []).filter(({ split }) => split === "val");

  const { server, night, project } = await openShop(shop);
  server.faults = failWhere(isBaseline(val.map(({ task }) => task.input)));
  await expect(night()).rejects.toMatchObject({
    code: "too-many-pending",
    exitCode: 5,
    message: expect.stringContaining("HTTP 503: The service is unavailable for the moment."),
  });
  expect(remembered(project)).toMatchObject({
    state: undefined,
    proposals: [],
    memory: memoryBefore,
    log: [expect.stringMatching(/^\S+ failed: .*The service is unavailable for the moment/)],
  });

  expect(sleepStatus(project.journalDir).failures).toMatchObject({
    count: 1,
    message: expect.stringContaining("HTTP 503: The service is unavailable for the moment.") as string,
  });

  server.faults = undefined;
  await night();
  expect(decisionsOf(remembered(project))).toBe(decisionsOf(expected));
  expect(sleepStatus(project.journalDir).failures).toBeUndefined();
});

test("fault 3: an outage of the judge is blamed on no rule", async () => {
  const { server, night, project } = await openShop({ seed: 1, conversations: 6, judged: true });
  await night();
  const before = remembered(project);
  project.talk(6, 12);
  server.faults = failWhere(
    (system, prompt) => roleOf({ system, prompt }) === "judge" && prompt.includes("It does what it says."),
  );
  await expect(night()).rejects.toMatchObject({ exitCode: 5 });
  expect(remembered(project)).toEqual({
    ...before,
    log: [...before.log, expect.stringContaining("failed:")],
  });
});

test("fault 3: an answer that is missing here and there is left out on both sides, not counted as a zero", async () => {
  const { server, night, project } = await openShop({ seed: 1, conversations: 12 });
  const gone = commitRequests[1] ?? "";
  server.faults = (_, __, { system, messages }) =>
    messages.some(({ content }) => content.includes(gone)) && !system.includes("Contract")
      ? "503"
      : undefined;
  await night({ maxPendingShare: 0.5 });
  const { state } = remembered(project);
  const missing = state?.archive.find(({ task }) => task.input === gone);
  expect(missing?.split).toBe("val");
  const counted = state?.rules.flatMap(({ evidence }) => evidence.map(({ task }) => task));
  expect(counted).not.toEqual([]);
  expect(counted).not.toContain(missing?.task.id);
});

test("a miner without one usable reply stops the night, and the same night asks it again; if that doesn't help, it goes on", async () => {
  const shop = { seed: 1, conversations: 3 };
  const isMining = (system: string) => system.endsWith("Contract: mine");
  const spoilt: FaultPlan = (_, __, { system }) => (isMining(system) ? "empty" : undefined);
  const open = async () => {
    const { server, night, project } = await openShop(shop);
    server.faults = spoilt;
    await expect(night()).rejects.toMatchObject({
      code: "replies-unusable",
      message: expect.stringContaining("3 of 3 replies of scripted/large (miner) can't be used: 3 empty."),
    });
    expect(remembered(project)).toMatchObject({ state: undefined, proposals: [] });
    const asked = () => server.calls.filter(({ request }) => isMining(request.system)).length;
    expect(asked()).toBe(3 * 3);
    return { server, night, project, asked };
  };
  const mended = await open();
  mended.server.faults = undefined;
  expect(await mended.night()).toMatchObject({ tasks: 3 });
  expect(mended.asked()).toBe(3 * 3 + 3);

  const spoiltAgain = await open();
  expect(await spoiltAgain.night()).toMatchObject({ tasks: 0 });
  expect(spoiltAgain.asked()).toBe(3 * 3 + 3);
});

test("fault 8: a judge that passes everything judges nothing, and no task is measured by it", async () => {
  const { night, project, server, read } = await openShop({
    seed: 1,
    conversations: 4,
    judged: true,
    instead: { judge: '{ "reason": "fine", "score": 1 }' },
  });
  const { id } = await night();
  expect(read(`nights/${id}/report.md`).match(/: Its rubric can't tell good from bad: /g)).toHaveLength(4);
  const verdicts = server.calls.filter(({ request }) =>
    request.messages.some(({ content }) => content.includes("It does what it says.")),
  );
  expect(verdicts.filter(({ request }) => request.model === "judge")).toEqual([]);
  expect(remembered(project)).toMatchObject({ state: { archive: [], rules: [] }, proposals: [] });
});

test("fault 11: the report says of each rule what its tasks came to without it and with it", async () => {
  const { night, read } = await openShop({ seed: 1, conversations: 12 });
  const { id } = await night();
  expect(read(`nights/${id}/report.md`)).toMatch(/^### .*\(\d+ of \d+ → \d+ of \d+ on \d+ of your tasks\)$/m);
});

test("fault 21: git sees nothing of what nights keep in a project", async () => {
  const { night, project } = await openShop({ seed: 1, conversations: 4 });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", project.path, ...args], { encoding: "utf8" });
  git("init", "--quiet");
  await night();
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe(
    "?? CLAUDE.md\n?? whetstone.config.json\n",
  );
});

test("fault 25: a night of ten rubric tasks by hand takes eight rounds at most, asks nothing twice, secret or not, and leaves no file behind", async () => {
  const role = "handoff/me";
  const shop = { seed: 5, conversations: 10, judged: true };
  const { night, project, read } = await openShop({
    ...shop,
    config: {
      target: role,
      optimizer: role,
      judge: role,
      miner: role,
      spend: { calls: 2000 },
      sleep: { byHand: "all" },
    },
  });
  const token = typeSecret(project.home);
  const folder = join(project.journalDir, "handoff");
  const asked: string[] = [];
  const texts: string[] = [];
  for (let round = 1; ; round += 1) {
    const end = await night().catch((error: unknown) => error);
    if (!(end instanceof WhetstoneError)) break;
    expect(end).toMatchObject({ code: "handoff-pending", exitCode: 3 });
    expect(round).toBeLessThanOrEqual(8);
    const files = readdirSync(join(folder, "pending"));
    asked.push(...files);
    texts.push(...files.map((name) => readFileSync(join(folder, "pending", name), "utf8")));
    answerHandoff(folder, servedWorld(shop));
  }
  expect(new Set(asked).size).toBe(asked.length);
  expect(texts.filter((text) => text.includes(token))).toEqual([]);
  expect(texts.some((text) => text.includes("«SECRET:"))).toBe(true);
  expect(["pending", "answers"].flatMap((name) => readdirSync(join(folder, name)))).toEqual([]);
  const { state, proposals } = remembered(project);
  expect(state?.rules).toMatchObject([{ status: "open" }]);
  expect(proposals).toHaveLength(1);
  expect(readdirSync(join(project.journalDir, "sleep/nights"))).toEqual(["0001"]);
  expect(read("nights.log")).not.toContain("failed");
});

test("a night by hand asks for words only: one file per round, few questions, and a proposal that says it is not measured", async () => {
  const role = "handoff/me";
  const { night, project } = await openShop({
    seed: 5,
    conversations: 16,
    config: { target: role, optimizer: role, judge: role, miner: role, spend: { calls: 2000 } },
  });
  const folder = join(project.journalDir, "handoff");
  const rounds: (readonly string[])[] = [];
  for (;;) {
    const end = await night().catch((error: unknown) => error);
    if (!(end instanceof WhetstoneError)) {
      expect(end).toMatchObject({
        conversations: 13,
        took: "14 calls: all are questions for you",
        notes: expect.arrayContaining([expect.stringContaining("3 unread conversations wait")]),
      });
      break;
    }
    expect(end).toMatchObject({ code: "handoff-pending", hint: expect.stringContaining("answers.md") });
    rounds.push(answerSheet(folder, servedWorld({ seed: 5, wording: ticketRule })) ?? []);
  }
  expect(rounds).toEqual([Array.from({ length: 13 }, () => "miner"), ["optimizer"]]);
  expect(readdirSync(folder).toSorted()).toEqual(["answers", "pending"]);
  const { proposals } = remembered(project);
  expect(proposals.map(({ rules }) => rules.map(({ status, label }) => [status, label]))).toEqual([
    [["stated", expect.stringContaining("not measured")]],
  ]);
});

test("answers that a person wrote for another run are there after a night, also where it has a model by hand", async () => {
  const { night, project } = await openShop({
    seed: 3,
    conversations: 2,
    config: { judge: "handoff/me", spend: { calls: 500 } },
  });
  const folder = join(project.journalDir, "handoff");
  const ask = (key: string) =>
    handoffModels({ folder, quietMs: 1 })("handoff/me").generate(
      { model: "handoff/me", messages: [{ role: "user", content: "Which way?" }], maxTokens: 10 },
      { key, signal: new AbortController().signal },
    );
  const key = "ab".repeat(32);
  await expect(ask(key)).rejects.toMatchObject({ code: "handoff-pending" });
  writeFileSync(join(folder, "answers.md"), `===== ${key.slice(0, 8)} =====\nTo the left.\n`);
  await night();
  expect(readdirSync(folder)).toContain("questions.md");
  expect(await ask(key)).toMatchObject({ text: "To the left." });
  project.talk(2, 4);
  await night();
  expect(readdirSync(folder).toSorted()).toEqual(["answers", "pending"]);
});

test("fault 27: two nights of one project never run at the same time", async () => {
  const { night, project } = await openShop({ seed: 1, conversations: 4 });
  const [one, other] = await Promise.allSettled([night(), night()]);
  expect(one).toMatchObject({ status: "fulfilled" });
  expect(other).toMatchObject({ status: "rejected", reason: { code: "run-locked" } });
  expect(remembered(project).state?.nights).toHaveLength(1);
});

test("fault 28: no call is made above the cap, mining included; the night stops there with nothing staged and goes on once it is raised", async () => {
  const { night, project, server } = await openShop({ seed: 1, conversations: 12 });
  for (const calls of [8, 60]) {
    await expect(night({ spend: { calls } })).rejects.toMatchObject({ code: "spend-cap", exitCode: 4 });
    expect(server.callCount).toBeLessThanOrEqual(calls);
    expect(remembered(project)).toMatchObject({ state: undefined, proposals: [] });
  }
  const { spent } = await night({ spend: { calls: 1000 } });
  expect(spent.calls).toBe(server.callCount);
  const charged = server.calls.reduce((sum, { answer }) => {
    const { inputTokens = 0, outputTokens = 0 } = answer?.usage ?? {};
    return sum + 200 * inputTokens + 1000 * outputTokens;
  }, 0);
  expect(spent.nanoUsd).toBe(charged);
});

test("fault 29: a night that learned nothing says why", async () => {
  const noEdit = await openShop({
    seed: 1,
    conversations: 4,
    luck: 0,
    instead: { optimizer: '{ "reasoning": "", "failure_summary": [], "edits": [] }' },
  });
  const sentence = "Some train tasks failed, but the optimizer proposed no usable edit.";
  expect(await noEdit.night()).toMatchObject({ sentence, proposals: [] });
  expect(noEdit.read("nights.log")).toContain(sentence);
  const nothingNew = await openShop({ seed: 1, conversations: 0 });
  expect(await nothingNew.night()).toMatchObject({
    sentence: "Nothing new was said in this project, so there was nothing to learn.",
  });
  const perfect = await openShop({ seed: 1, conversations: 4, luck: 1 });
  expect(await perfect.night()).toMatchObject({ sentence: expect.stringMatching(/passed already\.$/) });
});

test("fault 29: with a model for each role the diagnostics hold what each of them said", async () => {
  const { night, read } = await openShop({ seed: 1, conversations: 4, judged: true });
  const { id } = await night();
  const { tasks, optimizer } = JSON.parse(read(`nights/${id}/diagnostics.json`)) as Diagnostics;
  expect(optimizer).toEqual([{ document: "memory:CLAUDE.md", reply: expect.stringContaining(ticketRule) }]);
  expect(tasks.length).toBeGreaterThan(0);
  for (const task of tasks)
    expect(task).toMatchObject({
      check: "rubric",
      hard: expect.any(Number),
      responseHead: expect.stringContaining("Change what was asked for"),
      why: expect.stringMatching(/\S/),
    });
});

test("fault 29: a damaged state ends the night with the file and the way out, and stays as it is", async () => {
  const { night, project } = await openShop({ seed: 1, conversations: 4 });
  await night();
  const file = join(project.journalDir, "sleep/state.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"nights":[', '"nights":[,'));
  const damaged = readFileSync(file, "utf8");
  await expect(night()).rejects.toMatchObject({
    code: "state-damaged",
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file, "utf8")).toBe(damaged);
});

test("a damaged learned block stops the night before its first call, and the file as it is mended is read", async () => {
  const { night, project, server } = await openShop({ seed: 1, conversations: 1 });
  const file = join(project.path, "CLAUDE.md");
  writeFileSync(file, `${memoryBefore}\n<!-- whetstone:learned:start -->\n- Use tabs.\n`);
  await expect(night()).rejects.toMatchObject({ message: expect.stringContaining(file) });
  expect(server.callCount).toBe(0);
  writeFileSync(file, memoryBefore);
  expect(await night()).toMatchObject({ conversations: 1 });
});

test("fault 29: a mistyped agent, provider or model is an error, and no other model answers in its place", async () => {
  const { night, project, server } = await openShop({ seed: 1, conversations: 4 });
  await expect(night({ optimizer: "claude-cod/sonnet" })).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringMatching(/^Did you mean claude-code\/sonnet\?/) as string,
  });
  await expect(night({ miner: "acme/large" })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("acme"),
  });
  expect(server.callCount).toBe(0);
  server.faults = (_, __, { model }) => (model === "smal" ? "404" : undefined);
  const prices = { ...project.config.prices, "scripted/smal": { input: 1, output: 1 } };
  await expect(night({ target: "scripted/smal", prices })).rejects.toMatchObject({
    code: "model-missing",
    message: expect.stringContaining('a model "smal"'),
  });
  expect(remembered(project)).toMatchObject({ state: undefined, proposals: [] });
});

test("what may not leave the machine is sent to no model elsewhere", async () => {
  const { project, night, server } = await openShop({ seed: 3, conversations: 4 });
  await writeConsent(project.journalDir, { ...readConsent(project.journalDir), localOnly: true });
  const providers = { ...project.config.providers, far: { baseURL: "http://192.0.2.7/v1" } };
  await expect(night({ optimizer: "far/large", providers, spend: { calls: 10 } })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("far/large isn't on it"),
  });
  expect(server.callCount).toBe(0);
});

test("words of conversations are gone after the days that the person allowed, also when nothing new is said; a proposal that waits keeps its own", async () => {
  const { project, night, read } = await openShop({
    seed: 3,
    conversations: 6,
    wording: "Say where it was asked for.",
    says: (at) => `You left out the ticket, as ${"abcdef".charAt(at)} said.`,
  });
  const { journalDir } = project;
  const { id, sentence, proposals } = await night();
  const [wish] = remembered(project).state?.wishes ?? [];
  // a sentence that may become a rule stays as one
  const own = wish?.wordings.map(({ text }) => text) ?? [];
  const said = wish?.said.map(({ text }) => text).find((text) => !own.includes(text)) ?? "none";
  expect(read(`nights/${id}/report.json`)).not.toContain(said);
  const holding = () =>
    readdirSync(journalDir, { recursive: true, encoding: "utf8" })
      .filter((name) => /^(?:sleep|proposals)\b.*\.(?:json|md)$/.test(name))
      .filter((name) => readFileSync(join(journalDir, name), "utf8").includes(said))
      .toSorted();
  const [proposal = ""] = proposals.map((one) => one.id);
  const waiting = [join("proposals", proposal, "review.json")];
  expect(holding()).toEqual(expect.arrayContaining([...waiting, "sleep/state.json"]));
  const after = (days: number): Clock => ({ ...hurried, now: () => Date.now() + days * 86_400_000 });
  await night({}, after(89));
  expect(holding()).toEqual(expect.arrayContaining([...waiting, `sleep/nights/${id}/pinned.json`]));
  await night({}, after(92));
  expect(holding()).toEqual(waiting);
  await rejectProposal(nightRun(journalDir, proposal), "No.");
  expect(await night({}, after(93))).toMatchObject({ sentence: expect.stringContaining("Nothing new") });
  expect(holding()).toEqual([]);
  // what was proposed is still known, and no longer offered
  const rejected = openReview(nightRun(journalDir, proposal));
  expect(rejected).toMatchObject({ state: "rejected", reason: "No." });
  expect(rejected.rules.map(({ text }) => text)).toContain("Say where it was asked for.");
  expect(remembered(project).state?.nights[0]).toMatchObject({ id, sentence });
  expect(await diffOffer(nightRun(journalDir, proposal))).toMatchObject({ diff: "" });
});

test("what was excluded after a stop is not sent; until then preview shows the night that goes on", async () => {
  const { project, night, preview, server } = await openShop({ seed: 3, conversations: 4 });
  await expect(night({ spend: { calls: 2 } })).rejects.toMatchObject({ code: "spend-cap" });
  project.talk(4, 5);
  const [basket, footer] = ["basket", "footer"];
  expect(await preview()).toContain(basket);
  expect(await preview()).not.toContain(footer);
  const consent = readConsent(project.journalDir);
  await writeConsent(project.journalDir, { ...consent, at: Date.now(), exclude: [basket] });
  expect(await preview()).not.toContain(basket);
  expect(await preview()).toContain(footer);
  const before = server.callCount;
  expect(await night()).toMatchObject({ conversations: 4 });
  const sent = JSON.stringify(server.calls.slice(before).map(({ request }) => request));
  expect(sent).not.toContain(basket);
  expect(sent).toContain(footer);
});

test("preview shows what a night tells the models of earlier ones: wishes and wordings", async () => {
  const { project, night, preview, read, server } = await openShop({
    seed: 3,
    conversations: 6,
    wording: "Say where it was asked for.",
    says: (at) => (at < 6 ? "You left out the ticket, again." : "Stop putting emoji into headlines."),
  });
  const { proposals } = await night();
  // what an agent's plugin tells at the start of a conversation
  const waiting = () => (JSON.parse(read("waiting.json")) as { readonly rules: number }).rules;
  expect(waiting()).toBe(proposals.flatMap(({ rules }) => rules).length);
  for (const { id, rules } of proposals)
    for (const { id: rule } of rules)
      await chooseRules(nightRun(project.journalDir, id), {
        [rule]: { deed: "reject", reason: "Tickets are gone." },
      });
  expect(waiting()).toBe(0);
  project.talk(6, 9);
  const shown = await preview();
  const before = server.callCount;
  await night();
  const sent = server.calls.slice(before).map(({ request: { system, messages } }) => {
    return [system, ...messages.map(({ content }) => content)].join("\n");
  });
  const told = new Set(
    sent.flatMap((text) => [
      ...[...text.matchAll(/^wish \d+: (.*)$/gm)].flatMap(([, line = ""]) =>
        line.replace(/ \(last said .*$/, "").split(" / "),
      ),
      ...[...text.matchAll(/^# (?:Asked for already|Turned down before)\n\n.*\n\n((?:- .*\n)+)/gm)].flatMap(
        ([, part = ""]) => [...part.matchAll(/^- (.*)$/gm)].map(([, line = ""]) => line),
      ),
    ]),
  );
  expect([...told]).toEqual(
    expect.arrayContaining(['"Say where it was asked for."', '"You left out the ticket, again."']),
  );
  const plain = [...told].map((text) => (text.startsWith('"') ? (JSON.parse(text) as string) : text));
  expect(plain.filter((text) => !shown.includes(text))).toEqual([]);
});

test("a night that fails twice in the same words ends, and another night reads what it left", async () => {
  const { project, read } = await openShop({ conversations: 2, seed: 1 });
  const broken = {
    onEvent: ({ type }: { readonly type: string }) => {
      if (type === "stage-start") throw new Error("A task that nobody can handle.");
    },
  };
  const begin = (more = {}) =>
    performNight({ config: project.config, cwd: project.path, home: project.home, env: {}, ...more });
  for (const nights of [0, 1]) {
    await expect(begin(broken)).rejects.toThrow("nobody can handle");
    expect(remembered(project).state?.nights ?? []).toHaveLength(nights);
  }
  expect(read("nights.log")).toContain("The next night starts over with the unread conversations.");
  project.talk(2, 3);
  const { id, conversations } = await begin();
  expect({ id, conversations }).toEqual({ id: "0002", conversations: 3 });
  expect(remembered(project).state?.nights.map(({ sentence }) => sentence)).toEqual([
    "It failed twice: A task that nobody can handle.",
    expect.any(String),
  ]);
});
