import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandsOfWord } from "../src/apps/cli/command-kinds.ts";
import { projectFolder } from "../src/config/state-folder.ts";
import { forgetFailures, noteFailure } from "../src/sleep/failures.ts";
import { tempDir } from "./support/temp-dir.ts";

const root = join(import.meta.dirname, "..");
const plugin = join(root, "plugins/whetstone");

const run = (event: object, program = "session") =>
  spawnSync(process.execPath, [join(plugin, `hooks/${program}.mjs`)], {
    input: JSON.stringify(event),
    encoding: "utf8",
  });

test("the end of a conversation leaves its id where somebody opted in, and nothing elsewhere", async () => {
  const project = join(await tempDir({ "büro & co/src/a.ts": "" }), "büro & co");
  // as the program files it: the hook works the name out by itself
  const folder = join(projectFolder(project), "sleep");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "consent.json"), "{}");
  const event = {
    session_id: "40d6bf1b-b23f",
    cwd: join(project, "src"),
    hook_event_name: "SessionEnd",
    reason: "exit",
  };
  const { status, stdout, stderr } = run(event);
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
  expect(readFileSync(join(folder, "ended"), "utf8")).toBe("40d6bf1b-b23f\n");
  // worktrees of one repository share what was consented to
  const linked = join(await tempDir(), "linked");
  for (const words of [
    ["init", "-q"],
    ["commit", "-q", "--allow-empty", "-m", "x"],
    ["worktree", "add", "-q", linked],
  ])
    execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...words]);
  run({ ...event, cwd: linked });
  expect(readFileSync(join(folder, "ended"), "utf8")).toBe("40d6bf1b-b23f\n".repeat(2));
  // the repository has to know of them
  const forged = await tempDir({ ".git": `gitdir: ${realpathSync(project)}/.git/worktrees/linked\n` });
  run({ ...event, cwd: forged });
  expect(readFileSync(join(folder, "ended"), "utf8")).toBe("40d6bf1b-b23f\n".repeat(2));
  // a path that only looks as if it lay in the repository doesn't either
  const detour = await tempDir({});
  const at = realpathSync(detour);
  mkdirSync(join(at, "evil"));
  writeFileSync(join(at, ".git"), `gitdir: ${realpathSync(project)}/.git/worktrees/../../..${at}/evil\n`);
  writeFileSync(join(at, "evil", "gitdir"), `${at}/.git\n`);
  run({ ...event, cwd: detour });
  expect(readFileSync(join(folder, "ended"), "utf8")).toBe("40d6bf1b-b23f\n".repeat(2));
  // the project itself can't opt in
  const other = await tempDir({ ".whetstone/sleep/consent.json": "{}" });
  run({ ...event, cwd: other });
  expect(readdirSync(join(other, ".whetstone/sleep"))).toEqual(["consent.json"]);
  expect(existsSync(projectFolder(other))).toBe(false);
});

test("where the person wants it, the end of a conversation starts the noting, unattended", async () => {
  const [project, bin] = [await tempDir({}), await tempDir({})];
  const folder = join(projectFolder(project), "sleep");
  mkdirSync(folder, { recursive: true });
  const noted = join(bin, "noted");
  writeFileSync(
    join(bin, "whetstone"),
    `#!/bin/sh\necho "$PWD $*" > ${noted}.new && mv ${noted}.new ${noted}\n`,
    { mode: 0o755 },
  );
  const end = () =>
    spawnSync(process.execPath, [join(plugin, "hooks/session.mjs")], {
      input: JSON.stringify({ session_id: "1", cwd: project, hook_event_name: "SessionEnd" }),
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    });
  writeFileSync(join(folder, "consent.json"), JSON.stringify({ noteAtEnd: true }));
  expect(end().status).toBe(0);
  await vi.waitFor(() => expect(existsSync(noted)).toBe(true), 10_000);
  expect(readFileSync(noted, "utf8")).toBe(`${realpathSync(project)} sleep note --unattended\n`);
  writeFileSync(join(folder, "consent.json"), "{}");
  rmSync(noted);
  expect(end().status).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(noted)).toBe(false);
});

