import { seededRandom } from "../../../src/testing/index.ts";

/** A tool call as an agent writes it down. */
export interface SpelledCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Something that a person doesn't want done, how agents do it anyway, and what only looks like it. */
export interface Habit {
  readonly name: string;
  /** What the person says each time. */
  readonly said: string;
  /** The rule in their file. */
  readonly rule: string;
  readonly pattern: string;
  readonly relapses: readonly Done[];
  readonly lookalikes: readonly Done[];
  /** What must be done once a relapse was: a command. @default nothing */
  readonly command?: string;
}

type Done = { readonly run: string } | { readonly write: string };

export const root = "/home/dev/project";

export const habits: readonly Habit[] = [
  {
    name: "npm install",
    said: "No, never npm install here. Use pnpm.",
    rule: "Use pnpm here, never npm.",
    pattern: "npm install",
    relapses: [
      { run: "npm install" },
      { run: "npm install left-pad" },
      { run: "npm install --save-dev vitest@3" },
      { run: "cd packages/app && npm install" },
      { run: "rm -rf node_modules; npm install 2>&1 | tail -5" },
      { run: "NODE_ENV=production npm install --omit=dev" },
      { run: "sudo -E npm install -g tsx" },
      { run: "npm --silent install decimal.js" },
      { run: "npm --prefix packages/app install" },
      { run: 'bash -lc "cd app; npm install"' },
      { run: "timeout 120 npm \\\n  install" },
      { run: "if ! pnpm install; then npm install; fi" },
      { run: "(cd app && npm install) > install.log 2>&1" },
      { run: "/usr/local/bin/npm install zod" },
      { run: "# dependencies first\nnpm install\nnpm test" },
    ],
    lookalikes: [
      { run: "echo 'npm install'" },
      { run: 'git commit -m "docs: npm install; then npm test"' },
      { run: "grep -rn 'npm install' docs README.md" },
      { run: "cat <<'EOF' > README.md\n## Setup\nnpm install\nEOF" },
      { run: "pnpm install # not npm install" },
      { run: "npm run install-hooks" },
      { run: "npm test" },
      { run: "npm run build && npm test" },
      { run: "npm view install" },
      { write: "docs/npm install.md" },
    ],
  },
  {
    name: "git push --force",
    said: "Don't git push --force, ever. I lost a commit again.",
    rule: "Never force a push.",
    pattern: "git push --force",
    relapses: [
      { run: "git push --force" },
      { run: "git push origin main --force" },
      { run: "git push --force origin HEAD:main" },
      { run: "git rebase main && git push --force" },
      { run: "git -C packages/app push --force" },
      { run: 'git commit --amend -m "x; y" && git push origin fix --force 2>&1' },
      { run: "git fetch; GIT_SSH_COMMAND='ssh -v' git push --force || true" },
    ],
    lookalikes: [
      { run: "git push" },
      { run: "git push origin main" },
      { run: "git push --force-with-lease" },
      { run: 'git commit -m "never git push --force"' },
      { run: "git fetch --force && git push" },
      { run: "rm --force build.log; git push" },
      { run: "git checkout --force main" },
    ],
  },
  {
    name: "dist/",
    said: "Leave dist/ alone, it is generated from src.",
    rule: "Don't write into dist/; change src.",
    pattern: "dist/",
    relapses: [
      { write: "dist/index.js" },
      { write: "dist/chunks/cart.js" },
      { write: "dist/styles/site.css" },
      { run: "printf %s 'x' > dist/index.js" },
      { run: "node build.js >> dist/log.txt" },
    ],
    lookalikes: [
      { write: "src/dist.ts" },
      { write: "docs/dist/index.md" },
      { write: "src/distance.ts" },
      { run: "cat dist/index.js" },
      { run: "ls -la dist/ > files.txt" },
      { run: "echo 'x > dist/a.js'" },
    ],
  },
];

/** A command that agents forget after they changed files. */
export const forgotten = {
  name: "make lint",
  said: "You changed files. Run make lint before you finish.",
  rule: "Run `make lint` before you finish.",
  pattern: "make lint",
  relapses: [{ write: "src/cart.ts" }],
  lookalikes: [],
  command: "make lint",
} satisfies Habit;

