import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { controlledHere, openControlGroup } from "./control-group.ts";

const here = controlledHere();
const limits = { tasks: 20, memoryMb: 64 };
const foldersOf = ({ words }: { readonly words: readonly string[] }): readonly string[] =>
  words.filter((word) => word.endsWith("/cgroup.procs")).map(dirname);

test("without anything to control, a command line has no words before it", () => {
  using group = openControlGroup(limits, []);
  expect(group.words).toEqual([]);
  expect(group.overdrawn()).toBe(false);
});

test.runIf(here.includes("memory"))("memory beyond the limit is refused by the kernel, and told", () => {
  using group = openControlGroup(limits);
  const run = (bytes: number) => {
    const [program, ...words] = [...group.words, "perl", "-e", `my $all = "x" x ${bytes}; print "done"`];
    return spawnSync(program, words, { encoding: "utf8" }).stdout;
  };
  expect(run(1e6)).toBe("done");
  expect(group.overdrawn()).toBe(false);
  expect(run(2e8)).toBe("");
  expect(group.overdrawn()).toBe(true);
});

test.runIf(here.includes("processes"))("no more processes than allowed, and no group is left", async () => {
  const group = openControlGroup(limits);
  const script =
    "for (1 .. 60) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 5; exit } $n++ } print $n; kill 9, -$$";
  const [program, ...words] = [...group.words, "setsid", "--wait", "perl", "-e", `$| = 1; ${script}`];
  const { stdout } = spawnSync(program, words, { encoding: "utf8" });
  expect(Number(stdout)).toBeGreaterThan(5);
  expect(Number(stdout)).toBeLessThan(20);
  const folders = foldersOf(group);
  group[Symbol.dispose]();
  // one that a dying process is still in goes with a later one
  const left = () => {
    openControlGroup(limits)[Symbol.dispose]();
    return folders.filter((folder) => existsSync(folder));
  };
  await expect.poll(left).toEqual([]);
});

test.runIf(here.length > 0)("groups of a process that was killed are removed by the next one", () => {
  const source = `import { openControlGroup } from ${JSON.stringify(join(import.meta.dirname, "control-group.ts"))};
    console.log(openControlGroup({ tasks: 20, memoryMb: 64 }).words.join("\\n"));
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  const dead = foldersOf({ words: stdout.split("\n") });
  expect(dead.filter((folder) => existsSync(folder))).toHaveLength(dead.length);
  openControlGroup(limits)[Symbol.dispose]();
  expect(dead.filter((folder) => existsSync(folder))).toEqual([]);
});
