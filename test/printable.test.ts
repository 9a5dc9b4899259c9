import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTerminal } from "./support/tmux.ts";
import { judgeRun } from "../src/adapters/agents/judge-run.ts";
import { resolveModel } from "../src/adapters/models/providers.ts";
import { chatCompletion, sendJson, serve } from "./support/serve-handler.ts";
import { facts, createColors, paintLine } from "../src/show/format.ts";
import { fleetLines } from "../src/apps/cli/commands/fleet-commands.ts";
import type { Io } from "../src/show/io.ts";
import { openIo } from "../src/apps/cli/open-io.ts";
import { createProgram } from "../src/apps/cli/program.ts";
import { reportError, unexpected } from "../src/show/report-error.ts";
import { ruleLines } from "../src/show/review-lines.ts";
import { openRunView } from "../src/show/run-view.ts";
import { tempDir } from "./support/temp-dir.ts";
import { WhetstoneError } from "../src/core/errors.ts";
import type { EventBody } from "../src/core/events.ts";
import type { Review } from "../src/core/offer/review.ts";
import { unifiedDiff } from "../src/report/unified-diff.ts";
import { hostileTexts } from "./support/hostile-texts.ts";
import { stageNights } from "./support/staged-nights.ts";

const isLong = process.env["WHETSTONE_LONG"] === "1";
const seed = isLong ? Date.now() : 14;
const texts = hostileTexts(isLong ? 20_000 : 1200, seed);
/** Those that are shown one by one: each kind comes many times. */
const single = isLong ? texts : texts.slice(0, 400);
const escape = "\u001B";
/** Our own: colours, and the lines that are redrawn. */
const ours = new RegExp(
  `${escape}\\[(?:(?:1|2|22|31|32|33|39)m|\\?25[lh]|\\d+A|0J|K)|\\r(?=${escape}\\[\\d+A|\\n)`,
  "g",
);
/** Written apart from the list that is tested. */
const active =
  /[^\n\t\P{Cc}]|[\p{Cf}\p{Cs}\u2028\u2029]|\u034F|\p{Variation_Selector}|[\u{E0000}-\u{E0FFF}]/u;
const forged = /^(?:error failed: forged|next: forged|better: forged|ok {4}forged)/m;

/** A terminal of 80×24, or a pipe, that keeps what comes. */
function openStreams(isTTY: boolean) {
  let written = "";
  const stream = () => ({
    ...(isTTY ? { isTTY, columns: 80, rows: 24 } : {}),
    on: () => {},
    write(chunk: string | Uint8Array) {
      written += String(chunk);
      return true;
    },
  });
  const [stdout, stderr] = [stream(), stream()];
  const io = openIo({
    stdin: Readable.from([]),
    stdout,
    stderr,
    isAnswered: false,
    env: { TERM: "xterm", LANG: "C.UTF-8" },
    cwd: "/",
    program: ["whetstone"],
    stop: new AbortController(),
    typed: (text) => text,
  });
  const taken = () => {
    const text = written;
    written = "";
    return text;
  };
  return { io, stdout, stderr, taken };
}

/** Shows every text by one way, in a terminal and in a pipe, and looks at what came out. */
async function expectPrintable(
  show: (text: string, io: Io, streams: ReturnType<typeof openStreams>) => unknown,
  { mayBreak = false } = {},
): Promise<void> {
  for (const isTTY of [true, false]) {
    const streams = openStreams(isTTY);
    // a pipe differs by its width alone
    for (const text of isTTY ? single : single.slice(0, isLong ? 300 : 100)) {
      await show(text, streams.io, streams);
      const plain = streams.taken().replaceAll(ours, "");
      expect(plain.length).toBeGreaterThan(0);
      expect([text, active.exec(plain)?.[0]]).toEqual([text, undefined]);
      if (!mayBreak) expect([text, forged.exec(plain)?.[0]]).toEqual([text, undefined]);
    }
  }
}

const colors = createColors(true);

test("lines of ours that hold any text", () =>
  expectPrintable(
    (text, io) => {
      io.print(`${colors.red(text)} and ${text}`);
      io.warn(colors.dim(text));
      io.show([text, `${colors.bold(text)} ${text}`]);
      io.show([]);
      io.print(facts([[text, `${text} ${colors.green(text)}`]], 40).join("\n"));
    },
    { mayBreak: true },
  ));

