import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type SleepProject, makeSleepProject, remembered } from "../../../test/support/commit-project.ts";
import { servedWorld, ticketRule } from "../../../test/support/commit-world.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { keepProject } from "../../config/journal-place.ts";
import { adoptOffer } from "../../run/offer/adopt.ts";
import { listWaiting, nightRun } from "../../run/offer/offers.ts";
import { undoOffer } from "../../run/offer/undo.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { performNight } from "./perform-night.ts";

/** One person with two projects, who says the same about themselves in both. */
async function openTwo(says: { readonly shop: readonly string[]; readonly bank: readonly string[] }) {
  const world = servedWorld({ seed: 1, wording: ticketRule });
  const server = await startScriptedServer({
    seed: 1,
    world: {
      reply(asked) {
        const reply = world.reply(asked);
        const { text } = typeof reply === "string" ? { text: reply } : reply;
        return { text: text.replaceAll('"scope":"project"', '"scope":"personal"') };
      },
    },
  });
  onTestFinished(() => server.close());
  const folder = await tempDir();
  vi.stubEnv("WHETSTONE_STATE", join(folder, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = {
    target: "scripted/small",
    optimizer: "scripted/large",
    providers: { scripted: { baseURL: `${server.url}/v1` } },
    prices: Object.fromEntries(
      ["small", "large"].map((name) => [`scripted/${name}`, { input: 1, output: 1 }]),
    ),
    seed: 1,
  };
  const open = async (name: "shop" | "bank") => {
    const project = await makeSleepProject({
      folder,
      name,
      config,
      conversations: says[name].length,
      says: (at) => says[name][at] ?? "",
    });
    await keepProject(project, project.path);
    const night = () => performNight({ config, cwd: project.path, home: project.home, env: {} });
    return { project, night };
  };
  const [shop, bank] = [await open("shop"), await open("bank")];
  return { shop, bank, personal: join(shop.project.home, ".claude/CLAUDE.md") };
}

const waiting = ({ journalDir }: SleepProject) =>
  listWaiting(journalDir).flatMap(({ id, rules }) => rules.map((rule) => ({ proposal: id, rule })));

const twice = ["no, the ticket is missing", "not without the ticket"];

test("a wish about the person is asked for once and written once, however many projects it is said in", async () => {
  const { shop, bank, personal } = await openTwo({
    shop: twice,
    bank: ["not without a ticket!", "a ticket, again"],
  });
  await shop.night();
  const [asked] = waiting(shop.project);
  expect(asked?.rule).toMatchObject({ edit: { op: "add", text: ticketRule } });
  // it waits there, so it is not asked for here
  const { notes, proposals } = await bank.night();
  expect(proposals.flatMap(({ rules }) => rules)).toEqual([]);
  expect(notes).toContainEqual(expect.stringContaining(`It waits for you in ${shop.project.path}`));
  expect(waiting(bank.project)).toEqual([]);
  // what was said in the other project stays there
  const own = remembered(bank.project).state?.wishes.flatMap(({ said }) => said.map(({ text }) => text));
  expect(own).toEqual(["not without a ticket!", "a ticket, again"]);

  const offer = nightRun(shop.project.journalDir, asked?.proposal ?? "");
  await adoptOffer(offer, { unproven: true });
  const written = readFileSync(personal, "utf8");
  expect(written.split(ticketRule)).toHaveLength(2);
  // another night of the other project
  bank.project.talk(2, 4);
  await bank.night();
  expect(waiting(bank.project)).toEqual([]);
  expect(remembered(bank.project).state?.wishes).toMatchObject([{ state: { kind: "adopted" } }]);
  expect(readFileSync(personal, "utf8")).toBe(written);
  // taken back there, it is open here
  await undoOffer(offer);
  expect(existsSync(personal)).toBe(false);
  bank.project.talk(4, 6);
  await bank.night();
  expect(remembered(bank.project).state?.wishes).toMatchObject([{ state: { kind: "open" } }]);
});

test("said once in each of two projects, it stands, with every sentence", async () => {
  const { shop, bank } = await openTwo({ shop: [twice[0] ?? ""], bank: [twice[1] ?? ""] });
  await shop.night();
  expect(waiting(shop.project)).toEqual([]);
  await bank.night();
  const [asked, ...more] = waiting(bank.project);
  expect(more).toEqual([]);
  expect(asked?.rule.wish?.said.map(({ text }) => text)).toEqual(twice);
});
