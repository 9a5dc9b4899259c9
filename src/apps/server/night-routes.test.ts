import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { stageNights } from "../../../test/support/staged-nights.ts";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { hashBytes } from "../../core/canonical.ts";
import type { OfferChange, NightOverview, OfferReport, Proposals } from "../../report/model.ts";
import { chooseRules } from "../../run/offer/choose.ts";
import { nightRun } from "../../run/offer/offers.ts";
import { startServer } from "./start-server.ts";

type Ready = Extract<OfferChange, { readonly kind: "ready" }>;
const accept = { deed: "accept" } as const;
const drop = { deed: "drop" } as const;

/** A project with proposals of nights, and a real server on its journal. */
async function openProject(viewOnly?: string) {
  const nights = await stageNights(await tempDir());
  const { journalDir, memory, proposal } = nights;
  await (await sqliteJournal({ dir: journalDir })).close();
  const server = await startServer({ journalDir, page: "<!doctype html><body></body>", viewOnly });
  onTestFinished(() => server.close());
  const send = async (path: string, body?: object): Promise<{ status: number; data: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, data: await response.json() };
  };
  const path = `proposals/${proposal.id}`;
  const read = async () => (await send(path)).data as OfferReport;
  const decide = async (decisions: object) =>
    (await send(`${path}/decide`, { decisions })).data as OfferReport;
  const live = () => readFileSync(memory, "utf8");
  return { ...nights, server, send, path, read, decide, live };
}

const ready = ({ change }: OfferReport): Ready => {
  if (change?.kind !== "ready") throw new Error(`nothing is ready: ${JSON.stringify(change)}`);
  return change;
};

const fileOf = ({ files: [file] }: Pick<Ready, "files">) => {
  if (file === undefined) throw new Error("no file");
  return file;
};

const acknowledged = ({ shown, powers, unproven, merged }: Ready) => ({
  shown,
  acknowledge: powers.map(({ id }) => id),
  unproven,
  merge: merged,
});

test("nights and their proposals are listed, the newest first, and a night's report is read", async () => {
  const { send, proposal, unverified, memory } = await openProject();
  const { nights, runs } = (await send("proposals")).data as Proposals;
  expect(nights.map(({ id, state, live }) => [id, state, live])).toEqual([
    [proposal.id, "staged", memory],
    [unverified.id, "staged", expect.stringContaining("skills/release-notes/SKILL.md")],
    [expect.stringContaining("0002-"), "superseded", memory],
  ]);
  expect(nights[1]?.rules.map(({ label }) => label)).toEqual(["unverified: the gate was off"]);
  expect(runs).toEqual([]);
  const listed = (await send("nights")).data as readonly NightOverview[];
  expect(listed.map(({ id, cost }) => [id, cost.calls])).toEqual([
    ["0003", 223],
    ["0002", 96],
    ["0001", 0],
  ]);
  expect((await send("nights/0003/report")).data).toContain("# Night 0003");
  expect((await send("nights/0001/report")).data).toBe("");
  expect((await send("nights/0009/report")).status).toBe(404);
});

test("before anybody decides, proven and stated rules are taken and the change is shown; nothing is written", async () => {
  const { read, rules, live, original } = await openProject();
  const report = await read();
  expect(report.decisions).toEqual({ [rules.proven.id]: accept, [rules.stated.id]: accept });
  const change = ready(report);
  const { before, after, hashes } = fileOf(change);
  expect(before).toBe(original);
  expect(after).toContain("- Name new files in kebab-case, never in camelCase.");
  expect(after).not.toContain("endpoint");
  expect(hashes).toEqual({
    before: hashBytes(Buffer.from(original)),
    after: hashBytes(Buffer.from(after)),
  });
  expect([change.unproven, change.merged]).toEqual([false, false]);
  expect(change.powers).toEqual([
    expect.objectContaining({ does: "runs a command", item: expect.stringContaining("pnpm test --run") }),
  ]);
  expect(live()).toBe(original);
});