test("what a provider says, over a real connection", async () => {
  let said = "";
  await using server = await serve((response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: said, type: "invalid_request_error" } }));
  });
  const model = await resolveModel("local/m", { providers: { local: { baseURL: server.url } }, env: {} });
  const call = { key: "k", signal: new AbortController().signal };
  await expectPrintable(async (text, io) => {
    said = text;
    const error = await model
      .generate({ model: "local/m", messages: [{ role: "user", content: "Hi" }], maxTokens: 5 }, call)
      .then(
        () => expect.unreachable(),
        (thrown: Error) => thrown,
      );
    reportError(new WhetstoneError("provider-refused", `local/m refuses: ${error.message}`), io, []);
  });
});

test("what an agent writes to standard error", () =>
  expectPrintable((text, io) => {
    const reading = { text: "", toolCalls: [], conversation: [], offered: [], loaded: [] };
    const usage = { inputTokens: 0, outputTokens: 0 };
    const run = {
      reading,
      facts: {
        calls: 0,
        usage,
        waitedMs: 0,
        heldMs: 0,
        host: "127.0.0.1",
        failures: [],
        failuresInRow: 0,
        removed: [],
      },
      result: { exitCode: 1, stdout: "", stderr: text, ended: "exit", ms: 1 },
      stopped: undefined,
      changed: {},
      pays: "login",
    } as const;
    const limits = { turns: 9, calls: 9, tokens: 9, seconds: 9, memoryMb: 9, processes: 9, diskMb: 9 };
    try {
      judgeRun({ name: "robot", login: "robot login", packageName: "robot" }, run, limits);
    } catch (error) {
      reportError(new WhetstoneError("provider-refused", (error as Error).message), io, []);
    }
  }));

test("events of a run: models, agents, lanes, failures, reasons, tasks, in lines and in the redrawn frame", () => {
  const usual = { step: 1, stage: "rollout", role: "target" } as const;
  return expectPrintable((text, io) => {
    const view = openRunView(io, { json: false, verbose: true });
    const events: EventBody[] = [
      {
        type: "run-start",
        command: "train",
        skill: "s",
        skillName: text,
        skillSize: text,
        models: { target: text },
        tasks: { train: 1, val: 1, test: 0 },
        steps: 2,
        resumed: 0,
        finished: false,
        spent: { nanoUsd: 0, tokens: 0, calls: 0 },
        folder: text,
        settings: { metric: "hard", mixedWeight: 0.5, epochs: 1 },
      },
      { type: "plan", message: text } as EventBody,
      { type: "request-trimmed", agent: text, removed: [text] } as unknown as EventBody,
      { type: "try-failed", key: "c", ...usual, class: "throttle", message: text },
      { type: "lane-change", lane: text, state: "throttled", limit: 4, message: text },
      {
        type: "reply-unusable",
        ...usual,
        reply: "empty",
        message: text,
        next: text,
        tasks: [text],
      } as unknown as EventBody,
      { type: "unit-pending", key: "d", ...usual, message: text } as unknown as EventBody,
      {
        type: "step-end",
        step: 1,
        epoch: 1,
        budget: 4,
        action: "reject",
        reason: text,
        score: null,
        evidence: null,
        current: { score: 0.5, hash: "now" },
        best: { score: 0.5, step: 0, hash: "now" },
        edits: 1,
        refused: 0,
      },
    ];
    for (const [seq, event] of events.entries())
      view.onEvent({ v: 1, seq, at: seq, run: "0123456789", ...event });
    view.onGuess(text);
    view.close();
  });
});

