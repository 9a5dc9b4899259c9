import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type SleepProject,
  beganAt,
  makeSleepProject,
  remembered,
} from "../../../test/support/commit-project.ts";
import { type SleepWorldOptions, servedWorld, ticketRule } from "../../../test/support/commit-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { adoptOffer } from "../../run/offer/adopt.ts";
import { undo } from "../../run/offer/proposals.ts";
import { chooseRules } from "../../run/offer/choose.ts";
import { listWaiting, nightRun } from "../../run/offer/offers.ts";
import { sleepStatus } from "../status.ts";
import { performNight } from "./perform-night.ts";

/** What the person says to the first answer, by conversation; two of them are plainly the same. */
const said = ["no, the ticket is missing", "No, the ticket is missing!", "wo bleibt das Ticket?"];

/** A person who says it in the first conversations, then not, then again. */
async function openLife(says: (at: number) => string, wording: SleepWorldOptions["wording"] = ticketRule) {
  const server = await startScriptedServer({ seed: 1, world: servedWorld({ seed: 1, wording }) });
  onTestFinished(() => server.close());
  const project = await makeSleepProject({
    folder: await tempDir(),
    conversations: 3,
    says,
    config: {
      target: "scripted/small",
      optimizer: "scripted/large",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: Object.fromEntries(
        ["small", "large"].map((name) => [`scripted/${name}`, { input: 1, output: 1 }]),
      ),
      seed: 1,
    },
  });
  const night = () =>
    performNight({ config: project.config, cwd: project.path, home: project.home, env: {} });
  return { project, night };
}

const waiting = ({ journalDir }: SleepProject) =>
  listWaiting(journalDir).flatMap(({ id, rules }) => rules.map((rule) => ({ proposal: id, rule })));

test("one wish of several sentences: worded once, with its dates, its scene and the person's words", async () => {
  const { project, night } = await openLife((at) => said[at] ?? "");
  const { sentence } = await night();
  expect(sentence).toMatch(/^A rule proposed: 1 asked for by you/);
  const { state } = remembered(project);
  expect(state?.wishes).toHaveLength(1);
  expect(state?.wishes[0]?.said.map(({ text }) => text)).toEqual(said);
  const [only, ...more] = waiting(project);
  expect(more).toEqual([]);
  expect(only?.rule).toMatchObject({
    edit: { op: "add", text: ticketRule },
    label: expect.stringMatching(/^(?:works on your tasks|not)/),
    tokens: 25,
    wish: {
      sentence: expect.stringMatching(/^You said this 3 times: \d/),
      example: {
        asked: expect.stringContaining("Write the commit message for this:"),
        did: "Change what was asked for\n\nThe change does what it says.",
        said: "wo bleibt das Ticket?",
      },
    },
  });
  expect(said).toContain(only?.rule.wish?.wordings[0]);
});

test("what is dropped is not back the next night, only when it is said again; a rejection is for good", async () => {
  const { project, night } = await openLife((at) => (at < 3 || at > 8 ? (said[at % 3] ?? "") : ""));
  await night();
  const [first] = waiting(project);
  if (first === undefined) throw new Error("nothing is proposed");
  const { journalDir } = project;
  await chooseRules(
    nightRun(journalDir, first.proposal),
    { [first.rule.id]: { deed: "drop" } },
    { now: () => beganAt(4) },
  );
  expect(sleepStatus(journalDir)).toMatchObject({
    headline: "Nothing is waiting for you: all proposals are decided.",
    staged: [],
    wishes: [{ state: { kind: "snoozed" } }],
  });
  project.talk(4, 8);
  await night();
  expect(waiting(project)).toEqual([]);
  project.talk(9, 10);
  await night();
  const [again] = waiting(project);
  expect(again?.rule.wish).toMatchObject({ id: first.rule.wish?.id, said: { length: 4 } });
  await chooseRules(nightRun(journalDir, again?.proposal ?? ""), {
    [again?.rule.id ?? ""]: { deed: "reject", reason: "Tickets are gone." },
  });
  project.talk(10, 12);
  const { notes } = await night();
  expect(waiting(project)).toEqual([]);
  expect(notes.join("\n")).toContain("It isn't proposed, because you rejected it: Tickets are gone.");
});

