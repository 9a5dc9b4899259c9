import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeSleepProject, remembered } from "../../../test/support/commit-project.ts";
import { servedWorld, ticketRule } from "../../../test/support/commit-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { listWaiting } from "../../run/offer/offers.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { lookAhead } from "../night/look-ahead.ts";
import { performNight } from "../night/perform-night.ts";
import { planAhead } from "../night/plan-night.ts";
import { sleepStatus } from "../status.ts";

test("without a model corrections are noted in the person's words, and a night with one words and measures them", async () => {
  const server = await startScriptedServer({ seed: 1, world: servedWorld({ seed: 1, wording: ticketRule }) });
  onTestFinished(() => server.close());
  const said = ["no, the ticket is missing", "No, the ticket is missing!", "not the summary, the ticket"];
  const says = (at: number) => said[at] ?? "";
  const project = await makeSleepProject({ folder: await tempDir(), conversations: 4, config: {}, says });
  const { path, home, journalDir } = project;
  const where = { cwd: path, home, env: {} };
  const plan = await planAhead(await lookAhead({ config: {}, ...where }), path);
  expect(plan).toContain("No model is named and no key is set. A night would note your corrections");

  const bare = await performNight({ config: {}, ...where });
  expect(bare.sentence).toBe(
    "No model was available: 2 corrections noted in your own words, not measured. A night with a model words and measures them.",
  );
  expect(bare).toMatchObject({ tasks: 0, proposals: [], took: "0 calls" });
  expect(bare.notes).toEqual([
    'Noted: "No, the ticket is missing!".',
    'Noted: "not the summary, the ticket".',
  ]);
  expect(sleepStatus(journalDir)).toMatchObject({ headline: bare.sentence, staged: [] });
  // the same conversations once more add nothing
  const again = await performNight({ config: {}, ...where });
  expect(again.sentence).toContain("0 corrections");
  expect(remembered(project).state?.wishes.map((wish) => wish.said.length)).toEqual([2, 1]);

  const models = { target: "scripted/small", optimizer: "scripted/large", seed: 1 };
  const prices = { "scripted/small": { input: 1, output: 1 }, "scripted/large": { input: 1, output: 1 } };
  const config = { ...models, prices, providers: { scripted: { baseURL: `${server.url}/v1` } } };
  await performNight({ config, ...where });
  const [wish, ...more] = remembered(project).state?.wishes ?? [];
  expect(more).toEqual([]);
  expect(wish?.said).toHaveLength(3);
  const rules = listWaiting(journalDir).flatMap((review) => review.rules);
  expect(rules).toMatchObject([{ text: ticketRule, status: expect.stringMatching(/stated|proven/) }]);
  expect(rules[0]?.evidence.length).toBeGreaterThan(0);
  rmSync(join(path, "whetstone.config.json"));
});