test("skill text in diffs and reviews", () =>
  expectPrintable((text, io) => {
    io.print(
      unifiedDiff({ path: "SKILL.md", before: "a\nb\n", after: `a\n${text}\nb` })
        .split("\n")
        .map(paintLine)
        .join("\n"),
    );
    const rule = {
      id: "0123456789",
      text,
      edit: { kind: "learned", op: "replace", target: text, text },
      origin: "stated",
      status: "stated",
      label: "stated by you",
      provenance: {
        conversations: [{ id: "c", source: text, date: "2026-01-01", words: [text] }],
        tasks: [text],
      },
      works: false,
      evidence: [],
      tokens: 3,
      powers: [{ id: "p", kind: "network", item: text }],
      decision: { deed: "reject", reason: text },
    } as unknown as Parameters<typeof ruleLines>[0];
    io.print(ruleLines(rule, 1, io.columns).join("\n"));
    const wish = {
      id: "w",
      sentence: "You said this once.",
      said: [{ text, date: "2026-01-01", agent: text }],
      wordings: [text],
      example: {
        date: "2026-01-01",
        agent: text,
        asked: text,
        did: text,
        said: text,
        withRule: { task: text, asked: text, did: text },
      },
      sameAs: [{ wish: text, text }],
    };
    io.print(ruleLines({ ...rule, wish }, 1, io.columns).join("\n"));
  }));

test("arguments and values in errors, and errors that nobody foresaw", () => {
  const programs = new Map<Io, ReturnType<typeof createProgram>>();
  return expectPrintable(async (text, io) => {
    const word = text.replaceAll("\0", "");
    const all = [[word], ["train", `--${word}`], ["eval", "--on", word]];
    const args = all[word.length % all.length] ?? [];
    const program = programs.get(io) ?? createProgram(io, "0");
    programs.set(io, program);
    await program
      .parseAsync(["node", "whetstone", ...args])
      .catch((error: unknown) => reportError(error, io, args));
    reportError(new WhetstoneError("config-invalid", `target: ${text}`, { hint: text }), io, []);
    reportError(new Error(text), io, []);
    io.warn(unexpected(new Error(text)));
  });
});

test("what workers and a fleet say", () =>
  expectPrintable((text, io) => {
    io.print(
      fleetLines(
        {
          workers: [{ id: text, pid: 1, running: 0, concurrency: 1, since: 0 }],
          lanes: [],
          parked: [{ run: text, cause: text, at: 0 }],
          unable: [{ worker: text, run: text, lane: text, message: text }],
        } as unknown as Parameters<typeof fleetLines>[0],
        0,
      ).join("\n"),
    );
  }));

test("JSON is the same value, without one active character", () =>
  expectPrintable((text, io, { taken, stdout }) => {
    const value = { [text]: text, list: [text] };
    io.printJson(value);
    const line = taken();
    expect(JSON.parse(line)).toEqual(value);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    stdout.write(line);
  }));

test("what others in this process write, whole or in pieces", () =>
  expectPrintable(
    (text, _, { stdout, stderr }) => {
      const bytes = Buffer.from(text);
      stdout.write(bytes.subarray(0, bytes.length / 2));
      stdout.write(bytes.subarray(bytes.length / 2));
      stderr.write(`${text}\n`);
    },
    { mayBreak: true },
  ));

test("ordinary text stays as it is", () => {
  const { io, taken } = openStreams(false);
  const plain = [
    "👩‍🚀 ❤\uFE0F 1\uFE0F\u20E3 🇩🇪 👍🏽",
    "e\u0301 ñ",
    "می\u200Cخواهم",
    "क्\u200Dष",
    "日本語 한국어",
    "עברית",
    "a\tb",
    "crlf\r",
    "+\uFEFFbom",
  ].join("\n");
  io.print(plain);
  expect(taken()).toBe(`${plain}\n`);
});