const everyday: readonly Done[] = [
  "ls -la",
  "git status --short",
  "git diff --stat HEAD~1",
  "git log --oneline -5",
  "pnpm install",
  "pnpm test -- --run cart",
  "npx tsc --noEmit",
  "cat package.json | jq .scripts",
  "sed -n 1,80p src/cart.ts",
  "grep -rn total src | head -20",
  "node -e 'console.log(1 > 0)'",
  "find . -name '*.ts' -not -path './node_modules/*'",
  "mkdir -p src/money && touch src/money/rate.ts",
  "python3 - <<'PY'\nprint(1 + 1)\nPY",
  "curl -s localhost:3000/health",
  'git add -A && git commit -m "fix: totals"',
]
  .map((run): Done => ({ run }))
  .concat(["src/cart.ts", "test/cart.test.ts", "README.md", "src/money/rate.ts"].map((write) => ({ write })));

/** How an agent spells the two, in the order of its versions. */
const spellings: readonly {
  readonly agent: string;
  readonly run: (line: string) => SpelledCall;
  readonly write: (path: string, root: string) => SpelledCall;
}[] = [
  {
    agent: "claude-code",
    run: (command) => ({ tool: "Bash", input: { command, description: "Run" } }),
    write: (path, root) => ({ tool: "Write", input: { file_path: `${root}/${path}`, content: "x\n" } }),
  },
  {
    agent: "codex",
    run: (cmd) => ({ tool: "exec_command", input: { cmd, yield_time_ms: 1000 } }),
    write: (path) => ({
      tool: "apply_patch",
      input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch\n`,
    }),
  },
  {
    agent: "codex",
    run: (line) => ({ tool: "shell", input: { command: ["bash", "-lc", line] } }),
    write: (path) => ({
      tool: "shell",
      input: { command: ["bash", "-lc", `apply_patch <<'EOF'\n*** Add File: ${path}\n+b\nEOF\n`] },
    }),
  },
  {
    agent: "opencode",
    run: (command) => ({ tool: "bash", input: { command } }),
    write: (path, root) => ({ tool: "write", input: { filePath: `${root}/${path}`, content: "x" } }),
  },
  {
    agent: "cursor",
    run: (command) => ({ tool: "Shell", input: { command, description: "" } }),
    write: (path, root) => ({ tool: "StrReplace", input: { path: `${root}/${path}`, old_string: "a" } }),
  },
  {
    agent: "gemini-cli",
    run: (command) => ({ tool: "run_shell_command", input: { command, is_background: false } }),
    write: (path) => ({ tool: "write_file", input: { file_path: path, content: "x" } }),
  },
  {
    agent: "pi",
    run: (command) => ({ tool: "bash", input: { command, timeout: 10 } }),
    write: (path) => ({ tool: "edit", input: { path: `./${path}`, edits: [] } }),
  },
];

interface DrawOptions {
  /** Only its spellings. @default all agents' */
  readonly agent?: string;
  /** @default `root` */
  readonly project?: string;
  /** Whether relapses of other habits are among the others. @default true */
  readonly isMixed?: boolean;
}

/** Calls drawn by a seed: relapses of one habit, and others, of which every fifth looks like a relapse of some habit. */
export function drawCalls(
  habit: Habit,
  counts: { readonly relapses: number; readonly others: number },
  seed: number,
  { agent, project = root, isMixed = true }: DrawOptions = {},
) {
  const random = seededRandom("calls", habit.name, seed);
  const from = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const known = spellings.filter((one) => agent === undefined || one.agent === agent);
  const spell = (done: Done): SpelledCall => {
    const by = from(known);
    return "run" in done ? by.run(done.run) : by.write(done.write, project);
  };
  const lookalikes = habits.flatMap((one) => [
    ...one.lookalikes,
    ...(one === habit || !isMixed ? [] : one.relapses),
  ]);
  return {
    relapses: Array.from({ length: counts.relapses }, () => spell(from(habit.relapses))),
    others: Array.from({ length: counts.others }, (_, at) =>
      spell(from(at % 5 === 0 ? lookalikes : everyday)),
    ),
  };
}
