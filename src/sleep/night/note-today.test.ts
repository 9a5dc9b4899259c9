import { expect, onTestFinished, test } from "vitest";
import { beganAt, makeSleepProject, remembered } from "../../../test/support/commit-project.ts";
import { servedWorld, ticketRule } from "../../../test/support/commit-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { adoptOffer } from "../../run/offer/adopt.ts";
import { listWaiting, nightRun } from "../../run/offer/offers.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { noteToday } from "./note-today.ts";
import { performNight } from "./perform-night.ts";

const said = ["no, the ticket is missing", "No, the ticket is missing!", "wo bleibt das Ticket?"];

/** A person whose day is over, with a model that the night may call. */
async function openDay() {
  const server = await startScriptedServer({ seed: 1, world: servedWorld({ seed: 1, wording: ticketRule }) });
  onTestFinished(() => server.close());
  const models = { target: "scripted/small", optimizer: "scripted/large", seed: 1 };
  const prices = { "scripted/small": { input: 1, output: 1 }, "scripted/large": { input: 1, output: 1 } };
  const config = { ...models, prices, providers: { scripted: { baseURL: `${server.url}/v1` } } };
  const says = (at: number) => said[at] ?? "";
  const project = await makeSleepProject({ folder: await tempDir(), conversations: 3, config, says });
  const options = { config, cwd: project.path, home: project.home, env: {} };
  const waiting = () =>
    listWaiting(project.journalDir).flatMap(({ id, rules }) => rules.map((rule) => ({ id, rule })));
  return { server, project, options, waiting };
}

test("what was corrected today waits in the person's words, without a call, once", async () => {
  const { server, project, options, waiting } = await openDay();
  const [proposal] = await noteToday(options);
  expect(server.callCount).toBe(0);
  expect(proposal?.rules).toMatchObject([{ text: "No, the ticket is missing!", status: "stated" }]);
  expect(waiting()).toMatchObject([{ rule: { wish: { said: [{}, {}] }, evidence: [] } }]);
  expect(waiting()[0]?.rule.looked).toBeUndefined();
  expect(await noteToday(options)).toEqual([]);
  expect(waiting()).toHaveLength(1);
  expect(remembered(project).state?.nights).toEqual([]);
});

test("the night reads the same conversations as if nothing had been noted", async () => {
  const { project, options, waiting } = await openDay();
  await noteToday(options);
  const { conversations } = await performNight(options);
  expect(conversations).toBe(3);
  expect(remembered(project).state?.wishes).toMatchObject([{ said: [{}, {}, {}] }]);
  expect(waiting().map(({ rule }) => rule.text)).toEqual([ticketRule]);
});

test("what the person took in the evening stays taken", async () => {
  const { project, options, waiting } = await openDay();
  const [proposal] = await noteToday(options);
  await adoptOffer(nightRun(project.journalDir, proposal?.id ?? ""), {
    now: () => beganAt(3),
    unproven: true,
    acknowledge: ["not-looked-at"],
  });
  await performNight(options);
  expect(remembered(project).state?.wishes).toContainEqual(
    expect.objectContaining({ state: expect.objectContaining({ kind: "adopted" }) }),
  );
  expect(waiting().map(({ rule }) => rule.text)).not.toContain("No, the ticket is missing!");
});
