import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import type { Digest } from "../../../core/ports/conversation.ts";
import { toAtif } from "../../../sleep/night/to-atif.ts";
import { atifSource } from "./atif.ts";

const fixture = join(import.meta.dirname, "../../../../test/fixtures/transcripts/atif/trajectory.json");
const inShop = { project: "/home/dev/shop", since: 0 };

let folder: string;
beforeEach(async () => {
  folder = await tempDir();
});

test("a conversation from a trajectory of ATIF v1.7", async () => {
  copyFileSync(fixture, join(folder, "trajectory.json"));
  const source = atifSource({ folder });
  const [ref] = await source.list(inShop);
  expect(await source.read(ref!)).toEqual({
    id: "atif:harbor-trial-17",
    source: "atif",
    project: "/home/dev/shop",
    branch: "feature/discount",
    commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    startedAt: Date.UTC(2026, 8, 28, 7, 14),
    endedAt: Date.UTC(2026, 8, 28, 7, 19, 30),
    turns: [
      {
        prompt: "Add a discount to the cart and install what you need",
        answer: "The cart takes a discount now; I ran npm install decimal.js.",
      },
      { prompt: "no, use pnpm instead", answer: "Done with pnpm." },
    ],
    tools: ["read_file", "write_file"],
    skills: ["money"],
    files: ["src/cart.ts"],
    heard: expect.any(Array),
    toolOutputs: ["# Money\nPrices are integers of cents, always.", "wrote 1 file"],
  });
});

test("one that names no folder, or another one, belongs to nobody here; other files are no trajectories", async () => {
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  write("a.json", { schema_version: "ATIF-v1.7", steps: [] });
  write("b.json", { schema_version: "ATIF-v1.7", steps: [], extra: { cwd: "/home/dev/other" } });
  write("c.json", { schema_version: "ATIF-v2.0", steps: [], extra: { cwd: "/home/dev/shop" } });
  writeFileSync(join(folder, "d.json"), "{");
  const source = atifSource({ folder });
  const refs = await source.list(inShop);
  expect(refs.map((ref) => ref.id)).toEqual(["atif:c"]);
  expect(await source.read(refs[0]!)).toEqual({ skipped: "It is no trajectory of ATIF v1." });
});

test("a digest that was written as a trajectory comes back as it was", async () => {
  const digest: Digest = {
    v: 1,
    id: "codex:42",
    source: "codex",
    project: "/home/dev/shop",
    branch: "main",
    commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    startedAt: 1790500000000,
    endedAt: 1790500060000,
    turns: [
      { prompt: "one", answer: "first" },
      { prompt: "two", answer: "" },
      { prompt: "three", answer: "last" },
    ],
    tools: ["shell"],
    skills: ["money"],
    files: ["src/cart.ts"],
    untrusted: ["f1"],
  };
  writeFileSync(join(folder, "out.json"), JSON.stringify(toAtif(digest)));
  const source = atifSource({ folder });
  const [ref] = await source.list(inShop);
  const { v: _v, untrusted: _untrusted, ...rest } = digest;
  expect(await source.read(ref!)).toEqual({
    ...rest,
    id: "atif:codex:42",
    source: "atif",
    toolOutputs: [],
    heard: [0, 0, 0],
  });
});

test("step numbers of a written trajectory count from one without a gap, as the format asks", () => {
  const digest = {
    turns: [
      { prompt: "a", answer: "" },
      { prompt: "b", answer: "c" },
    ],
    startedAt: 1e12,
    endedAt: 2e12,
  };
  const { steps } = toAtif({ ...(digest as unknown as Digest) });
  expect(steps.map((step) => [step.step_id, step.source])).toEqual([
    [1, "user"],
    [2, "user"],
    [3, "agent"],
  ]);
});