test("decided, adopted with the bytes that were shown, and undone", async () => {
  const { send, path, decide, read, rules, live, original } = await openProject();
  const decided = await decide({
    [rules.proven.id]: accept,
    [rules.promising.id]: accept,
    [rules.stated.id]: drop,
    [rules.replacing.id]: { deed: "edit", text: "Write commit messages in the imperative." },
  });
  const change = ready(decided);
  expect(change.rules.map(({ label }) => label)).toEqual([
    "proven (12 of 45 → 42 of 45 on 15 of your tasks)",
    "works on your tasks, not proven (12 of 24 → 21 of 24 on 8 of your tasks)",
    "edited by you, not measured",
  ]);
  const unseen = { does: "wasn't looked at", item: "Write commit messages in the imperative." };
  expect([change.unproven, change.powers, live()]).toMatchObject([true, [unseen], original]);
  expect(await read()).toEqual(decided);

  const options = acknowledged(change);
  const word = await send(`${path}/adopt`, { ...options, unproven: false });
  expect([word.status, word.data]).toMatchObject([409, { code: "unproven", hint: expect.any(String) }]);
  const adopted = await send(`${path}/adopt`, options);
  expect([adopted.status, adopted.data]).toEqual([
    200,
    expect.arrayContaining([expect.stringContaining("Adopted")]),
  ]);
  expect(live()).toBe(fileOf(change).after);
  const written = await read();
  expect(written).toMatchObject({
    review: { state: "adopted" },
    change: { kind: "written", files: change.files },
  });
  expect(written.review.rules.filter(({ receipt }) => receipt).map(({ id }) => id)).toEqual(
    change.rules.map(({ id }) => id),
  );
  expect((await send(`${path}/decide`, { decisions: {} })).status).toBe(400);
  expect((await send(`${path}/undo`, {})).status).toBe(200);
  expect(live()).toBe(original);
  // the choice is kept
  expect(ready(await read())).toEqual(change);
});

test("what was chosen elsewhere meanwhile is not what was shown, and is not written", async () => {
  const { send, path, read, rules, journalDir, proposal, live, original } = await openProject();
  const shown = ready(await read());
  await chooseRules(nightRun(journalDir, proposal.id), { [rules.proven.id]: accept });
  const refused = await send(`${path}/adopt`, acknowledged(shown));
  expect([refused.status, refused.data]).toMatchObject([
    409,
    { code: "live-changed", message: expect.stringContaining("is no longer the one you were shown") },
  ]);
  expect(live()).toBe(original);
  const now = ready(await read());
  expect((await send(`${path}/adopt`, acknowledged(now))).status).toBe(200);
  expect(hashBytes(Buffer.from(live()))).toBe(now.shown);
});

test("a power that is not acknowledged stops it", async () => {
  const { send, path, read, live, original } = await openProject();
  const options = acknowledged(ready(await read()));
  const refused = await send(`${path}/adopt`, { ...options, acknowledge: [] });
  expect([refused.status, refused.data]).toMatchObject([409, { code: "unacknowledged" }]);
  expect(live()).toBe(original);
  expect((await send(`${path}/adopt`, options)).status).toBe(200);
});

test("a live file that changed is shown as it would become, and written so; where it contradicts, that is said", async () => {
  const { send, path, read, decide, rules, memory, live, original } = await openProject();
  const stale = acknowledged(ready(await read()));
  const edited = `${original}Tabs, not blanks.\n`;
  writeFileSync(memory, edited);
  expect((await send(`${path}/adopt`, { ...stale, merge: true })).status).toBe(409);
  expect((await send(`${path}/adopt`, stale)).status).toBe(409);
  const merged = ready(await read());
  expect([merged.merged, fileOf(merged).before]).toEqual([true, edited]);
  expect(fileOf(merged).after).toMatch(/- Name new files[^]*Tabs, not blanks\.\n$/);
  expect((await send(`${path}/adopt`, acknowledged(merged))).status).toBe(200);
  expect(live()).toBe(fileOf(merged).after);
  expect((await send(`${path}/undo`, {})).status).toBe(200);
  expect(live()).toBe(edited);

  writeFileSync(memory, original.replace("- Write commit messages in the past tense.\n", ""));
  const { change } = await decide({ [rules.replacing.id]: accept });
  expect(change).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("the rule that it changes isn't there"),
  });
});