test("helped: after an adoption a relapse is told, with its rate before and since", async () => {
  const { project, night } = await openLife((at) => (at < 3 || at === 5 ? (said[at % 3] ?? "") : ""));
  await night();
  const [first] = waiting(project);
  const { journalDir } = project;
  await adoptOffer(nightRun(journalDir, first?.proposal ?? ""), { now: () => beganAt(3), unproven: true });
  // as an agent's plugin leaves them: one conversation ended twice
  writeFileSync(join(journalDir, "sleep/ended"), "a1\nb2\na1\n");
  expect(sleepStatus(journalDir)).toMatchObject({
    staged: [],
    wishes: [{ state: { kind: "adopted" } }],
    helped: [],
    ended: 2,
  });
  project.talk(4, 8);
  const { notes } = await night();
  expect(sleepStatus(journalDir).ended).toBeUndefined();
  expect(waiting(project)).toEqual([]);
  const told = notes.find((note) => note.includes("You still had to say it."));
  expect(told).toContain(
    "Since then in 1 of 4 conversations (25%, between 1% and 81%), before in 2 of 2 conversations",
  );
  expect(told).toContain('"wo bleibt das Ticket?"');
  expect(sleepStatus(journalDir).helped).toEqual([told]);
});

test("a rule that agents broke in two conversations since its adoption is proposed in other words, in its place", async () => {
  const plainer = `${ticketRule} Do so in short messages, too.`;
  const asked: string[] = [];
  const { project, night } = await openLife(
    (at) => (at < 3 || at === 5 || at === 6 ? (said[at % 3] ?? "") : ""),
    (prompt) => (asked.push(prompt), asked.length === 1 ? ticketRule : plainer),
  );
  const { journalDir } = project;
  const memory = () => readFileSync(join(project.path, "CLAUDE.md"), "utf8");
  await night();
  const [first] = waiting(project);
  await adoptOffer(nightRun(journalDir, first?.proposal ?? ""), { now: () => beganAt(3), unproven: true });
  const before = memory();
  project.talk(4, 8);
  const { notes } = await night();
  const why = /You adopted it on \d+ \w+ \d+ and had to say it again twice since\./;
  expect(notes.join("\n")).toMatch(why);
  expect(waiting(project)).toEqual([]);
  // nothing is said tonight
  project.talk(8, 10);
  await night();
  const [again, ...more] = waiting(project);
  expect(more).toEqual([]);
  expect(again?.rule).toMatchObject({
    edit: { op: "replace", target: ticketRule, text: plainer },
    wish: { id: first?.rule.wish?.id, sentence: expect.stringMatching(why), said: { length: 5 } },
  });
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain(`tried in vain: ${JSON.stringify(ticketRule)}`);
  // the file is shown as it would be without the rule
  expect(asked[1]).not.toContain(`- ${ticketRule}`);
  const run = nightRun(journalDir, again?.proposal ?? "");
  await chooseRules(run, { [again?.rule.id ?? ""]: { deed: "accept" } });
  await adoptOffer(run);
  expect(memory()).toBe(before.replace(ticketRule, plainer));
  expect(sleepStatus(journalDir)).toMatchObject({ wishes: [{ state: { kind: "adopted" } }], staged: [] });
  await undo({ cwd: project.path });
  expect(memory()).toBe(before);
  expect(sleepStatus(journalDir).wishes).toMatchObject([{ state: { kind: "open" }, relapsed: [ticketRule] }]);
  // a rejection is of the wish, and the adopted rule stays
  await chooseRules(run, { [again?.rule.id ?? ""]: { deed: "reject", reason: "The old words are fine." } });
  project.talk(10, 12);
  await night();
  expect(waiting(project)).toEqual([]);
  expect(memory()).toBe(before);
});
