import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { capturedIo } from "../../test/support/captured-io.ts";
import { learnableWorld } from "../../test/support/learnable-world.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { seededRandom } from "../core/random.ts";
import type { RunReport } from "../report/model.ts";
import type { FaultKind, FaultPlan } from "../testing/index.ts";
import { startScriptedServer } from "../testing/scripted-server/start-scripted-server.ts";
import { createProgram } from "../apps/cli/program.ts";
import { reportError } from "./report-error.ts";

const world = learnableWorld(2);
const { train, val } = world.splits({ train: 20, val: 20, test: 0 });
const splits = { train, val };
const minibatch = 4;

/** A project folder, a server that plays both models, and the program itself, without a process around it. */
async function openOffice(faults?: FaultPlan) {
  const server = await startScriptedServer({ seed: 2, world, ...(faults === undefined ? {} : { faults }) });
  onTestFinished(() => server.close());
  const files = Object.entries(splits).map(([name, tasks]) => [`tasks/${name}.json`, JSON.stringify(tasks)]);
  const dir = await tempDir({ "SKILL.md": world.seedSkill(1), ...Object.fromEntries(files) });
  const whetstone = async (...args: readonly string[]) => {
    const { io, text } = capturedIo(dir);
    const wide = { ...io, lineLimit: Number.POSITIVE_INFINITY };
    let code = 0;
    try {
      await createProgram(wide, "0").parseAsync(["node", "whetstone", ...args]);
    } catch (error) {
      code = reportError(error, wide, args);
    }
    return { code, text: text() };
  };
  const journal = ["--journal", join(dir, "journal")];
  const measuring = [
    join(dir, "SKILL.md"),
    ...`--tasks ${join(dir, "tasks")} --target office/target --base-url ${server.url}/v1`.split(" "),
    "--spend-calls",
    "2000",
    ...journal,
  ];
  const training = `--optimizer office/optimizer --gate strict --no-baselines --epochs 2 --batch-size 20`;
  const flags = [...measuring, ...training.split(" "), "--minibatch-size", String(minibatch)];
  const callsOf = (role: Role) => server.calls.filter(({ request }) => request.model === role).length;
  return { server, whetstone, journal, measuring, flags, callsOf };
}

type Role = "target" | "optimizer";
type Office = Awaited<ReturnType<typeof openOffice>>;

/** The share of one role's calls that end like this. Prompts are too long by their task, whoever asks and how often. */
const spoil =
  (role: Role, kind: FaultKind, share: number): FaultPlan =>
  (key, _, { model, messages }) => {
    if (model !== role) return undefined;
    const content = messages[0]?.content ?? "";
    const isLong = Object.values(splits).some((tasks) =>
      tasks.some(({ input }, at) => content.includes(input) && at % 10 < 10 * share),
    );
    const isHit = kind === "too-long" && role === "target" ? isLong : seededRandom("spoil", key)() < share;
    return isHit ? kind : undefined;
  };

async function look({ whetstone, journal, flags }: Office) {
  const [shown, json, evals] = [
    await whetstone("runs", "show", ...journal),
    await whetstone("report", "--format", "json", ...journal),
    await whetstone("doctor", "evals", ...flags),
  ].map(({ text }) => text) as [string, string, string];
  return { shown, report: JSON.parse(json) as RunReport, evals };
}

const classes = [
  { kind: "truncated", reply: "cut" },
  { kind: "empty", reply: "empty" },
  { kind: "too-long", reply: "refused" },
  { kind: "error-prose", reply: "unparsable" },
] as const;

const settings = {
  target: {
    cut: "--target-max-tokens",
    empty: "--target-max-tokens",
    refused: "larger context",
    unparsable: "",
  },
  optimizer: {
    cut: "--optimizer-max-tokens",
    empty: "--optimizer-max-tokens",
    refused: "larger context",
    unparsable: "--optimizer",
  },
} as const;

const cells = (["target", "optimizer"] as const).flatMap((role) =>
  classes
    // whatever the target says in words is an answer
    .filter(({ reply }) => role === "optimizer" || reply !== "unparsable")
    .flatMap(({ kind, reply }) => [0.1, 0.5, 1].map((share) => ({ role, kind, reply, share }))),
);

