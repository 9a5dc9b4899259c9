import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { TranscriptSource } from "../../core/ports/transcripts.ts";
import type { RawConversation, SourceName } from "../../core/ports/conversation.ts";
import type { Harvested } from "../memory/harvested.ts";
import { claudeCodeSource } from "../../adapters/transcripts/readers/claude-code.ts";
import { codexSource } from "../../adapters/transcripts/readers/codex.ts";
import { asLines, fixtureHome, recordedProject } from "../../../test/support/fixture-home.ts";
import { harvest } from "./harvest.ts";
import { openSources } from "../../adapters/transcripts/sources.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const hour = 3_600_000;
const usual = {
  harvested: {},
  since: 0,
  max: 100,
  exclude: [],
  prepare: async (conversation: RawConversation) => conversation,
};

/** A home in which Claude Code and Codex were used; `at` is when the conversation ended. */
async function usedHome(
  conversations: readonly {
    agent: "claude-code" | "codex";
    id: string;
    at: number;
    folder: string;
    prompt?: string;
    zone?: string;
  }[],
): Promise<string> {
  const home = await tempDir();
  for (const { agent, id, at, folder, prompt = `Do ${id}.`, zone } of conversations) {
    const timestamp = zone === undefined ? new Date(at).toISOString() : inZone(at, zone);
    const [path, records] =
      agent === "claude-code"
        ? [
            `.claude/projects/x/${id}.jsonl`,
            [
              {
                type: "user",
                uuid: id,
                cwd: folder,
                gitBranch: "main",
                timestamp,
                message: { content: prompt },
              },
            ],
          ]
        : [
            `.codex/sessions/2026/11/15/rollout-${id}.jsonl`,
            [
              { type: "session_meta", timestamp, payload: { id, cwd: folder } },
              { type: "event_msg", timestamp, payload: { type: "user_message", message: prompt } },
            ],
          ];
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), asLines(records));
    await utimes(join(home, path), at / 1000, at / 1000);
  }
  return home;
}

/** The same instant as a clock in that zone shows it. */
const inZone = (at: number, zone: string): string =>
  new Date(at + Number(zone.slice(0, 3)) * hour).toISOString().replace("Z", zone);

const idsOf = ({ conversations }: { readonly conversations: readonly { readonly id: string }[] }) =>
  conversations.map(({ id }) => id);

