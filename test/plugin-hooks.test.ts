import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "./support/temp-dir.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const hooks = join(import.meta.dirname, "../plugins/whetstone/hooks");
const { refuse } = (await import(join(hooks, "guard.mjs"))) as {
  readonly refuse: (event: {
    readonly cwd: string;
    readonly tool_name?: string;
    readonly tool_input: Readonly<Record<string, unknown>>;
  }) => string | undefined;
};

/** A project that has run with `evals/tasks.jsonl`, and ways to its file that do not say so. */
function sealedProject(folder: string): void {
  const ours = "node_modules/whetstone/dist";
  for (const path of [
    "evals",
    "bin",
    "dist",
    ours,
    ".whetstone/handoff/pending",
    ".whetstone/handoff/answers",
  ])
    mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, ours, "../package.json"), `{ "name": "whetstone" }\n`);
  writeFileSync(join(folder, "package.json"), `{ "name": "a-program-of-my-own" }\n`);
  for (const path of [`${ours}/cli.js`, "dist/cli.js", "cli.js", "cli.mjs", "main.ts"])
    writeFileSync(join(folder, path), "");
  writeFileSync(join(folder, "evals/tasks.jsonl"), "{}\n");
  writeFileSync(join(folder, "SKILL.md"), "# Skill\n");
  writeFileSync(join(folder, ".whetstone/handoff/pending/a.md"), "?\n");
  writeFileSync(join(folder, ".whetstone/sealed.json"), `{ "v": 1, "files": ["../evals/tasks.jsonl"] }\n`);
  symlinkSync("evals/tasks.jsonl", join(folder, "notes.jsonl"));
  linkSync(join(folder, "evals/tasks.jsonl"), join(folder, "hard.jsonl"));
  symlinkSync(".whetstone/new.json", join(folder, "dangling.json"));
  symlinkSync(join(import.meta.dirname, "../src/apps/cli/main.ts"), join(folder, "bin/w"));
}

const place = temporaryDirectory("hooks");
const folder = place.path;
sealedProject(folder);
afterAll(() => place[Symbol.dispose]());

const typed = (command: string) => refuse({ cwd: folder, tool_input: { command } });
const edited = (path: string) => refuse({ cwd: folder, tool_input: { file_path: path } });