/** Whoever writes past the funnel: the streams, the console, or a child that has our terminal. */
const writers =
  /process\.(?:stdout|stderr|_rawDebug)|\bconsole\.\w+\(|["']\/dev\/(?:tty|stdout|stderr)|stdio: "inherit"|\bfrom "node:(?:console|tty)"|(?:writeSync|createWriteStream)\([12]\b/;

test("nobody writes to the terminal but the funnel", () => {
  const root = join(import.meta.dirname, "../src");
  const found = globSync("**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith("test.ts"))
    .filter((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .some((line) => writers.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line)),
    );
  expect(found.toSorted()).toEqual([
    // runs inside the box: what it says is the agent's standard error
    "adapters/sandboxes/bridge.ts",
    // a rule of the profile, no writer
    "adapters/sandboxes/seatbelt.ts",
    "apps/cli/main.ts",
    // the person's editor
    "apps/cli/prompt.ts",
    // one sentence of its own to an older Node, which can load nothing else
    "apps/cli/start.ts",
    // runs inside the box: what it prints is the check's result
    "core/scorers/code-runners.ts",
    // whether a stream is a terminal, on Windows
    "run/word.ts",
    "show/format.ts",
  ]);
  expect(readFileSync(join(root, "show/format.ts"), "utf8")).not.toContain(".write(");
});

const cli = join(import.meta.dirname, "../src/apps/cli/main.ts");

test("in a real terminal the title, the clipboard, the modes and the screen stay as they were", async () => {
  await using models = await refusingProvider();
  const dir = await hostileProject(models.url);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: dir,
    XDG_STATE_HOME: process.env["XDG_STATE_HOME"] ?? "",
    LANG: "C.UTF-8",
    TERM: "tmux-256color",
  };
  const plan = { columns: 120, rows: 40, cwd: dir, env, config: join(dir, "tmux.conf") };
  await using terminal = await openTerminal(plan);
  const tmux: typeof terminal.tmux = (...words) => terminal.tmux(...words);
  await tmux("select-pane", "-T", "title as it was");
  await tmux("set-buffer", "clipboard as it was");
  const look = async () => [
    await tmux("display-message", "-p", modes),
    await tmux("show-buffer").catch(() => "none"),
  ];
  const before = await look();
  const ended = async (word: string) => {
    const deadline = performance.now() + 150_000;
    while (performance.now() < deadline) {
      const screen = await terminal.screen();
      if (screen.includes(word)) return screen;
      await sleep(100);
    }
    return expect.unreachable(`no ${word}: ${(await terminal.screen()).join("\n")}`);
  };
  await terminal.type("clear; sh ./go; echo all''done");
  await ended("alldone");
  expect(await look()).toEqual(before);

  const raw = terminal.raw();
  const said = raw.slice(raw.indexOf("BEGIN 0"));
  // the shell's own prompt brackets what is pasted
  const plain = said.replaceAll(ours, "").replaceAll(/\r+\n/g, "\n");
  expect(active.exec(plain.slice(0, plain.lastIndexOf("alldone")))).toBeNull();
  const silent = commands.filter(([name, words]) => !words.test(partOf(plain, name)));
  expect(silent.map(([name]) => [name, partOf(plain, name).slice(-1500)])).toEqual([]);

  // what was printed and not redrawn stands on the screen line by line, as the same bytes without colours
  const history = (await tmux("capture-pane", "-p", "-J", "-S", "-"))
    .split("\n")
    .map((line) => line.trimEnd());
  for (const [name, , isDrawn] of commands) {
    if (isDrawn) continue;
    const shown = partOf(history.join("\n"), name).split("\n");
    expect([name, shown]).toEqual([
      name,
      partOf(plain, name)
        .split("\n")
        .map((line) => line.trimEnd()),
    ]);
  }

  // the same texts as they are: the terminal does obey, so the looks above can fail
  await terminal.type("clear; cat raw.txt; tput rmcup; echo con''trol");
  await sleep(1000);
  expect(await look()).not.toEqual(before);
});

/** What can be switched in a terminal and would stay so. */
const modes =
  "#{pane_title}|#{window_name}|#{alternate_on}|#{cursor_flag}|#{insert_flag}|#{wrap_flag}|#{origin_flag}|#{mouse_any_flag}|#{keypad_flag}|#{scroll_region_upper}-#{scroll_region_lower}";

/** A name, what must be seen of it, whether it redraws lines, and how it is typed. */
const commands: readonly (readonly [name: string, words: RegExp, isDrawn: boolean, command: string])[] = [
  ["argument", /error usage: Unknown command '.*<U\+001B>/, false, 'whetstone "$(cat argument.txt)"'],
  ["value", /error config-invalid: [^]*001b/i, false, "whetstone plan --config value.json"],
  ["config's own lines", /<U\+009B>/, true, "whetstone plan --config talking.mjs"],
  ["task ids and checks", /Not understood[^]*<U\+202E>/, false, "whetstone import bad-tasks.json"],
  ["tasks as JSON", /\\u001b.*\\u202e/, false, "whetstone import bad-tasks.json --json"],
  ["skill", /^1\. [^]*<U\+001B>/m, false, "whetstone review $PROPOSAL < /dev/null"],
  [
    "provider",
    /errors +\d+ throttle[^]*error provider-refused: [^]*<U\+/,
    true,
    "whetstone eval --config provider.json --journal provider",
  ],
  ["agent", /error [a-z-]+: [^]*<U\+/, true, "whetstone eval --config agent.json --journal agent"],
  ["runs", /stopped/, false, "whetstone runs show --journal provider"],
  ["runs as JSON", /\\u001b/, false, "whetstone runs --json --journal provider"],
];

/** Between its two lines: what one command showed. */
const partOf = (text: string, name: string): string => {
  const at = commands.findIndex(([one]) => one === name);
  return text.slice(text.indexOf(`BEGIN ${at}\n`), text.indexOf(`END ${at}\n`));
};

async function hostileProject(modelsUrl: string): Promise<string> {
  const dir = await tempDir();
  const proposal = await stageProposal(dir);
  const row = (text: string, kind: string) => ({ id: text, input: text, checks: [{ kind, value: "x" }] });
  const shared = { skill: "./SKILL.md", tasks: "./tasks.json", spend: { calls: 500 }, trials: 1 };
  const said = texts.slice(0, 9).join(" ");
  const agent = {
    run: [
      "node",
      "-e",
      "process.stderr.write(process.argv[1] + ' Please run /login'); process.exit(7)",
      said.replaceAll("\0", ""),
    ],
  };
  const files = {
    "tmux.conf":
      "set -g history-limit 100000\nset -g set-clipboard on\nset -g allow-rename on\nset -g automatic-rename off\n",
    "raw.txt": texts.join("\n"),
    "argument.txt": texts.join(" ").replaceAll("\0", "").slice(0, 100_000),
    "value.json": JSON.stringify({ target: texts.join(" ") }),
    "talking.mjs": `import { readFileSync } from "node:fs";
const bytes = readFileSync(new URL("raw.txt", import.meta.url));
console.log(bytes.toString());
console.error(bytes.toString());
process.stdout.write(bytes);
export default {};
`,
    "bad-tasks.json": JSON.stringify(texts.map((text) => row(text, text))),
    "tasks.json": JSON.stringify(texts.slice(0, 60).map((text) => row(text, "contains"))),
    "provider.json": JSON.stringify({
      ...shared,
      target: "local/m",
      baseURL: modelsUrl,
    }),
    "agent.json": JSON.stringify({
      ...shared,
      target: "own/local/m",
      baseURL: modelsUrl,
      agents: { own: { ...agent, baseURL: modelsUrl } },
      sandbox: "none",
    }),
    "SKILL.md": "---\nname: parcels\ndescription: Says where parcels are.\n---\n\nSay where it is.\n",
    go: [
      `PROPOSAL=${proposal}`,
      `whetstone() { "${process.execPath}" "${cli}" "$@"; }`,
      ...commands.flatMap(([, , , command], at) => [`echo BEGIN ${at}`, command, `echo END ${at}`]),
    ].join("\n"),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

/** A proposal whose rules, evidence and reasons are theirs. */
async function stageProposal(dir: string): Promise<string> {
  const { journalDir, proposal } = await stageNights(dir);
  const path = join(journalDir, "proposals", proposal.id, "review.json");
  const review = JSON.parse(readFileSync(path, "utf8")) as Review;
  const rules = review.rules.map((rule, at) => ({
    ...rule,
    text: texts.slice(at, at + 200).join("\n"),
    edit: { kind: "learned", op: "add", text: texts.slice(at, at + 200).join("\n") },
    provenance: {
      ...rule.provenance,
      conversations: [{ id: "c", source: "claude-code", date: "2026-10-03", words: at === 0 ? texts : [] }],
    },
  }));
  writeFileSync(path, JSON.stringify({ ...review, rules }));
  return proposal.id;
}

/** It answers once, throttles for a while, in other words each time, and then refuses. */
function refusingProvider() {
  let asked = 0;
  return serve((response) => {
    asked += 1;
    if (asked === 1) return sendJson(200, chatCompletion("x"))(response);
    const isLast = asked > 4;
    const refuse = sendJson(
      isLast ? 400 : 429,
      { error: { message: texts[asked % texts.length] } },
      { "retry-after": "0" },
    );
    // long enough for a frame that shows the failures before
    setTimeout(refuse, isLast ? 500 : 0, response);
  });
}