test("fault 12: a night in any zone takes what ended since the last one, once", async () => {
  const zone = process.env["TZ"];
  try {
    for (const [here, written] of [
      ["Asia/Shanghai", "+08:00"],
      ["America/Los_Angeles", "-08:00"],
      ["UTC", "+05:00"],
    ] as const) {
      process.env["TZ"] = here;
      const project = await tempDir();
      const before = [1, 3, 5, 7, 9].flatMap((hours) => [
        {
          agent: "claude-code" as const,
          id: `c${hours}`,
          at: noon + hours * hour,
          folder: project,
          zone: written,
        },
        { agent: "codex" as const, id: `x${hours}`, at: noon + hours * hour, folder: project },
      ]);
      const home = await usedHome(before);
      const sources = openSources({ home, env: {} });
      const found = await harvest({ ...usual, sources, project, since: noon + 4 * hour });
      expect(idsOf(found)).toEqual([
        "claude-code:c5",
        "codex:x5",
        "claude-code:c7",
        "codex:x7",
        "claude-code:c9",
        "codex:x9",
      ]);
      expect(found.conversations.map(({ endedAt }) => endedAt)).toEqual(
        [5, 5, 7, 7, 9, 9].map((hours) => noon + hours * hour),
      );
      expect(found.older).toBe(4);
      const { harvested } = found;
      expect(idsOf(await harvest({ ...usual, sources, project, harvested, since: noon + 4 * hour }))).toEqual(
        [],
      );
    }
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

test("fault 17: what a cap leaves behind comes on the next nights, newest first, and nothing comes twice", async () => {
  const project = await tempDir();
  const ids = Array.from({ length: 7 }, (_, index) => `n${index}`);
  const home = await usedHome(
    // three of them changed at one instant
    ids.map((id, index) => ({
      agent: index % 2 === 0 ? "codex" : "claude-code",
      id,
      at: noon + Math.min(index, 4) * hour,
      folder: project,
    })),
  );
  const sources = openSources({ home, env: {} });
  const nights: string[][] = [];
  let harvested: Harvested = {};
  for (let night = 0; night < 5; night++) {
    const found = await harvest({ ...usual, sources, project, harvested, max: 2 });
    nights.push([...idsOf(found)]);
    expect(found.left).toBe(Math.max(0, 7 - 2 * (night + 1)));
    // kept as JSON between nights
    harvested = JSON.parse(JSON.stringify(found.harvested));
  }
  expect(nights).toEqual([
    ["codex:n4", "codex:n6"],
    ["claude-code:n3", "claude-code:n5"],
    ["claude-code:n1", "codex:n2"],
    ["codex:n0"],
    [],
  ]);
});

test("fault 17: over any conversations, caps and later additions, every conversation comes exactly once", async () => {
  const names = ["claude-code", "codex", "pi"] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ source: fc.constantFrom(...names), at: fc.nat(6) }), { maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (made, max) => {
        const all = made.map(({ source, at }, index) => ({
          source,
          ref: { id: `${source}:${index}`, changedAt: at, path: "" },
        }));
        const sources = names.map((name) =>
          inMemory(
            name,
            all.filter(({ source }) => source === name).map(({ ref }) => ref),
          ),
        );
        const seen: string[] = [];
        let harvested: Harvested = {};
        for (let night = 0; night <= all.length; night++) {
          const found = await harvest({ ...usual, sources, project: "/p", harvested, max });
          expect(found.conversations.length).toBe(Math.min(max, all.length - seen.length));
          seen.push(...idsOf(found));
          harvested = found.harvested;
        }
        expect(seen.toSorted()).toEqual(all.map(({ ref }) => ref.id).toSorted());
      },
    ),
  );
});

test("fault 17: what a night passed over for its age is counted, and comes once one looks further back", async () => {
  const project = await tempDir();
  const home = await usedHome(
    [1, 2, 3].map((hours) => ({ agent: "codex", id: `x${hours}`, at: noon + hours * hour, folder: project })),
  );
  const sources = openSources({ home, env: {} });
  const { harvested, older, ...first } = await harvest({
    ...usual,
    sources,
    project,
    since: noon + 3 * hour,
  });
  expect([idsOf(first), older]).toEqual([["codex:x3"], 2]);
  const second = await harvest({ ...usual, sources, project, harvested });
  expect([idsOf(second), second.older]).toEqual([["codex:x1", "codex:x2"], 0]);
});

test("fault 17: conversations of folders above and beside the project are not taken, those below it are", async () => {
  const root = await tempDir({ "work/app/packages/a/x": "", "work/app-two/x": "" });
  const project = join(root, "work/app");
  await symlink(project, join(root, "link"));
  const folders = {
    home: root,
    above: join(root, "work"),
    itself: project,
    below: join(project, "packages/a"),
    gone: join(project, "gone/by/now"),
    beside: `${project}-two`,
    linked: join(root, "link"),
    out: join(project, "..", "app-two"),
  };
  const home = await usedHome(
    Object.entries(folders).flatMap(([id, folder]) => [
      { agent: "claude-code" as const, id, at: noon, folder },
      { agent: "codex" as const, id, at: noon, folder },
    ]),
  );
  const mine = ["below", "gone", "itself", "linked"];
  for (const asked of [project, join(root, "link")]) {
    const found = await harvest({ ...usual, sources: openSources({ home, env: {} }), project: asked });
    expect(idsOf(found)).toEqual([
      ...mine.map((id) => `claude-code:${id}`),
      ...mine.map((id) => `codex:${id}`),
    ]);
    expect(found.skipped).toEqual([]);
  }
});

