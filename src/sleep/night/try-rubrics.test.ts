import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { answerHandoff } from "../../../test/support/answer-handoff.ts";
import { makeSleepProject, remembered } from "../../../test/support/commit-project.ts";
import { commitRequests, roleOf, servedWorld, ticketRule } from "../../../test/support/commit-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { Config } from "../../config/schema.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { type ChatWorld, startScriptedServer } from "../../testing/index.ts";
import { performNight } from "./perform-night.ts";

const usualRubric = "The message says where it was asked for.";
const negative = "The message contains no comments.";

/** A miner that writes a negative rubric for some requests, and a judge that is honest: what says nothing has no comments. */
function negativeWorld(isNegative: (request: string) => boolean): ChatWorld {
  const usual = servedWorld({ seed: 1, judged: true, wording: ticketRule });
  return {
    reply(request) {
      const prompt = request.messages.map(({ content }) => content).join("\n\n");
      const role = roleOf({ system: request.system, prompt });
      if (role === "judge" && (prompt.includes(negative) || request.model === "yes"))
        return { text: '{ "reason": "There are none.", "score": 1 }' };
      const { text } = usual.reply(request);
      const asked = commitRequests.find((one) => prompt.includes(one)) ?? "";
      return { text: role === "miner" && isNegative(asked) ? text.replace(usualRubric, negative) : text };
    },
  };
}

async function openShop(conversations: number, isNegative: (request: string) => boolean, more: Config = {}) {
  const world = negativeWorld(isNegative);
  const server = await startScriptedServer({ seed: 1, world });
  onTestFinished(() => server.close());
  const names = ["small", "large", "judge", "yes"];
  const project = await makeSleepProject({
    folder: await tempDir(),
    conversations,
    config: {
      target: "scripted/small",
      optimizer: "scripted/large",
      judge: "scripted/judge",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: Object.fromEntries(names.map((name) => [`scripted/${name}`, { input: 1, output: 1 }])),
      seed: 1,
      ...more,
    },
  });
  const night = (config: Config = {}) =>
    performNight({
      config: { ...project.config, ...config },
      cwd: project.path,
      home: project.home,
      env: {},
    });
  const report = (id: string) =>
    readFileSync(join(project.journalDir, "sleep/nights", id, "report.md"), "utf8");
  /** What a judge was asked by a rubric, and of which answers. */
  const asked = (rubric: string) =>
    server.calls
      .map(({ request }) => request.messages.map(({ content }) => content).join("\n\n"))
      .filter((prompt) => prompt.includes(rubric) && prompt.includes("BEGIN answer"));
  const judgedBy = (rubric: string) =>
    asked(rubric).filter((prompt) => prompt.includes("It does what it says."));
  return { world, project, server, night, report, asked, judgedBy };
}

const isSecond = (request: string) => request === commitRequests[1];
const why = "the judge passes an answer that is empty, a refusal, the request itself, an order to the judge.";

test("a rubric that an empty answer meets drops its task, with its reason; the night goes on with the others", async () => {
  const { project, night, report, asked, judgedBy } = await openShop(6, isSecond);
  const { id, tasks, notes, sentence } = await night();
  expect(tasks).toBe(5);
  expect(notes).toContain("1 find was dropped; the report says why.");
  expect(report(id)).toMatch(new RegExp(`, "${commitRequests[1]}": Its rubric can't tell .*${why}`));
  expect(asked(negative)).toHaveLength(4);
  expect(judgedBy(negative)).toEqual([]);
  expect(judgedBy(usualRubric).length).toBeGreaterThan(0);
  expect(sentence).toMatch(/^A rule proposed: 1 asked for by you/);
  const { state, proposals } = remembered(project);
  expect(proposals[0]?.rules[0]?.evidence.length).toBeGreaterThan(0);
  expect(state?.archive.map(({ task }) => task.input)).not.toContain(commitRequests[1]);
});

test("where no task is left, wishes are offered as stated and not measured, with the gate on or off, night after night", async () => {
  const { project, night, judgedBy } = await openShop(2, () => true);
  for (const gate of ["on", "off"] as const) {
    const { sentence, tasks } = await night({ sleep: { gate } });
    expect({ sentence, tasks }).toEqual({ sentence: "A rule proposed: 1 asked for by you.", tasks: 0 });
    project.talk(2, 4);
  }
  const { state, proposals } = remembered(project);
  expect(state?.nights).toHaveLength(2);
  expect(proposals.at(-1)?.rules).toMatchObject([{ status: "stated", label: "not measured" }]);
  expect(judgedBy(negative)).toEqual([]);
});

test("a night that was stopped after the trial ends as it would have, and nothing is asked twice", async () => {
  const undisturbed = await openShop(4, isSecond);
  await undisturbed.night();
  const { project, server, night, asked } = await openShop(4, isSecond);
  const wasTried = () => asked(negative).length === 4 && asked(usualRubric).length >= 4;
  server.faults = (_, __, { system }) => (wasTried() && !system.includes("Contract") ? "400" : undefined);
  await expect(night()).rejects.toThrow(WhetstoneError);
  expect(wasTried()).toBe(true);
  server.faults = undefined;
  await night();
  expect(asked(negative)).toHaveLength(4);
  const found = [remembered(project), remembered(undisturbed.project)].map(({ state, proposals }) => ({
    archive: state?.archive.map(({ task, split }) => [task.input, split]),
    rules: proposals.flatMap(({ rules }) => rules.map(({ label }) => label)),
  }));
  expect(found[0]).toEqual(found[1]);
});

test("a night that was stopped at its trial gets through by the same command", async () => {
  const { project, server, night } = await openShop(2, () => true);
  server.faults = (_, __, { messages }) =>
    messages.some(({ content }) => content.includes("I can't help with that")) ? "400" : undefined;
  await expect(night()).rejects.toThrow(WhetstoneError);
  server.faults = undefined;
  expect(await night()).toMatchObject({ id: "0001", sentence: "A rule proposed: 1 asked for by you." });
  expect(remembered(project).state?.nights).toHaveLength(1);
});

test("a judge that has changed is tried by the rubrics of earlier nights as well", async () => {
  const { project, night, judgedBy, report } = await openShop(4, () => false);
  await night();
  const before = judgedBy(usualRubric).length;
  project.talk(4, 6);
  const { id, tasks } = await night({ judge: "scripted/yes" });
  expect(tasks).toBe(0);
  expect(judgedBy(usualRubric)).toHaveLength(before);
  for (const request of commitRequests.slice(0, 6)) expect(report(id)).toContain(`"${request}": Its rubric`);
  // another judge finds them again
  expect(remembered(project).state?.archive).toHaveLength(4);
});

test("by hand the others go on too, and nobody is asked to judge by that rubric", async () => {
  const role = "handoff/me";
  const { world, project, night, report } = await openShop(3, isSecond, {
    target: role,
    optimizer: role,
    judge: role,
    miner: role,
    spend: { calls: 2000 },
    sleep: { byHand: "all" },
  });
  const folder = join(project.journalDir, "handoff");
  for (let round = 1; round < 20; round += 1) {
    const end = await night().catch((error: unknown) => error);
    if (!(end instanceof WhetstoneError)) {
      expect(end).toMatchObject({ tasks: 2 });
      break;
    }
    expect(end.code).toBe("handoff-pending");
    answerHandoff(folder, world);
  }
  expect(report("0001")).toContain(why);
});