test.each([
  "whetstone adopt",
  "whetstone sleep adopt 0001 --unproven",
  "whetstone undo",
  "whetstone sleep undo",
  "whetstone adopt --json --accept 1,2",
  "npx whetstone adopt",
  "npx --yes whetstone@latest adopt",
  "npm exec -- whetstone adopt",
  "pnpm dlx whetstone adopt && echo done",
  "./node_modules/.bin/whetstone adopt",
  `${folder}/node_modules/whetstone/dist/cli.js adopt`,
  "node node_modules/whetstone/dist/cli.js adopt",
  "node node_modules/whetstone/dist/cli.js $verb",
  "cd node_modules/whetstone && node --no-warnings dist/cli.js sleep adopt",
  "cd node_modules/whetstone/dist; node cli.js adopt",
  'node "$HOME/whetstone/dist/cli.js" adopt',
  `node ${join(import.meta.dirname, "../src/apps/cli/main.ts")} adopt`,
  "./bin/w adopt",
  "PATH=/x:$PATH NO_COLOR=1 whetstone adopt",
  "env -u CI whetstone adopt",
  "sudo -u dev whetstone adopt",
  "cd sub; whetstone adopt",
  "false || whetstone adopt",
  "(whetstone adopt)",
  "if true; then whetstone adopt; fi",
  "whetstone diff | tee d.txt; whetstone adopt",
  "yes | whetstone adopt",
  "echo $(whetstone adopt)",
  "echo `whetstone adopt`",
  'echo "now $(whetstone adopt) then"',
  "sh -c 'whetstone adopt'",
  `bash -lc "cd sub && whetstone sleep adopt"`,
  `bash -c "sh -c 'whetstone adopt'"`,
  "eval 'whetstone adopt'",
  "bash <<'EOF'\nwhetstone adopt\nEOF",
  'jq . <<< "$x"\nwhetstone adopt --unproven',
  "bash <<< 'whetstone adopt'",
  "cat <<<'npx whetstone adopt' | sh",
  "(( x = 1 << 2 ))\nwhetstone adopt",
  "for (( i = (1 + 1) << 2; i < 9; i++ )); do\nwhetstone adopt\ndone",
  "((true) && cat <<EOF)\nhello\nEOF\nwhetstone adopt",
  "echo adopt | xargs sh -c 'whetstone adopt'",
  "timeout 9 whetstone adopt",
  "whetstone\\\n  adopt",
  "w'het'stone ad\"op\"t",
  "whetstone a\\dopt",
  "whetstone $(echo adopt)",
  "whetstone ${verb}",
  "whetstone {adopt,}",
  "whetstone sleep $verb",
  `node -e "require('child_process').execSync('whetstone adopt')"`,
  "python3 - <<EOF\nimport os\nos.system('npx whetstone adopt')\nEOF",
  "whetstone adopt --acknowledge --help",
  "echo 'whetstone adopt' | sh",
  "printf '%s\\n' 'npx whetstone adopt' | bash -s",
  "$'whetstone' $\"adopt\"",
  "whetstone $'ado\\x70t'",
  "whetstone trust --yes",
  "whetstone sleep init --yes",
  "npx whetstone sleep schedule --at 03:00 --yes",
])("a person's word is refused: %s", (command) => {
  expect(typed(command)).toMatch(/the person's to say.*! whetstone/);
});

test("what begins with ~ lies in the person's home", () => {
  vi.stubEnv("HOME", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(typed("node ~/node_modules/whetstone/dist/cli.js adopt")).toMatch(/the person's to say/);
  expect(typed("rm ~/evals/tasks.jsonl")).toMatch(/is sealed/);
});

test("the refusal says what the person can type", () => {
  expect(typed("npx whetstone sleep adopt 0001-CLAUDE --acknowledge 'a b'")).toBe(
    `whetstone: this is the person's to say, not yours. Show them what it would do, and let them type it: ! whetstone sleep adopt 0001-CLAUDE --acknowledge 'a b' (or the same without "! " in a terminal of their own).`,
  );
});

test.each([
  "whetstone adopt --help",
  "whetstone sleep review 0001 --accept ab12cd34 --json",
  "whetstone sleep review 0001 --reject ab12cd34='he will adopt it'",
  "whetstone train --tasks evals/tasks.jsonl --spend-usd 2",
  "npx whetstone plan && npx whetstone runs show",
  "whetstone trust --show",
  "grep -rn whetstone *.md",
  "which whetstone $x",
  `git commit -m "whetstone adopt is refused"`,
  "git commit -F - <<'EOF'\nwhetstone adopt\nEOF",
  "npm test -- adopt",
  "echo 'whetstone adopt' | cat",
  "whetstone sleep adopt -h",
  "cat evals/tasks.jsonl | head -2",
  "jq -c .id < evals/tasks.jsonl 2>/dev/null",
  "grep -c x evals/tasks.jsonl > /tmp/count.txt",
  "cp evals/tasks.jsonl /tmp/copy.jsonl",
  "sed -n 1,3p evals/tasks.jsonl",
  "git add evals/tasks.jsonl && git diff evals/tasks.jsonl",
  "ls -la .whetstone/handoff/pending",
  "echo yes > .whetstone/handoff/answers/a.md",
  "rm -rf dist && npm run build > out.txt 2>&1",
  `python3 -c "import json; print(len(open('evals/tasks.jsonl').readlines()))"`,
  'node dist/cli.js "$x"',
  'for f in a b; do node cli.js "$f"; done',
  "node main.ts src/*.ts",
  "bun main.ts $1",
  "deno run main.ts undo",
  'node "$dir/cli.mjs" $1',
  'cd node_modules/whetstone && . "$HOME/.cargo/env"',
  "tr a b <<< evals/tasks.jsonl",
  "git commit -F - <<< 'whetstone adopt'",
  "((true) && cat <<EOF)\nwhetstone adopt\nEOF",
  "whetstone train --tasks=evals/tasks.jsonl --out=out",
  "cat evals/tasks.jsonl # and then rm evals/tasks.jsonl",
])("what reads, decides or does something else goes on: %s", (command) => {
  expect(typed(command)).toBeUndefined();
});

test.each([
  "echo '{}' >> evals/tasks.jsonl",
  "echo '{}' > ./evals/../evals/tasks.jsonl",
  "cat x 2>evals/tasks.jsonl",
  "cat new.jsonl >|evals/tasks.jsonl",
  "cat <<EOF > evals/tasks.jsonl\n{}\nEOF",
  "sed -i s/a/b/ evals/tasks.jsonl",
  "sed -i.bak s/a/b/ notes.jsonl",
  "cp new.jsonl evals/tasks.jsonl",
  "mv evals/tasks.jsonl old.jsonl",
  "rm evals/*.jsonl",
  "rm evals/task?.jsonl",
  "cd evals && rm tasks.jsonl",
  "tee evals/tasks.jsonl < x",
  "dd if=x of=evals/tasks.jsonl",
  "truncate -s 0 hard.jsonl",
  "perl -pi -e s/a/b/ evals/tasks.jsonl",
  "for f in evals/tasks.jsonl; do rm $f; done",
  "git checkout HEAD~1 -- evals/tasks.jsonl",
  "bash -c 'echo x > evals/tasks.jsonl'",
  `python3 -c "open('evals/tasks.jsonl', 'w').write('')"`,
  "node -e \"fs.writeFileSync('evals/tasks.jsonl', '')\"",
  "npx prettier --write evals/tasks.jsonl",
  "whetstone import x.csv --out evals/tasks.jsonl --force",
  "whetstone import x.csv --out=evals/tasks.jsonl --force",
  "cat <<< x\nrm evals/tasks.jsonl",
  "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: evals/tasks.jsonl\n@@\n-a\n+b\n*** End Patch\nEOF",
])("a sealed file is not edited by a shell: %s", (command) => {
  expect(typed(command)).toMatch(/evals\/tasks\.jsonl is sealed.*! rm \.whetstone\/sealed\.json/);
});

test.each([
  "rm -rf .whetstone",
  "rm .whetstone/sealed.json",
  "echo {} > .whetstone/sleep/consent.json",
  "whetstone report --out=.whetstone/sealed.json",
])("only whetstone writes its record: %s", (command) => {
  expect(typed(command)).toMatch(/Whetstone's own record/);
});

test("editing tools are told by the file that a path leads to", () => {
  for (const path of ["evals/tasks.jsonl", join(folder, "evals/tasks.jsonl"), "notes.jsonl", "hard.jsonl"])
    expect(edited(path)).toMatch(/is sealed/);
  for (const path of [".whetstone/runs/a/summary.json", "dangling.json", ".whetstone/handoff/pending/a.md"])
    expect(edited(path)).toMatch(/Whetstone's own record/);
  for (const path of ["SKILL.md", "evals/more.jsonl", ".whetstone/handoff/answers/a.md", "/tmp/tasks.jsonl"])
    expect(edited(path)).toBeUndefined();
  const pending = { path: ".whetstone/handoff/pending/a.md" };
  expect(refuse({ cwd: folder, tool_name: "read", tool_input: pending })).toBeUndefined();
  expect(refuse({ cwd: folder, tool_name: "edit", tool_input: pending })).toMatch(/own record/);
  // from a folder below, and as Codex names files
  expect(refuse({ cwd: join(folder, "evals"), tool_input: { file_path: "tasks.jsonl" } })).toMatch(/sealed/);
  expect(refuse({ cwd: folder, tool_input: { command: ["bash", "-lc", "rm evals/tasks.jsonl"] } })).toMatch(
    /sealed/,
  );
});

test("without a run nothing is sealed", async () => {
  const fresh = await tempDir({ "tasks.jsonl": "{}\n" });
  const tool_input = { command: "echo x >> tasks.jsonl" };
  expect(refuse({ cwd: fresh, tool_input })).toBeUndefined();
});

const run = (name: string, event: object) =>
  spawnSync(process.execPath, [join(hooks, name)], { input: JSON.stringify(event), encoding: "utf8" });

test("as a program it answers in the form that each agent reads", () => {
  const reason = typed("whetstone adopt");
  const tool_input = { command: "whetstone adopt", description: "Adopt" };
  const event = { session_id: "1", transcript_path: "/x.jsonl", cwd: folder, tool_name: "Bash", tool_input };
  const answerTo = (sent: object) => JSON.parse(run("guard.mjs", sent).stdout) as unknown;
  const decision = { permissionDecision: "deny", permissionDecisionReason: reason };
  // Claude Code and Codex
  expect(answerTo({ ...event, hook_event_name: "PreToolUse", permission_mode: "default" })).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", ...decision },
  });
  // Gemini CLI
  expect(answerTo({ ...event, hook_event_name: "BeforeTool", tool_name: "run_shell_command" })).toEqual({
    decision: "deny",
    reason,
  });
  // Copilot CLI
  expect(answerTo({ cwd: folder, toolName: "bash", toolArgs: JSON.stringify(tool_input) })).toEqual(decision);
  const { stdout, status } = run("guard.mjs", { ...event, tool_input: { command: "ls" } });
  expect([stdout, status]).toEqual(["", 0]);
});

test.each([
  ["a command that crashes it", "ls [b-a]; whetstone adopt r1"],
  ["a command that overflows its stack", `echo ${"$(".repeat(5000)} ; whetstone adopt`],
  ["a command that takes it too long", `bash -c x ${"'a b' ".repeat(30_000)}; whetstone adopt`],
])("%s is refused by the guard", (_, command) => {
  const event = { cwd: folder, tool_name: "Bash", hook_event_name: "PreToolUse", tool_input: { command } };
  const { status, stdout } = run("guard.mjs", event);
  expect([status, JSON.parse(stdout)]).toMatchObject([
    0,
    { hookSpecificOutput: { permissionDecision: "deny" } },
  ]);
});

test.each<[string, unknown]>([
  ["arguments that are a text", "whetstone adopt"],
  ["a command that is an object", { command: { text: "whetstone adopt" } }],
])("%s are refused by the guard", (_, tool_input) => {
  const event = { cwd: folder, tool_name: "Bash", hook_event_name: "PreToolUse", tool_input };
  expect(run("guard.mjs", event).stdout).toContain('"permissionDecision":"deny"');
});

test("a sealed list that is cut or a folder seals everything", async () => {
  for (const damage of [
    (path: string) => writeFileSync(path, '{"files":["../tests'),
    (path: string) => mkdirSync(path),
  ]) {
    const clone = await tempDir({ ".whetstone/x": "" });
    damage(join(clone, ".whetstone/sealed.json"));
    const event = { cwd: clone, tool_name: "Edit", hook_event_name: "PreToolUse" };
    const { stdout } = run("guard.mjs", { ...event, tool_input: { file_path: "tests.jsonl" } });
    expect(stdout).toContain('"permissionDecision":"deny"');
  }
});

test("a sealed list that never ends, or an event that can't be read, is refused by the guard", async () => {
  const clone = await tempDir({ ".whetstone/x": "" });
  symlinkSync("/dev/zero", join(clone, ".whetstone/sealed.json"));
  const event = {
    cwd: clone,
    tool_name: "Bash",
    hook_event_name: "PreToolUse",
    tool_input: { command: "ls" },
  };
  expect(run("guard.mjs", event).stdout).toContain('"permissionDecision":"deny"');
  const unread = spawnSync(process.execPath, [join(hooks, "guard.mjs")], { input: "{", encoding: "utf8" });
  expect([unread.status, unread.stderr]).toEqual([2, expect.stringContaining("could not be checked")]);
});

test("the end of a conversation leaves its id where somebody opted in, and nothing elsewhere", async () => {
  const project = await tempDir({ "src/a.ts": "", ".whetstone/sleep/consent.json": "{}" });
  const event = {
    session_id: "40d6bf1b-b23f",
    cwd: join(project, "src"),
    hook_event_name: "SessionEnd",
    reason: "exit",
  };
  const { status, stdout, stderr } = run("leave-marker.mjs", event);
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
  expect(readFileSync(join(project, ".whetstone/sleep/ended"), "utf8")).toBe("40d6bf1b-b23f\n");
  writeFileSync(join(folder, "x"), "");
  run("leave-marker.mjs", { ...event, cwd: folder });
  expect(existsSync(join(folder, ".whetstone/sleep"))).toBe(false);
});

test("pi and OpenCode may read what they may not edit", async () => {
  type Call = { readonly toolName: string; readonly input: object };
  const pi = (await import(join(hooks, "../extensions/whetstone.js"))) as {
    default(on: { on(event: string, handle: (call: Call, place: { cwd: string }) => unknown): void }): void;
  };
  const handles: ((call: Call, place: { cwd: string }) => unknown)[] = [];
  pi.default({ on: (_, handle) => void handles.push(handle) });
  const input = { path: "evals/tasks.jsonl" };
  expect(handles[0]?.({ toolName: "read", input }, { cwd: folder })).toBeUndefined();
  expect(handles[0]?.({ toolName: "write", input }, { cwd: folder })).toMatchObject({ block: true });
});