test("fault 18: the same words give the same turns whichever agent they were said to", async () => {
  const words = { prompt: "  Use “pnpm”.\u2028Never npm.\n", folder: recordedProject, at: noon };
  const home = await usedHome([
    { agent: "claude-code", id: "one", ...words },
    { agent: "codex", id: "one", ...words },
  ]);
  const { conversations } = await harvest({
    ...usual,
    sources: openSources({ home, env: {} }),
    project: recordedProject,
  });
  const [claude, codex] = conversations.map(({ turns, project, startedAt, files }) => ({
    turns,
    project,
    startedAt,
    files,
  }));
  expect(claude).toEqual(codex);
  expect(claude?.turns).toEqual([{ prompt: "Use “pnpm”.\u2028Never npm.", answer: "" }]);
});

test("a conversation that goes on comes again, whole", async () => {
  const project = await tempDir();
  const home = await usedHome([{ agent: "codex", id: "x", at: noon, folder: project }]);
  const sources = [codexSource({ home: join(home, ".codex") })];
  const { harvested } = await harvest({ ...usual, sources, project });
  const later = await usedHome([
    { agent: "codex", id: "x", at: noon + hour, folder: project, prompt: "More." },
  ]);
  const again = [codexSource({ home: join(later, ".codex") })];
  expect(idsOf(await harvest({ ...usual, sources: again, project, harvested }))).toEqual(["codex:x"]);
});

test("what is excluded is skipped with the pattern, and does not count against the cap", async () => {
  const home = await fixtureHome("claude-code");
  const sources = [claudeCodeSource({ home })];
  const why = async (exclude: readonly string[]) => {
    const { skipped, conversations } = await harvest({
      ...usual,
      sources,
      project: recordedProject,
      exclude,
    });
    return { skipped: skipped.map((each) => each.why), kept: conversations.length };
  };
  expect(await why([])).toEqual({ skipped: [], kept: 6 });
  expect(await why(["PNPM"])).toEqual({ skipped: ['It is excluded by "PNPM".'], kept: 5 });
  expect(await why(["hello2.*"])).toEqual({ skipped: ['It is excluded by "hello2.*".'], kept: 5 });
  expect((await why(["feature-*"])).kept).toBe(2);
  expect((await why(["docs/**", "*.py", ""])).kept).toBe(6);
  const capped = await harvest({
    ...usual,
    sources,
    project: recordedProject,
    exclude: ["feature-*"],
    max: 3,
  });
  expect([capped.conversations.length, capped.left]).toEqual([2, 0]);
});

test("a conversation of which nothing can be made is left out and named", async () => {
  const project = await tempDir();
  const home = await usedHome([
    { agent: "codex", id: "a", at: noon, folder: project, prompt: "Readable." },
    { agent: "codex", id: "b", at: noon + 1, folder: project, prompt: "Unreadable." },
  ]);
  const prepare = async ({ turns }: RawConversation) => {
    if (turns[0]?.prompt === "Unreadable.") throw new Error("no.");
    return turns[0]?.prompt;
  };
  const found = await harvest({ ...usual, sources: openSources({ home, env: {} }), project, prepare });
  expect(found.conversations).toEqual(["Readable."]);
  expect(found.skipped).toEqual([{ id: "codex:b", why: "It couldn't be read: no." }]);
});

test("a source that cannot be read is named, forgets nothing, and the others go on", async () => {
  const project = await tempDir({
    "opencode.db": "this is no database, and it is long enough to be read as one".repeat(20),
  });
  const home = await usedHome([{ agent: "codex", id: "x", at: noon, folder: project }]);
  const sources = openSources({ home, env: {}, places: { opencode: project } });
  const harvested = { opencode: { "opencode:old": 5 } };
  const found = await harvest({ ...usual, sources, project, harvested });
  expect(idsOf(found)).toEqual(["codex:x"]);
  expect(found.skipped).toEqual([
    { id: "opencode", why: expect.stringContaining("opencode.db couldn't be read") },
  ]);
  expect(found.harvested).toMatchObject(harvested);
});

