import { mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTree } from "../../../test/support/adopt/workshop.ts";
import { forgeReceipt, planted } from "../../../test/support/forge-receipt.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { adopt, diff, review, undo } from "./proposals.ts";

/** What a command came to: an error's code, or the kind of its result. */
const outcome = (command: Promise<unknown>): Promise<string> =>
  command.then(
    () => "done",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );

/** As a person who typed `--journal .whetstone`; without it nothing of the clone is even seen. */
const at = (cwd: string) => ({ cwd, journal: ".whetstone" });

test("a proposal that a clone brings along isn't known to any command", async () => {
  const cwd = realpathSync(await tempDir({}));
  const run = forgeReceipt(cwd, { target: join(cwd, "CLAUDE.md"), live: join(cwd, "CLAUDE.md") });
  expect(await review({ cwd })).toMatchObject({ waiting: [] });
  for (const command of [diff({ cwd, run }), adopt({ cwd, run }), undo({ cwd, run }), review({ cwd, run })])
    expect(await outcome(command)).toBe("not-found");
});

/** Every way to look at, choose from, adopt and take back the clone's proposal. */
const commands = {
  review: ({ cwd }) => review({ ...at(cwd) }),
  "review of one": ({ cwd, run }) => review({ ...at(cwd), run }),
  choose: ({ cwd, run }) => review({ ...at(cwd), run, accept: ["r1aaaaaa"] }),
  reject: ({ cwd, run }) => review({ ...at(cwd), run, reject: { r1aaaaaa: "no" } }),
  diff: ({ cwd, run }) => diff({ ...at(cwd), run }),
  check: ({ cwd, run }) => adopt({ ...at(cwd), run, check: true }),
  adopt: ({ cwd, run }) => adopt({ ...at(cwd), run }),
  undo: ({ cwd, run }) => undo({ ...at(cwd), run }),
} satisfies Readonly<Record<string, (at: { cwd: string; run: string }) => Promise<unknown>>>;
const looks = ["review", "review of one", "choose", "reject", "diff", "check"] as const;

test.each(Object.keys(commands) as (keyof typeof commands)[])(
  "%s writes no file outside of the project for a receipt that somebody forged",
  async (name) => {
    const home = realpathSync(await tempDir({}));
    const victim = join(home, ".bash_aliases");
    // filed under the very file, and under another
    for (const target of [victim, "/x"]) {
      const cwd = realpathSync(await tempDir({ "CLAUDE.md": "# R\n" }));
      const run = forgeReceipt(cwd, { target, live: victim });
      expect(await outcome(commands[name]({ cwd, run }))).toMatch(/^(?:done|[a-z]+(?:-[a-z]+)*)$/);
      expect(readTree(home)).toEqual(new Map());
    }
  },
);

test.each(looks)("%s finishes no adoption in the project either", async (name) => {
  const cwd = realpathSync(await tempDir({}));
  const live = join(cwd, "CLAUDE.md");
  const run = forgeReceipt(cwd, { target: live, live });
  await outcome(commands[name]({ cwd, run }));
  expect([...readTree(cwd).keys()]).not.toContain("CLAUDE.md");
  await outcome(adopt({ ...at(cwd), run }));
  expect(readFileSync(live, "utf8")).toBe(planted);
});

test("adopt follows no link out of the project, and leaves git's own folder alone", async () => {
  const home = realpathSync(await tempDir({}));
  const cwd = realpathSync(await tempDir({}));
  symlinkSync(home, join(cwd, "docs"));
  mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
  for (const [path, code] of [
    ["docs/.bash_aliases", "live-changed"],
    [".git/hooks/pre-commit", "not-allowed"],
  ] as const) {
    const live = join(cwd, path);
    const run = forgeReceipt(cwd, { target: live, live });
    expect(await outcome(adopt({ ...at(cwd), run }))).toBe(code);
    expect(await outcome(undo({ ...at(cwd), run }))).toBe(code);
  }
  expect(readTree(home)).toEqual(new Map());
  expect([...readTree(join(cwd, ".git")).keys()].filter((name) => name.includes("pre-commit"))).toEqual([]);
});
