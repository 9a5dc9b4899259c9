import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { findCli } from "./find-cli.ts";

let root: string;
beforeEach(async () => {
  root = realpathSync(await tempDir());
});

const cli = { name: "robot", program: "robot", packageName: "@robots/robot" };
const script = "#!/bin/sh\necho 'robot 1.2.3-beta.1 (Robot)'\n";

test("an npm install is mounted with its whole node_modules", async () => {
  const folder = join(root, "lib/node_modules/@robots/robot/bin");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, "bin"));
  writeFileSync(join(folder, "robot.js"), script, { mode: 0o755 });
  symlinkSync(join(folder, "robot.js"), join(root, "bin/robot"));
  expect(await findCli(cli, {}, { PATH: `/nowhere:${root}/bin` })).toEqual({
    program: join(folder, "robot.js"),
    mount: join(root, "lib/node_modules"),
    within: "@robots/robot/bin/robot.js",
    version: "1.2.3-beta.1",
  });
});

test("a single binary is mounted alone, and `command` names it", async () => {
  const file = join(root, "robot-native");
  writeFileSync(file, script, { mode: 0o755 });
  expect(await findCli(cli, { command: file }, {})).toMatchObject({ mount: file, within: "" });
});

test("a missing agent says how to install it", async () => {
  await expect(findCli(cli, {}, { PATH: root })).rejects.toMatchObject({
    code: "agent-missing",
    hint: "Install it: npm install -g @robots/robot",
  });
});

test("a program that tells no version is not taken for the agent", async () => {
  writeFileSync(join(root, "robot"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  await expect(findCli(cli, {}, { PATH: root })).rejects.toMatchObject({ code: "agent-missing" });
});

test("what only a shell of Windows starts is refused, with the way that works", async () => {
  const file = join(root, "robot.cmd");
  writeFileSync(file, "@node robot.js %*\r\n", { mode: 0o755 });
  await expect(findCli(cli, { command: file }, {})).rejects.toMatchObject({
    code: "agent-missing",
    hint: expect.stringContaining("WSL") as string,
  });
});