test("the start of a conversation says in one line what waits and what fails, and nothing else", async () => {
  const project = await tempDir({});
  const folder = join(projectFolder(project), "sleep");
  const start = () => {
    const { status, stdout, stderr } = run({
      cwd: project,
      session_id: "1",
      hook_event_name: "SessionStart",
    });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout === "" ? "" : (JSON.parse(stdout) as { readonly systemMessage: string }).systemMessage;
  };
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  mkdirSync(folder, { recursive: true });
  write("waiting.json", { v: 1, rules: 3, working: 2 });
  // before a person opted in nothing is said
  expect(start()).toBe("");
  write("consent.json", {});
  expect(start()).toBe("Whetstone: 3 rules wait for you, 2 work on your tasks (whetstone review).");
  write("waiting.json", { v: 1, rules: 1, working: 0 });
  expect(start()).toBe("Whetstone: 1 rule waits for you (whetstone review).");
  for (const [rules, at] of [
    [0, new Date(2026, 10, 17, 3, 17).getTime()],
    [2, Date.now()],
  ] as const) {
    write("waiting.json", { v: 1, rules, working: 0 });
    await noteFailure(projectFolder(project), new Error("The model\u001b[31m is gone."), at);
    expect(start()).toMatch(
      rules === 0
        ? /^Whetstone: nights fail since \S+: The model\S*\[31m is gone\. \(whetstone sleep status\)$/
        : /^Whetstone: nights fail since .* 2 rules wait for you \(whetstone review\)\.$/,
    );
  }
  await forgetFailures(projectFolder(project));
  write("waiting.json", { v: 1, rules: 0, working: 0 });
  expect(start()).toBe("");
  writeFileSync(join(folder, "waiting.json"), "{");
  expect(start()).toBe("");
  expect(readdirSync(folder).toSorted()).toEqual(["consent.json", "failed.json", "waiting.json"]);
});

test("the plugin has a copy of what reads reminders; `-u` writes it", async () => {
  const source = readFileSync(join(root, "src/core/reminders/reminder.ts"), "utf8");
  const input = stripTypeScriptTypes(source)
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n");
  const biome = join(root, "node_modules/.bin/biome");
  const text = execFileSync(biome, ["format", "--stdin-file-path=a.mjs"], {
    input,
    encoding: "utf8",
    cwd: root,
  });
  await expect(text).toMatchFileSnapshot(join(plugin, "hooks/reminder.mjs"));
});

test("an adopted reminder stops what it is about, in this project alone, and whatever is broken lets the call through", async () => {
  const dir = await tempDir({ "shop/src/a.ts": "", "other/a.ts": "" });
  const shop = join(dir, "shop");
  const folder = join(projectFolder(shop), "sleep");
  mkdirSync(folder, { recursive: true });
  const lines = [
    "- Stop before running `: x",
    "- Stop before running `npm install`: Use pnpm.",
    "- Stop before writing `dist/`: No.",
  ];
  writeFileSync(join(folder, "reminders.md"), lines.join("\n"));
  const ask = (tool_name: string, tool_input: unknown, cwd = shop) =>
    run({ cwd, tool_name, tool_input, session_id: "1", hook_event_name: "PreToolUse" }, "remind");
  const stopped = ask("Bash", { command: "cd app && npm install x" });
  expect([stopped.status, stopped.stderr]).toEqual([0, ""]);
  expect(JSON.parse(stopped.stdout)).toEqual({
    systemMessage: expect.stringContaining(
      "before running `npm install`: a reminder, not a wall. `whetstone undo`",
    ),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(/^Use pnpm\.\n\nWhetstone stopped this/),
    },
  });
  expect(ask("Write", { file_path: join(shop, "dist/a.js") }, join(shop, "src")).stdout).toContain("deny");
  for (const passed of [
    ask("Bash", { command: "echo 'npm install'" }),
    ask("Write", { file_path: join(shop, "src/dist.ts") }),
    ask("Bash", { command: "npm install" }, join(dir, "other")),
    ask("Bash", { command: "npm install" }, join(dir, "missing")),
    ask("Bash", null),
    run([], "remind"),
    spawnSync(process.execPath, [join(plugin, "hooks/remind.mjs")], { input: "{", encoding: "utf8" }),
  ])
    expect([passed.status, passed.stdout, passed.stderr]).toEqual([0, "", ""]);
  // the project can't bring reminders of its own
  mkdirSync(join(dir, "other/.whetstone/sleep"), { recursive: true });
  writeFileSync(join(dir, "other/.whetstone/sleep/reminders.md"), lines.join("\n"));
  expect(ask("Bash", { command: "npm install" }, join(dir, "other")).stdout).toBe("");
});

