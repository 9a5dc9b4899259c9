import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandsOf } from "../../../test/support/docs/read-commands.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createDemo } from "../../run/demo-world.ts";

const main = fileURLToPath(new URL("../../../test/support/person-cli.ts", import.meta.url));
const root = join(import.meta.dirname, "../../..");

test("after the demo, what it prints and what README and docs show next is typed as it is, and changes whetstone-demo/SKILL.md and back", async () => {
  const dir = await tempDir({ "SKILL.md": "mine\n" });
  const type = (command: string) => {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("whetstone");
    const env = {
      PATH: process.env["PATH"],
      HOME: dir,
      NO_COLOR: "1",
      XDG_STATE_HOME: process.env["XDG_STATE_HOME"],
    };
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      cwd: dir,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const live = () => readFileSync(join(dir, "whetstone-demo/SKILL.md"), "utf8");
  const { skill, world } = createDemo({ seed: 1 });

  const demo = type("whetstone demo");
  expect([demo.status, demo.stderr]).toEqual([0, ""]);
  expect(live()).toBe(skill);
  const printed = [...demo.stdout.matchAll(/^ {11}(whetstone .+)$/gm)].map(([, command = ""]) => command);
  expect(printed.map((command) => command.split(" ")[1])).toEqual(["diff", "adopt", "undo"]);
  const shown = ["README.md", "docs/five-minutes.md"].map((page) =>
    commandsOf(page, readFileSync(join(root, page), "utf8"))
      .filter(({ mark = "" }) => mark.includes("src/apps/cli/demo.test.ts"))
      .map(({ text }) => text),
  );
  const steps = ["whetstone demo", "whetstone diff", "whetstone adopt", "whetstone undo"];
  for (const commands of shown) expect(commands).toEqual(steps);

  for (const [diff = "", adopt = "", undo = ""] of [printed, steps.slice(1)]) {
    const change = type(diff);
    expect([change.status, change.stderr]).toEqual([0, ""]);
    expect(change.stdout).toMatch(/: better\. [^]*\n\+- Parcels of /);
    expect(type(adopt)).toMatchObject({ status: 0, stderr: "" });
    expect(world.rulesIn(live()).held.length).toBeGreaterThan(world.rulesIn(skill).held.length);
    expect(type(undo)).toMatchObject({ status: 0, stderr: "" });
    expect(live()).toBe(skill);
  }

  // a person's own text in its place is never written over
  writeFileSync(join(dir, "whetstone-demo/SKILL.md"), "my own\n");
  const again = type("whetstone demo");
  expect(again.status).toBe(0);
  expect(again.stdout).toContain("(it was there, and stays as it is)");
  expect(type("whetstone adopt")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("live-changed"),
  });
  expect([live(), readFileSync(join(dir, "SKILL.md"), "utf8")]).toEqual(["my own\n", "mine\n"]);
  expect(existsSync(join(dir, ".whetstone"))).toBe(true);
});