test("a rejected rule is out of the choice, with its reason; a rejected proposal has none", async () => {
  const { send, path, decide, rules } = await openProject();
  const report = await decide({ [rules.stated.id]: { deed: "reject", reason: " too slow " } });
  const rejected = { deed: "reject", reason: "too slow" };
  expect(report.review.rules[2]?.decision).toEqual(rejected);
  expect(report.decisions).toEqual({ [rules.proven.id]: accept, [rules.stated.id]: rejected });
  expect(ready(report).rules.map(({ id }) => id)).toEqual([rules.proven.id]);
  expect((await send(`${path}/reject`, { reason: "  " })).status).toBe(400);
  const all = (await send(`${path}/reject`, { reason: "not this week" })).data as OfferReport;
  expect(all).toMatchObject({ review: { state: "rejected", reason: "not this week" }, decisions: {} });
  expect(all.change).toBeUndefined();
});

test("all dropped is kept too, and shows no change", async () => {
  const { decide, rules, live, original } = await openProject();
  const report = await decide({ [rules.proven.id]: drop, [rules.stated.id]: drop });
  expect(report.decisions).toEqual({ [rules.proven.id]: drop, [rules.stated.id]: drop });
  expect([report.change, live()]).toEqual([undefined, original]);
});

test("what cannot be written is refused in a sentence, and nothing of it is kept", async () => {
  const { send, path, read, rules } = await openProject();
  const before = await read();
  const { id } = rules.proven;
  for (const [decisions, code] of [
    [{ [id]: { deed: "edit", text: " " } }, "usage"],
    [{ [id]: { deed: "edit", text: "<!-- whetstone:learned:end -->" } }, "usage"],
    [{ nothing: accept }, "not-found"],
    [{ [id]: { deed: "love" } }, "usage"],
  ] as const)
    expect((await send(`${path}/decide`, { decisions })).data).toMatchObject({
      code,
      message: expect.any(String),
      hint: expect.any(String),
    });
  expect(await read()).toEqual(before);
});

test("a proposal that is not there, and what is no proposal's id, is not found", async () => {
  const { send, server } = await openProject();
  for (const id of ["0009-CLAUDE-md-abcdef", "__proto__", "constructor", "journal"]) {
    expect([id, (await send(`proposals/${id}`)).status]).toEqual([id, 404]);
    for (const [act, body] of Object.entries({
      decide: { decisions: {} },
      adopt: { shown: "0".repeat(64) },
      reject: { reason: "no" },
      undo: {},
    }))
      expect([id, act, (await send(`proposals/${id}/${act}`, body)).status]).toEqual([id, act, 404]);
  }
  expect((await fetch(`http://127.0.0.1:${server.port}/api/proposals`)).status).toBe(401);
});

test("a server that an agent started shows everything and changes nothing", async () => {
  const { server, send, path, read, live, original } = await openProject("Claude Code started this");
  const acts = {
    adopt: acknowledged(ready(await read())),
    decide: { decisions: {} },
    reject: { reason: "" },
    undo: {},
  };
  for (const [act, body] of Object.entries(acts))
    expect(await send(`${path}/${act}`, body)).toMatchObject({
      status: 403,
      data: { code: "not-confirmed" },
    });
  expect(live()).toBe(original);
  expect(await (await fetch(server.url)).text()).toContain("This page is read-only, because Claude Code");
});