test("a turn that ends without a command is stopped once, if files changed; what is broken or too long lets it end", async () => {
  const shop = await tempDir({ "src/a.ts": "" });
  const folder = join(projectFolder(shop), "sleep");
  mkdirSync(folder, { recursive: true });
  const rule = "Run `make lint` before you finish.";
  writeFileSync(join(folder, "reminders.md"), `- Stop before finishing without \`make lint\`: ${rule}\n`);
  const transcript_path = join(shop, "talk.jsonl");
  const call = (name: string, input: object) => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "tool_use", id: "t", name, input }] },
  });
  const write = call("Write", { file_path: join(shop, "src/a.ts"), content: "x" });
  const end = (records: readonly object[], more: object = {}) => {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(transcript_path, lines.join(""));
    const event = {
      cwd: shop,
      session_id: "1",
      transcript_path,
      hook_event_name: "Stop",
      stop_hook_active: false,
    };
    const { status, stdout, stderr } = run({ ...event, ...more }, "remind");
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const reply = JSON.parse(end([write])) as { readonly reason: string };
  expect(reply).toEqual({
    decision: "block",
    reason: expect.stringContaining(
      `${rule}\n\nWhetstone stopped this before finishing without \`make lint\``,
    ),
    systemMessage: expect.stringContaining("a reminder, not a wall. `whetstone undo` takes it back."),
  });
  const feedback = {
    type: "user",
    message: { role: "user", content: `Stop hook feedback:\n${reply.reason}` },
  };
  const passed = [
    end([write, call("Bash", { command: "cd app && make lint" })]),
    end([call("Bash", { command: "ls" })]),
    end([call("Write", { file_path: "/tmp/notes.md", content: "x" })]),
    // it was said in this conversation
    end([write, feedback, write]),
    end([write], { stop_hook_active: true }),
    end([write], { transcript_path: join(shop, "missing.jsonl") }),
    end([write], { transcript_path: 7 }),
    end([write], { cwd: await tempDir() }),
  ];
  expect(passed).toEqual(passed.map(() => ""));
  // whatever isn't a record ends it
  writeFileSync(transcript_path, '{"tool_use"\n');
  expect(end([])).toBe("");
  // a reminder of a call doesn't read the conversation
  writeFileSync(join(folder, "reminders.md"), "- Stop before running `npm install`: Use pnpm.\n");
  expect(end([write])).toBe("");
});

test("a host that never ends its event isn't waited for", async () => {
  const child = spawn(process.execPath, [join(plugin, "hooks/remind.mjs")]);
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("hosts with rules of their own are told each command that needs a person's word", async () => {
  const policy = readFileSync(join(plugin, "policies/whetstone.toml"), "utf8");
  const [, prefixes = ""] = /^commandPrefix = (.*)$/m.exec(policy) ?? [];
  expect(JSON.parse(prefixes)).toEqual(commandsOfWord.map((words) => `whetstone ${words}`));
  const { Whetstone } = (await import(join(plugin, "opencode/whetstone.js"))) as {
    readonly Whetstone: () => Promise<{ config(config: { permission?: unknown }): Promise<void> }>;
  };
  for (const given of [undefined, "allow", { bash: "ask", edit: "deny" }, { bash: { "git *": "allow" } }]) {
    const config = { permission: given };
    await (await Whetstone()).config(config);
    const { bash } = config.permission as unknown as { readonly bash: object };
    expect(Object.keys(bash).slice(-commandsOfWord.length)).toEqual(
      commandsOfWord.map((words) => `whetstone ${words}*`),
    );
  }
});
