import { expect, test } from "vitest";
import { capturedIo } from "../../../test/support/captured-io.ts";
import schema from "../../config/config.schema.json" with { type: "json" };
import { commandKinds } from "./command-kinds.ts";
import { configFlags } from "../../config/config-flags.ts";
import { commandGroups, firstWeek, usualFlags } from "./help.ts";
import { createProgram } from "./program.ts";

async function helpOf(...words: readonly string[]): Promise<readonly string[]> {
  const { io, text } = capturedIo("/");
  const args = [...words];
  await createProgram(io, "0", args)
    .parseAsync(["node", "whetstone", ...args])
    .catch(() => {});
  return text().split("\n");
}

const flagsIn = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1] ?? []);

test("every command has its group in the help, and every group its commands", async () => {
  const names = [...new Set(Object.keys(commandKinds).map((words) => words.split(" ")[0] ?? ""))];
  expect(Object.values(commandGroups).flatMap(Object.keys).toSorted()).toEqual(names.toSorted());
  const headings = (lines: readonly string[]) =>
    lines.filter((line) => line.endsWith(":") && !line.startsWith(" "));
  const [all, short] = [await helpOf("--help", "all"), await helpOf("--help")];
  expect(headings(all)).toEqual(["Options:", ...Object.keys(commandGroups), "Examples:"]);
  expect(headings(short)).toEqual(["Options:", "Your first week:", "Examples:"]);
  const from = short.indexOf("Your first week:") + 1;
  const listed = short.slice(from, from + firstWeek.length).map((line) => line.trim().split(" ")[0]);
  expect(new Set(listed)).toEqual(new Set(firstWeek));
  expect(short).toContain(`${names.length - firstWeek.length} more commands: whetstone --help all`);
});

test.each(["", "sleep", "journal", ...Object.keys(commandKinds)])(
  "the help of `%s` fits 80 columns and is short",
  async (words) => {
    const lines = await helpOf(...words.split(" ").filter(Boolean), "--help");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(61);
    expect(lines.length).toBeGreaterThan(3);
  },
);

test.each(Object.entries(usualFlags))(
  "%s shows its usual flags, and with `all` the rest",
  async (words, usual) => {
    const [short, all] = [
      await helpOf(...words.split(" "), "--help"),
      await helpOf(...words.split(" "), "--help", "all"),
    ];
    expect(flagsIn(short)).toEqual(expect.arrayContaining([...usual]));
    const rare = flagsIn(all).filter((flag) => !flagsIn(short).includes(flag));
    expect(rare.length).toBeGreaterThan(5);
    expect(short).toContain(`${rare.length} more flags: whetstone ${words} --help all`);
    expect(all.join("\n")).not.toContain("more flags");
  },
);

test("a verb lists only flags that it reads", async () => {
  const flagsOf = async (words: string) => flagsIn(await helpOf(words, "--help", "all"));
  for (const words of ["eval", "compare", "prune"])
    for (const flag of ["--epochs", "--effort", "--edit-budget", "--gate", "--metric"])
      expect(await flagsOf(words)).not.toContain(flag);
  expect(await flagsOf("prune")).not.toContain("--trials");
});

test.each([
  ["sleep init", ["--attempts", "--trials", "--sandbox", "--gate", "--verbose", "--offline"]],
  ["sleep preview", ["--attempts", "--trials", "--sandbox", "--gate", "--verbose", "--telemetry"]],
  ["sleep dry-run", ["--verbose", "--telemetry", "--offline", "--call-seconds"]],
  ["sleep harvest", ["--attempts", "--trials", "--gate", "--max-tasks", "--edit-budget"]],
])("%s lists no flag that it does not use", async (words, unused) => {
  const all = flagsIn(await helpOf(...words.split(" "), "--help", "all"));
  expect(all).toContain("--lookback");
  expect(all.filter((flag) => unused.includes(flag))).toEqual([]);
});

test("a mistyped rare flag is still known", async () => {
  const { io } = capturedIo("/");
  const args = ["train", "--minibatch-sizes", "3"];
  await expect(createProgram(io, "0", args).parseAsync(["node", "whetstone", ...args])).rejects.toThrow(
    "--minibatch-size",
  );
});

interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
}

const within = ({ properties, anyOf = [] }: Shape, key: string): Shape | undefined =>
  properties?.[key] ?? anyOf.flatMap((one) => one.properties?.[key] ?? [])[0];

test.each(configFlags)("$flag: a key that takes a number has a flag that reads one", ({ path, flag }) => {
  const key = path
    .split(".")
    .reduce<Shape | undefined>((at, name) => at && within(at, name), schema as Shape);
  expect(key).toBeDefined();
  const isNumber = key?.type === "number" || key?.type === "integer";
  expect(!isNumber || /<(?:n|t|share)>$/.test(flag)).toBe(true);
});
