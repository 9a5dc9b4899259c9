import { copyFileSync, mkdirSync, realpathSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { cursorSource } from "./cursor.ts";
import { looked, ran, wrote } from "../../../../test/support/reminders/recorded-calls.ts";

const fixtures = join(import.meta.dirname, "../../../../test/fixtures/transcripts/cursor");
const id = "7d0c1b0e-52a5-4b52-9a0f-3f5f0e4f7a11";
const lastChange = Date.UTC(2026, 8, 28, 7, 20);

let home: string;
beforeEach(async () => {
  home = realpathSync(await tempDir());
});

/** Puts the recorded conversation where Cursor would. */
function keep(slug: string, file: string, { trusted }: { readonly trusted: boolean }): void {
  const path = join(home, "projects", slug, "agent-transcripts", file);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(fixtures, `${id}.jsonl`), path);
  utimesSync(path, lastChange / 1000, lastChange / 1000);
  if (trusted)
    copyFileSync(
      join(fixtures, "workspace-trusted.json"),
      join(home, "projects", slug, ".workspace-trusted"),
    );
}

const inShop = { project: "/home/dev/shop", since: 0 };

test("a conversation: what was typed, the last answers, tools, skills and written files", async () => {
  keep("home-dev-shop", `${id}/${id}.jsonl`, { trusted: true });
  const source = cursorSource({ home });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toEqual({
    calls: [
      looked(1),
      wrote(1, "src/cart.ts"),
      ran(1, "npm", "install", "decimal.js"),
      wrote(2, "package-lock.json"),
      ran(2, "pnpm", "add", "decimal.js"),
    ],
    id: `cursor:${id}`,
    source: "cursor",
    project: "/home/dev/shop",
    startedAt: lastChange,
    endedAt: lastChange,
    turns: [
      {
        prompt: "Add a discount to the cart and install what you need",
        answer: "The cart takes a discount now; I ran npm install decimal.js.",
      },
      { prompt: "no, use pnpm instead", answer: "Done with pnpm." },
    ],
    tools: ["Read", "StrReplace", "Shell", "Delete"],
    skills: ["release-notes", "money"],
    files: ["src/cart.ts", "package-lock.json"],
    heard: expect.any(Array),
    toolOutputs: [],
  });
});

test("fault 12: Cursor writes no times, so the file's own instant counts, in every time zone alike", async () => {
  keep("home-dev-shop", `${id}/${id}.jsonl`, { trusted: true });
  const source = cursorSource({ home });
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const zone of ["Asia/Shanghai", "America/Los_Angeles", "UTC"]) {
    vi.stubEnv("TZ", zone);
    expect(await source.list({ ...inShop, since: lastChange })).toMatchObject([{ changedAt: lastChange }]);
    expect(await source.list({ ...inShop, since: lastChange + 1 })).toEqual([]);
  }
});

test("what a subagent wrote is nobody's conversation", async () => {
  keep("home-dev-shop", `${id}/subagents/child.jsonl`, { trusted: true });
  keep("home-dev-shop", "flat.jsonl", { trusted: true });
  expect((await cursorSource({ home }).list(inShop)).map((ref) => ref.id)).toEqual(["cursor:flat"]);
});

test("another project's folder is not looked into, and neither is the one above", async () => {
  keep("home-dev-shop", "flat.jsonl", { trusted: true });
  const source = cursorSource({ home });
  expect(await source.list({ project: "/home/dev/shop-admin", since: 0 })).toEqual([]);
  expect(await source.list({ project: "/home/dev/shop/packages", since: 0 })).toEqual([]);
  expect(await source.list({ project: "/home/dev", since: 0 })).toHaveLength(1);
});

test("without a note the folder's name says which one it was, unless two folders share that name", async () => {
  const project = join(home, "work", "my-app");
  mkdirSync(project, { recursive: true });
  const slug = project.slice(1).replace(/[^A-Za-z0-9]+/g, "-");
  keep(slug, "flat.jsonl", { trusted: false });
  const source = cursorSource({ home });
  const refs = await source.list({ project, since: 0 });
  expect(refs).toHaveLength(1);
  expect(await source.read(refs[0]!)).toMatchObject({ project });

  mkdirSync(join(home, "work", "my", "app"), { recursive: true });
  expect(await source.list({ project, since: 0 })).toEqual([]);
});

test("somebody who never used it has no conversations", async () => {
  expect(await cursorSource({ home: join(home, "nowhere") }).list(inShop)).toEqual([]);
});
