import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsOf } from "../../../test/support/docs/read-commands.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { typeWhetstone } from "../../../test/support/type-whetstone.ts";
import { createDemo } from "../../run/demo-world.ts";

const root = join(import.meta.dirname, "../../..");

test("after the demo, what it prints and what README and docs show next is typed as it is, and changes whetstone-demo/SKILL.md and back", async () => {
  const dir = await tempDir({ "SKILL.md": "mine\n" });
  const type = (command: string) => {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("whetstone");
    return typeWhetstone(dir, args);
  };
  const live = () => readFileSync(join(dir, "whetstone-demo/SKILL.md"), "utf8");
  const { skill, world } = createDemo({ seed: 1 });

  const demo = await type("whetstone demo");
  expect([demo.code, demo.err]).toEqual([0, ""]);
  expect(live()).toBe(skill);
  const printed = [...demo.out.matchAll(/^ {11}(whetstone .+)$/gm)].map(([, command = ""]) => command);
  expect(printed.map((command) => command.split(" ")[1])).toEqual(["diff", "adopt", "undo"]);
  const shown = ["README.md", "docs/five-minutes.md"].map((page) =>
    commandsOf(page, readFileSync(join(root, page), "utf8"))
      .filter(({ mark = "" }) => mark.includes("src/apps/cli/demo.test.ts"))
      .map(({ text }) => text),
  );
  const steps = ["whetstone demo", "whetstone diff", "whetstone adopt", "whetstone undo"];
  for (const commands of shown) expect(commands).toEqual(steps);

  for (const [diff = "", adopt = "", undo = ""] of [printed, steps.slice(1)]) {
    const change = await type(diff);
    expect([change.code, change.err]).toEqual([0, ""]);
    expect(change.out).toMatch(/: better\. [^]*\n\+- Parcels of /);
    expect(await type(adopt)).toMatchObject({ code: 0, err: "" });
    expect(world.rulesIn(live()).held.length).toBeGreaterThan(world.rulesIn(skill).held.length);
    expect(await type(undo)).toMatchObject({ code: 0, err: "" });
    expect(live()).toBe(skill);
  }

  // a person's own text in its place is never written over
  writeFileSync(join(dir, "whetstone-demo/SKILL.md"), "my own\n");
  const again = await type("whetstone demo");
  expect(again.code).toBe(0);
  expect(again.out).toContain("(it existed, and is unchanged)");
  expect(await type("whetstone adopt")).toMatchObject({
    code: 2,
    err: expect.stringContaining("live-changed"),
  });
  expect([live(), readFileSync(join(dir, "SKILL.md"), "utf8")]).toEqual(["my own\n", "mine\n"]);
  expect(existsSync(join(dir, ".whetstone"))).toBe(true);
});