test.each(cells)("$share of the $role's replies are $reply", async ({ role, kind, reply, share }) => {
  const office = await openOffice(spoil(role, kind, share));
  const trained = await office.whetstone("train", ...office.flags);
  const { shown, report, evals } = await look(office);
  const setting = settings[role][reply];

  // half of the target's prompts are more missing results than a run may have; half of an optimizer's replies may be
  // all of one step
  const isStopped =
    role === "optimizer" && share === 0.5
      ? trained.code !== 0
      : share === 1 || (role === "target" && reply === "refused" && share > 0.1);
  expect(trained.code).toBe(isStopped ? 5 : 0);

  // the class, and no other, on every surface
  const found = report.replies ?? [];
  expect(found.map((one) => `${one.role} ${one.reply}`)).toEqual([`${role} ${reply}`]);
  const count = found[0]?.count ?? 0;
  const next = found[0]?.next ?? "";
  expect(count).toBeGreaterThan(0);
  expect(next).toContain(setting);
  expect(trained.text).toContain(`reply ${reply} (${role}`);
  expect(shown).toContain("unusable replies");
  expect(shown).toContain(`${count} ${role} ${reply}`);
  expect(shown).toContain(next);
  // no call failed, and no task is to blame
  expect(report.failures).toEqual([]);
  if (role === "target") {
    expect(evals).not.toContain("failed in all");
    expect(evals).toMatch(new RegExp(`unusable .* ${count} target repl`));
  } else expect(evals).not.toContain("unusable");
  expect(`${trained.text}${shown}`).not.toContain("once the provider answers");

  if (!isStopped) {
    expect(report.overview.status).toBe("done");
    expect(trained.text).toMatch(new RegExp(`^ {2}replies +${count} ${role} repl`, "m"));
    expect(report.summary).toMatchObject({ replies: [{ role, reply, count, next }] });
    if (share < 0.5 || role === "optimizer") expect(report.overview.verdict).not.toBe("unchanged");
    return;
  }
  expect(report.overview).toMatchObject({ status: "stopped", code: "replies-unusable" });
  expect(report.overview.next).toContain(setting);
  expect(trained.text).toContain("error replies-unusable:");
  expect(trained.text).toMatch(new RegExp(`^next: .*${setting}`, "m"));
  expect(shown).toMatch(new RegExp(`^next: .*${setting}`, "m"));
  expect(`${trained.text}${shown}`).not.toContain("o candidate did better");
  if (share < 1) return;

  // preflight and one batch: ten rollouts, or the analysts of one step with a repair that has two tries. This server's empty
  // replies have no tokens, so they look as if it had failed, and the target has three tries
  const most = role === "target" ? (reply === "empty" ? 30 : 10) : 3 * (splits.train.length / minibatch + 1);
  expect(office.callsOf(role)).toBeLessThanOrEqual(1 + most);
  if (role === "target") expect(office.callsOf("optimizer")).toBe(1);
});

test.each([0.1, 0.5, 1])("thoughts before %d of all answers are no part of them", async (share) => {
  const summaryOf = async (faults?: FaultPlan) => {
    const office = await openOffice(faults);
    expect((await office.whetstone("train", ...office.flags)).code).toBe(0);
    const { report } = await look(office);
    expect(report.replies).toEqual([]);
    const { cost: _, ...rest } = report.summary as Record<string, unknown>;
    return rest;
  };
  const thinking = await summaryOf((key) => (seededRandom("spoil", key)() < share ? "thoughts" : undefined));
  expect(thinking).toEqual(await summaryOf());
  expect(thinking).toMatchObject({ verdict: "not-tested", accepted: 2 });
});

test("a larger context heals a run whose prompts were too long, and nothing is bought twice", async () => {
  const office = await openOffice(spoil("target", "too-long", 1));
  const { text } = await office.whetstone("train", ...office.flags);
  expect(text).toMatch(/\(target, on the longest task\): .* Likely too long: .* and 35 more\./);
  office.server.faults = undefined;
  const before = new Map(office.server.callsByKey);
  expect((await office.whetstone("train", ...office.flags)).code).toBe(0);
  expect((await look(office)).report.replies).toEqual([]);
  // only what was refused is asked again
  for (const [key, calls] of office.server.callsByKey)
    expect(calls).toBe(
      before.get(key) === 1 &&
        office.server.calls.some((call) => call.key === key && call.fault === "too-long")
        ? 2
        : 1,
    );
});

test("a finished run is read again without a call, also where prompts were too long", async () => {
  const office = await openOffice(spoil("target", "too-long", 0.1));
  expect((await office.whetstone("train", ...office.flags)).code).toBe(0);
  const { report } = await look(office);
  const { callCount } = office.server;
  for (const more of [[], ["--offline"]]) {
    expect((await office.whetstone("train", ...office.flags, ...more)).code).toBe(0);
    expect((await look(office)).report.summary).toEqual(report.summary);
  }
  expect(office.server.callCount).toBe(callCount);
});

test("without a gate the first batch plays the part of the baseline", async () => {
  const office = await openOffice(spoil("target", "truncated", 1));
  const { code } = await office.whetstone("train", ...office.flags, "--gate", "off");
  expect(code).toBe(5);
  expect(office.callsOf("target")).toBe(1 + 10);
});

test("an evaluation stops likewise, and leaves out what is too long where that is little", async () => {
  const hopeless = await openOffice(spoil("target", "empty", 1));
  const stopped = await hopeless.whetstone("eval", ...hopeless.measuring);
  expect(stopped.code).toBe(5);
  expect(stopped.text).toContain("10 of 10 replies of office/target (target) can't be used: 10 empty.");
  expect(hopeless.callsOf("target")).toBe(1 + 3 * 10);

  const narrow = await openOffice(spoil("target", "too-long", 0.1));
  const { code, text } = await narrow.whetstone("eval", ...narrow.measuring);
  expect(code).toBe(0);
  expect(text).toMatch(/of 18 val tasks pass .*; 2 more left out: too long for the model/);
});

test.each([
  ["truncated", "target", "cut: It was cut off at 4096 tokens."],
  ["too-long", "target", "refused: The prompt is too long for the model. HTTP 400:"],
  ["error-prose", "optimizer", "unparsable: It isn't the requested JSON: it holds no JSON object."],
] as const)("doctor asks what a run would ask: %s %s", async (kind, role, sentence) => {
  const office = await openOffice(spoil(role, kind, 1));
  const { text } = await office.whetstone("doctor", ...office.flags);
  expect(text).toMatch(new RegExp(`^warn +${role} reply`, "m"));
  expect(text).toContain(sentence);
});