function inMemory(
  name: SourceName,
  refs: readonly { readonly id: string; readonly changedAt: number; readonly path: string }[],
): TranscriptSource {
  return {
    name,
    place: name,
    list: ({ since }) => Promise.resolve(refs.filter(({ changedAt }) => changedAt >= since)),
    read: ({ id, changedAt }) =>
      Promise.resolve({
        id,
        source: name,
        project: "/p",
        startedAt: changedAt,
        endedAt: changedAt,
        turns: [{ prompt: id, answer: "" }],
        tools: [],
        skills: [],
        files: [],
        toolOutputs: [],
      }),
  };
}

/** A source whose conversations hold prompts or none, as a reader of today sees them. */
const sourceOf = (version: string, empty: readonly boolean[]): TranscriptSource => ({
  name: "claude-code",
  place: "",
  list: async () =>
    empty.map((_, at) => ({ id: `claude-code:${version}-${at}`, changedAt: noon + at, path: "" })),
  read: async ({ id }) => {
    if (empty[Number(id.split("-").at(-1))] === true)
      return { skipped: "Nobody typed a prompt in it.", isEmpty: true, version };
    const turns = [{ prompt: "Do it.", answer: "" }];
    const rest = { tools: [], skills: [], files: [], toolOutputs: [] };
    return { id, source: "claude-code", version, project: "/p", startedAt: 1, endedAt: 2, turns, ...rest };
  },
});

test("where far fewer prompts are found than usual, the agent writes differently, and its conversations wait", async () => {
  const usually = Array.from({ length: 20 }, (_, at) => at === 3);
  const before = await harvest({ ...usual, sources: [sourceOf("2.1.0", usually)], project: "/p" });
  expect([before.strange, before.usual]).toEqual([[], { "claude-code": { looked: 20, empty: 1 } }]);
  const { harvested, usual: seen } = before;
  const now = sourceOf("9.9.9", [true, true, true, true, false]);
  const strange = await harvest({ ...usual, harvested, usual: seen, sources: [now], project: "/p" });
  expect(strange.strange).toEqual(["The format of Claude Code 9.9.9 has changed: 4 conversations wait."]);
  expect(strange.conversations).toHaveLength(1);
  const mended = sourceOf("9.9.9", Array(5).fill(false));
  const later = await harvest({ ...usual, ...strange, sources: [mended], project: "/p" });
  expect([later.strange, idsOf(later)]).toEqual([[], [0, 1, 2, 3].map((at) => `claude-code:9.9.9-${at}`)]);
});

test("an agent that was never read writes differently only where nothing is found in many conversations", async () => {
  const strangeOf = async (count: number) =>
    (await harvest({ ...usual, sources: [sourceOf("1.0", Array(count).fill(true))], project: "/p" })).strange;
  expect([await strangeOf(4), await strangeOf(14)]).toEqual([
    [],
    ["The format of Claude Code 1.0 has changed: 14 conversations wait."],
  ]);
});

test("a conversation that could not be read is tried again", async () => {
  const broken: TranscriptSource = {
    ...sourceOf("1.0", [false]),
    read: () => Promise.reject(new Error("no such table")),
  };
  const { harvested, skipped } = await harvest({ ...usual, by: "1 a", sources: [broken], project: "/p" });
  expect(skipped).toHaveLength(1);
  const again = await harvest({
    ...usual,
    harvested,
    by: "1 a",
    sources: [sourceOf("1.0", [false])],
    project: "/p",
  });
  expect(again.conversations).toHaveLength(1);
});
